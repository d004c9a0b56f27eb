package avo

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Sums of rows of bytes in wider integers, and counts of bools: VPSADBW adds eight bytes to
// a lane of 64 bits, and the sum of a row is that of the lanes.

// byteSums are the types that sums of bytes are of.
var byteSums = []ir.DType{ir.Int64, ir.Uint64, ir.Int32, ir.Uint32}

// sumsBytes reports whether a kernel is such a sum.
func sumsBytes(body *kernel.Kernel, combine []ir.Op) bool {
	if len(body.In) != 1 || len(body.Body) != 1 || body.In[0].Splat || !slices.Equal(combine, []ir.Op{ir.OpAdd}) {
		return false
	}
	from, cast := body.In[0].DType, body.Body[0]
	return (from == ir.Uint8 || from == ir.Bool) && cast.Op == ir.OpCast && slices.Contains(byteSums, cast.DType) && body.Out[0] == 1
}

// General registers of sums of bytes, besides ax, dx, and cx with the address of the
// abi.Frame.
const (
	sumLeft = index         // how many columns are left
	sumRows = cols          // how many rows are left
	sumFrom = firstFree     // pointer to the present byte
	sumNext = firstFree + 1 // pointer to the next row of the input
	sumTo   = firstFree + 2 // pointer to the row's sum
)

// compileByteSum returns the function of a sum.
func compileByteSum(body *kernel.Kernel) *program {
	p := &program{}
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, codegen.FrameRows)), gp(sumRows))
	p.do("MOVQ", mem(at(cx, codegen.FrameCols)), gp(sumLeft))
	for _, r := range []int{sumRows, sumLeft} { // an empty row has no sum
		p.do("TESTQ", gp(r), gp(r))
		p.do("JLE", label("done"))
	}
	p.do("MOVQ", mem(at(cx, codegen.FramePtr)), gp(sumNext))
	p.do("MOVQ", mem(at(cx, codegen.FramePtr+8)), gp(sumTo))
	p.do("VPXOR", y(0), y(0), y(0))
	p.here("row")
	p.do("MOVQ", gp(sumNext), gp(sumFrom))
	p.do("MOVQ", mem(at(cx, codegen.FrameCols)), gp(sumLeft))
	p.sumVectors()
	p.sumRest()
	if body.OutType(0).Size() == 4 {
		p.do("MOVL", lowOf(ax), mem(at(sumTo, 0)))
	} else {
		p.do("MOVQ", gp(ax), mem(at(sumTo, 0)))
	}
	p.do("ADDQ", mem(at(cx, codegen.FrameStep)), gp(sumNext))
	p.do("ADDQ", mem(at(cx, codegen.FrameStep+8)), gp(sumTo))
	p.do("DECQ", gp(sumRows))
	p.do("JNE", label("row"))
	p.here("done")
	p.do("VZEROUPPER")
	p.do("RET")
	return p
}

// sumVectors adds the bytes of whole vectors, two at a time, then one, into ax.
func (p *program) sumVectors() {
	p.do("VPXOR", y(1), y(1), y(1))
	p.do("VPXOR", y(2), y(2), y(2))
	for _, n := range []int{2, 1} {
		loop, end, bytes := p.fresh("vectors"), p.fresh("end"), int64(vectorBytes(n))
		p.do("SUBQ", imm32(bytes), gp(sumLeft))
		p.do("JLT", label(end))
		p.do("PCALIGN", imm(32))
		p.here(loop)
		for v := range n {
			p.do("VPSADBW", mem(at(sumFrom, vectorBytes(v))), y(0), y(3+v))
		}
		for v := range n {
			p.do("VPADDQ", y(3+v), y(1+v), y(1+v))
		}
		p.do("ADDQ", imm32(bytes), gp(sumFrom))
		p.do("SUBQ", imm32(bytes), gp(sumLeft))
		p.do("JGE", label(loop))
		p.here(end)
		p.do("ADDQ", imm32(bytes), gp(sumLeft))
	}
	p.do("VPADDQ", y(2), y(1), y(1))
	p.do("VEXTRACTF128", imm(1), y(1), x(2))
	p.do("VPADDQ", x(2), x(1), x(1))
	p.do("VMOVQ", x(1), gp(ax))
	p.do("VPEXTRQ", imm(1), x(1), gp(dx))
	p.do("ADDQ", gp(dx), gp(ax))
}

// sumRest adds the bytes behind the last whole vector to ax.
func (p *program) sumRest() {
	p.do("TESTQ", gp(sumLeft), gp(sumLeft))
	p.do("JEQ", label("summed"))
	p.here("byte")
	p.do("MOVBQZX", mem(at(sumFrom, 0)), gp(dx))
	p.do("ADDQ", gp(dx), gp(ax))
	p.do("INCQ", gp(sumFrom))
	p.do("DECQ", gp(sumLeft))
	p.do("JNE", label("byte"))
	p.here("summed")
}
