package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// dotStyle holds what differs between the matrix products of AVX2 and of AVX-512.
type dotStyle struct {
	width  int // bytes of a vector
	ariths map[ir.DType]dotArith
	halves dotArith // of 16-bit elements, two in each int32; VNNI does with one instruction what otherwise takes two
	// Vector registers: the first of the row of B, the one with the element of A in all lanes, and a scratch register. Sums are in
	// the registers before the row of B.
	rowOfB, ofA, scratch int
	lined                int // rows of a whole tile if they are windows of an image
	// aheadLines is the number of cache lines of the next chunk of B that the start of a tile prefetches if windows are the
	// left operand. That chunk follows the present one and may be in memory. 0 means that each pair prefetches one line. Zen 4
	// with AVX-512, 7x7 windows with 512 channels: 0.88 of the time with a prefetch for each pair. Zen 3 with AVX2: a prefetch
	// for each pair costs 5 %, as the loop has many loads; 16 at the start of tiles cost 1 to 2 %, and 7x7 windows take
	// 0.94 of the time.
	// windows take 0.94 of the time.
	aheadLines int
	// mask prepares the mask of the first dotMask columns. It overwrites dotMask and dotCount.
	mask func(w *dotWriter)
	// loadMasked and storeMasked move a vector under the mask. beforeStores is called before a sequence of stores.
	loadMasked   func(t *dotTile, from Memory, to int)
	beforeStores func(t *dotTile)
	storeMasked  func(t *dotTile, from int, to Memory)
}

// dot returns the style of the target's products.
func (t *Target) dot() *dotStyle {
	if !t.some {
		return dotAVX2()
	}
	s := dotAVX512()
	if !t.Has("AVX512VNNI") {
		words := broadcast("VPBROADCASTD", multiplyAdd("VPMADDWD"))
		s.halves.multiply, s.halves.twoLines = words, words
	}
	return s
}

// dotHeldMask is the vector register of the mask while a tall tile of AVX2, whose row of B is one vector, uses dotMask otherwise.
const dotHeldMask = 13

// dotAVX2 returns the style of AVX2. It has a pointer to the mask in dotMask. Only tall tiles have a register free for the mask, so other tiles load
// it each time; loads are not the bottleneck.
func dotAVX2() *dotStyle {
	return &dotStyle{
		width: 32, ariths: dotAriths(), halves: dotArith{kernel.DotRows, 1, "VPADDD", broadcast("VPBROADCASTD", multiplyAdd("VPMADDWD")), nil, nil}, rowOfB: 12, ofA: 14, scratch: 15, lined: kernel.DotRows, aheadLines: 16,
		mask: func(w *dotWriter) {
			w.do("NEGQ", gp(dotMask))
			w.do("LEAQ", mem(maskMiddle(avx2Machine)), gp(dotCount))
			w.do("LEAQ", mem(at(dotCount, 0).indexed(dotMask, w.d.Size())), gp(dotMask))
		},
		loadMasked: func(t *dotTile, from Memory, to int) {
			mask := dotHeldMask
			if !t.isTall() {
				mask = to
				t.do("VMOVUPS", mem(at(dotMask, 0)), t.vec(mask))
			}
			t.do(widthOf("VMASKMOV", t.d), mem(from), t.vec(mask), t.vec(to))
		},
		beforeStores: func(t *dotTile) {
			if !t.isTall() {
				t.do("VMOVUPS", mem(at(dotMask, 0)), t.vec(t.scratch))
			}
		},
		storeMasked: func(t *dotTile, from int, to Memory) {
			mask := dotHeldMask
			if !t.isTall() {
				mask = t.scratch
			}
			t.do(widthOf("VMASKMOV", t.d), t.vec(from), t.vec(mask), mem(to))
		},
	}
}

// dotAVX512 returns the style of AVX-512. It has the mask in a mask register, so dotMask is free.
func dotAVX512() *dotStyle {
	return &dotStyle{
		width: 64, ariths: dotAriths512(), halves: dotArith{2 * kernel.DotRows, 1, "VPADDD", multiplyBroadcast("VPDPWSSD.BCST"), nil, nil}, rowOfB: 24, ofA: 26, scratch: 27, lined: 2 * dotAddressed,
		mask: func(w *dotWriter) {
			w.do("MOVQ", imm32(-1), gp(dotCount))
			w.do("BZHIQ", gp(dotMask), gp(dotCount), gp(dotCount))
			w.do("KMOVW", lowOf(dotCount), mask(1))
		},
		loadMasked: func(t *dotTile, from Memory, to int) {
			t.do(widthOf("VMOVU", t.d)+".Z", mem(from), mask(1), t.vec(to))
		},
		beforeStores: func(*dotTile) {},
		storeMasked: func(t *dotTile, from int, to Memory) {
			t.do(widthOf("VMOVU", t.d), t.vec(from), mask(1), mem(to))
		},
	}
}
