package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Sums of rows of 1-byte or 2-byte integers in wider integers, and counts of bools. VPSADBW adds eight bytes into a 64-bit
// lane, and the sum of a row is the sum of the lanes. The low and the high bytes of 2-byte elements are added
// separately. Signed elements are added as unsigned ones, each 128 or 32768 too large; the end subtracts that. Short rows: see
// byte_sum_short.go. VPSADBW also adds the distances of bytes to those of a second operand.

// byteSums are the types of such sums, byteTerms the types of their elements.
var (
	byteSums  = []ir.DType{ir.Int64, ir.Uint64, ir.Int32, ir.Uint32}
	byteTerms = []ir.DType{ir.Uint8, ir.Int8, ir.Bool, ir.Uint16, ir.Int16}
)

// sumsBytes reports whether a kernel is such a sum.
func sumsBytes(body *kernel.Kernel, combine []ir.Op) bool {
	cast := body.Inst(body.Out[0])
	if cast == nil || cast.Op != ir.OpCast || !slices.Contains(byteSums, cast.DType) || !slices.Equal(combine, []ir.Op{ir.OpAdd}) {
		return false
	}
	if slices.ContainsFunc(body.In, func(in kernel.Operand) bool { return in.Splat || !slices.Contains(byteTerms, in.DType) }) {
		return false
	}
	return len(body.In) == 1 && len(body.Body) == 1 || addsDistances(body)
}

// addsDistances reports whether a kernel converts the distance of two bytes: the greater less the smaller.
func addsDistances(body *kernel.Kernel) bool {
	if len(body.In) != 2 || len(body.Body) != 4 || body.In[0].DType != ir.Uint8 {
		return false
	}
	sub := body.Inst(body.Inst(body.Out[0]).Args[0])
	if sub == nil || sub.Op != ir.OpSub || sub.DType != ir.Uint8 {
		return false
	}
	for i, op := range []ir.Op{ir.OpMax, ir.OpMin} {
		in := body.Inst(sub.Args[i])
		if in == nil || in.Op != op || min(in.Args[0], in.Args[1]) != 0 || max(in.Args[0], in.Args[1]) != 1 {
			return false
		}
	}
	return true
}

// byteSum writes the function of a sum.
type byteSum struct {
	Program
	from ir.DType
	size int
	out  int // the size of a sum
	ins  int // operands: two, if it adds distances
}

// General registers of sums of bytes, besides ax, dx, and cx with the address of the
// abi.Frame.
const (
	sumLeft = index         // how many columns are left
	sumRows = cols          // how many rows are left
	sumFrom = firstFree     // pointer to the present byte
	sumNext = firstFree + 1 // pointer to the next row of the input
	sumTo   = firstFree + 2 // pointer to the row's sum

	sumStep  = firstFree + 3 // bytes from one short row to the next
	sumStep3 = firstFree + 4 // three times that
	sumOther = firstFree + 5 // from a byte to the one that its distance is measured from
)

// Vector registers of sums of bytes. The first ones are scratch, two for each vector.
const (
	sumLow  = 4 + iota // the sum of the bytes, or of the lower ones
	sumHigh            // of the higher ones
	sumZero
	sumSign // what removes the sign
	sumMask // of the lower bytes
)

// compileByteSum returns the function of a sum.
func compileByteSum(body *kernel.Kernel) *Program {
	p := &byteSum{from: body.In[0].DType, size: body.In[0].DType.Size(), out: body.OutType(0).Size(), ins: len(body.In)}
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, frameRows)), gp(sumRows))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(sumLeft))
	for _, r := range []int{sumRows, sumLeft} { // an empty row has no sum
		p.do("TESTQ", gp(r), gp(r))
		p.do("JLE", label("done"))
	}
	p.do("MOVQ", mem(at(cx, framePtr)), gp(sumNext))
	p.do("MOVQ", mem(at(cx, framePtr+8*p.ins)), gp(sumTo))
	if p.ins == 2 {
		p.do("MOVQ", mem(at(cx, framePtr+8)), gp(sumOther))
		p.do("SUBQ", gp(sumNext), gp(sumOther))
	}
	p.do("VPXOR", y(sumZero), y(sumZero), y(sumZero))
	if p.signed() {
		p.do("VMOVUPS", mem(symbol(constant(constBytes, map[int]uint64{1: 0x8080808080808080, 2: 0x8000800080008000}[p.size]))), y(sumSign))
	}
	if p.size == 2 {
		p.do("VMOVUPS", mem(symbol(constant(constBytes, 0x00ff00ff00ff00ff))), y(sumMask))
	}
	if p.ins == 1 {
		p.short()
	}
	p.here("row", "each row")
	p.do("MOVQ", gp(sumNext), gp(sumFrom))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(sumLeft))
	p.vectors()
	p.rest()
	if p.out == 4 {
		p.do("MOVL", lowOf(ax), mem(at(sumTo, 0)))
	} else {
		p.do("MOVQ", gp(ax), mem(at(sumTo, 0)))
	}
	if p.ins == 2 {
		p.do("ADDQ", mem(at(cx, frameStep+8)), gp(sumOther))
		p.do("SUBQ", mem(at(cx, frameStep)), gp(sumOther))
	}
	p.do("ADDQ", mem(at(cx, frameStep)), gp(sumNext))
	p.do("ADDQ", mem(at(cx, frameStep+8*p.ins)), gp(sumTo))
	p.do("DECQ", gp(sumRows))
	p.do("JNE", label("row"))
	p.here("done")
	p.do("VZEROUPPER")
	p.do("RET")
	return &p.Program
}

// signed reports whether the elements are signed.
func (p *byteSum) signed() bool { return ir.Signed.Has(p.from) }

// vectors adds the elements of whole vectors, two at a time, then one, into ax.
func (p *byteSum) vectors() {
	lanes := vectorBytes(1) / p.size
	p.do("VPXOR", y(sumLow), y(sumLow), y(sumLow))
	p.do("VPXOR", y(sumHigh), y(sumHigh), y(sumHigh))
	p.do("XORQ", gp(ax), gp(ax))
	for _, n := range []int{2, 1} {
		loop, end := p.fresh("vectors"), p.fresh("end")
		p.do("SUBQ", imm32(int64(n*lanes)), gp(sumLeft))
		p.do("JLT", label(end))
		p.do("PCALIGN", imm(32))
		p.here(loop, counted(n, "vector")+" at a time")
		for v := range n {
			p.vector(v)
		}
		p.do("ADDQ", imm32(int64(vectorBytes(n))), gp(sumFrom))
		if p.signed() {
			p.do("SUBQ", imm32(int64(n*lanes)<<(8*p.size-1)), gp(ax))
		}
		p.do("SUBQ", imm32(int64(n*lanes)), gp(sumLeft))
		p.do("JGE", label(loop))
		p.here(end)
		p.do("ADDQ", imm32(int64(n*lanes)), gp(sumLeft))
	}
	if p.size == 2 {
		p.do("VPSLLQ", imm(8), y(sumHigh), y(sumHigh))
	}
	p.do("VPADDQ", y(sumHigh), y(sumLow), y(sumLow))
	p.do("VEXTRACTF128", imm(1), y(sumLow), x(sumHigh))
	p.do("VPADDQ", x(sumHigh), x(sumLow), x(sumLow))
	for i := range 2 {
		p.do("VPEXTRQ", imm(int64(i)), x(sumLow), gp(dx))
		p.do("ADDQ", gp(dx), gp(ax))
	}
}

// vector adds the elements of a vector. Of 1-byte elements, every other vector is added to sumHigh.
func (p *byteSum) vector(v int) {
	low, high := y(2*v), y(2*v+1)
	from := mem(at(sumFrom, vectorBytes(v)))
	if p.signed() {
		p.do("VPXOR", from, y(sumSign), low)
		from = low
	}
	if p.size == 1 {
		zero := y(sumZero)
		if p.ins == 2 {
			zero = low
			p.do("VMOVUPS", mem(at(sumFrom, vectorBytes(v)).indexed(sumOther, 1)), low)
		}
		p.do("VPSADBW", from, zero, low)
		p.do("VPADDQ", low, y(sumLow+v), y(sumLow+v))
		return
	}
	if !p.signed() {
		p.do("VMOVUPS", from, low)
	}
	p.do("VPSRLW", imm(8), low, high)
	p.do("VPAND", y(sumMask), low, low)
	p.do("VPSADBW", y(sumZero), low, low)
	p.do("VPSADBW", y(sumZero), high, high)
	p.do("VPADDQ", low, y(sumLow), y(sumLow))
	p.do("VPADDQ", high, y(sumHigh), y(sumHigh))
}

// rest adds the elements behind the last whole vector to ax.
func (p *byteSum) rest() {
	p.do("TESTQ", gp(sumLeft), gp(sumLeft))
	p.do("JEQ", label("summed"))
	p.here("element", "the last elements one by one")
	p.do(readsOne(p.from), mem(at(sumFrom, 0)), gp(dx))
	if p.ins == 2 {
		p.do("VMOVQ", gp(dx), x(0))
		p.do(readsOne(p.from), mem(at(sumFrom, 0).indexed(sumOther, 1)), gp(dx))
		p.do("VMOVQ", gp(dx), x(1))
		p.do("VPSADBW", x(0), x(1), x(0))
		p.do("VMOVQ", x(0), gp(dx))
	}
	p.do("ADDQ", gp(dx), gp(ax))
	p.do("ADDQ", imm(int64(p.size)), gp(sumFrom))
	p.do("DECQ", gp(sumLeft))
	p.do("JNE", label("element"))
	p.here("summed", "the row's sum is in AX")
}
