package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
)

var avx512, avx512WithoutVNNI lazy

// AVX512 returns the target that emits, for amd64 with AVX-512 F, DQ, BW and VL: elementwise kernels, products of floats and of halves,
// reductions of columns, and reductions of rows except arg-reductions and reductions of bools. Products of halves need VNNI too.
func AVX512() *Target { return avx512.get(newAVX512) }

// AVX512WithoutVNNI returns the same target for processors that lack VNNI: its products of halves multiply and add by two instructions.
func AVX512WithoutVNNI() *Target {
	return avx512WithoutVNNI.get(func() *Target {
		t := newAVX512()
		t.suffix, t.extensions["AVX512VNNI"] = "_avx512_no_vnni", false
		return t
	})
}

func newAVX512() *Target {
	return &Target{
		name: "avx512", engine: "AVX512", suffix: "_avx512",
		m:          avx512Machine,
		forms:      forms{}.add(avx512Names, commonForms).add(nil, avx512Forms),
		table:      avx512Table(),
		style:      maskRegisters{},
		broadcasts: true,
		extensions: extensions("MMX+ SSE SSE2 AVX AVX2 FMA3 F16C CMOV BMI BMI2 AVX512F AVX512DQ AVX512BW AVX512VL AVX512VNNI"),
		special: map[string]instWriter{
			"MASKLOADPS": maskLoad512("VMOVUPS.Z"), "MASKLOADPD": maskLoad512("VMOVUPD.Z"),
			"VPMOVZXBD.Z": maskLoad512("VPMOVZXBD.Z"), "VPMOVZXWD.Z": maskLoad512("VPMOVZXWD.Z"),
			"VPMOVSXBD.Z": maskLoad512("VPMOVSXBD.Z"), "VPMOVSXWD.Z": maskLoad512("VPMOVSXWD.Z"),
			"MASKSTOREPS": maskStore512("VMOVUPS"), "MASKSTOREPD": maskStore512("VMOVUPD"),
			"MASKSTOREDB": maskStore512("VPMOVDB"), "MASKSTOREDW": maskStore512("VPMOVDW"),
			"STOREDB": store512("VPMOVDB"), "STOREDW": store512("VPMOVDW"), "STOREHALF": storeHalf,
			vector.OpCold.Name: (*nest).testMasks,
			vector.OpMask.Name: (*nest).maskBits,
		},
		some: true,
	}
}

// avx512Machine has the registers of AVX-512; mask register 0 means no mask to most
// instructions, so seven are left.
var avx512Machine = &vector.Machine{
	Width:     64,
	Lane:      4,
	Registers: 32,
	Masks:     7,
	Working:   4,
	Tuning:    avx2Machine.Tuning,
}

// maskLoad512 and maskStore512 move the elements under a mask. store512 stores all lanes.
func maskLoad512(name string) instWriter {
	return func(n *nest, i *vector.Inst) {
		n.do(name, mem(n.element(i.Place)), n.reg(i.Src[0].Index), y(i.Dst))
	}
}

func maskStore512(name string) instWriter {
	return func(n *nest, i *vector.Inst) {
		n.do(name, y(i.Src[1].Index), n.reg(i.Src[0].Index), mem(n.element(i.Place)))
	}
}

func store512(name string) instWriter {
	return func(n *nest, i *vector.Inst) { n.do(name, y(i.Src[0].Index), mem(n.element(i.Place))) }
}

// testMasks writes the test of a condition: see testCold.
func (n *nest) testMasks(i *vector.Inst) {
	n.testCold(i, "KTESTW")
}

// maskBits puts the tail's mask into a mask register.
func (n *nest) maskBits(i *vector.Inst) {
	n.remaining()
	n.do("MOVQ", imm32(-1), gp(dx))
	n.do("BZHIQ", gp(cx), gp(dx), gp(dx))
	name := "KMOVW"
	if i.Imm > 0 {
		name = "KMOVB"
	}
	if i.Imm == 2 {
		n.do("SHRQ", imm(8), gp(dx))
	}
	n.do(name, lowOf(dx), n.reg(i.Dst))
}
