package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Minima and maxima of rows of floats: the minimum, the maximum or both of one row, or one of them for each of several rows
// that are read together. VMAX ignores or loses a NaN, and does not tell zeros apart. So one comparison finds the NaN of two
// vectors, and if the result is a zero, a second loop, which reads the row from the cache, combines the signs of the row. A
// vector takes two instructions; a maximum of bits takes three, and one with NaN and signs six. An Emerald Rapids takes 0.55
// to 0.65 of the time of three instructions for rows in the caches, 0.4 with AVX-512.
//
// The last vectors of a row overlap those before them: an element seen twice changes nothing. Rows shorter than a block go
// vector by vector, rows shorter than a vector under a mask.

// floatExtreme writes the function of such a minimum or maximum.
type floatExtreme struct {
	Program
	t       *Target
	d       ir.DType
	rows    int     // read together
	combine []ir.Op // OpMin or OpMax, by output
}

// newFloatExtreme returns the writer of a kernel, or nil if the kernel is not such a reduction.
func newFloatExtreme(t *Target, body *kernel.Kernel, combine []ir.Op) *floatExtreme {
	rows := len(body.In)
	if len(body.Body) > 0 || rows == 0 || rows > mostRows || len(combine) != max(rows, min(len(combine), 2)) {
		return nil
	}
	e := &floatExtreme{t: t, d: body.In[0].DType, rows: rows, combine: combine}
	for _, in := range body.In {
		if in.Splat || in.DType != e.d || e.d != ir.Float32 && e.d != ir.Float64 {
			return nil
		}
	}
	for r, by := range combine {
		if by != ir.OpMin && by != ir.OpMax || int(body.Out[r]) != e.row(r) {
			return nil
		}
	}
	return e
}

// mostRows is the greatest number of rows that are read together.
const mostRows = 4

// General registers, besides ax, dx, cx with the address of the abi.Frame, index and cols.
const (
	mostLeft = firstFree + iota // how many rows are left
	mostFrom                    // the pointer of the first operand; those of the others and of the results follow
)

// Vector registers. The lower ones hold the vectors of a step: 8 of one row, or up to 4 of several rows.
const (
	mostBest = 8                   // the best elements of each lane; those of other results follow
	mostNaN  = mostBest + mostRows // with AVX2, nonzero in lanes that have seen a NaN in a row; those of other rows follow
)

// Mask registers. With AVX-512 the lower ones record the NaN of each row.
const (
	mostUnordered = 1 + mostRows + iota // scratch
	mostMask                            // of a row shorter than a vector
)

func (e *floatExtreme) lanes() int { return e.t.m.Width / e.d.Size() }
func (e *floatExtreme) wide() bool { return e.t == AVX512() }

// vectors returns the number of vectors of each row in a step: 256 bytes of one row, but at least two vectors.
func (e *floatExtreme) vectors() int { return max(2, 256/e.t.m.Width/e.rows) }

// chains returns the number of accumulators of a result. With one, each maximum would wait for the one before.
func (e *floatExtreme) chains() int {
	if e.rows == 1 {
		return 2
	}
	return 1
}

// scratch returns scratch register i of a step, which has three.
func (e *floatExtreme) scratch(i int) int {
	if e.rows == 1 {
		return mostNaN + 1 + i
	}
	return mostBest - 1 - i
}

// row returns the row of a result, and best the register of one of its accumulators.
func (e *floatExtreme) row(result int) int { return min(result, e.rows-1) }
func (e *floatExtreme) best(result, chain int) int {
	return mostBest + result*e.chains() + chain
}

// better returns the instruction that keeps the better elements of a result, and signs the one that combines signs. A zero
// maximum is negative only if all zeros are, a zero minimum if any is.
func (e *floatExtreme) better(result int) string {
	if e.combine[result] == ir.OpMin {
		return widthOf("VMIN", e.d)
	}
	return widthOf("VMAX", e.d)
}

func (e *floatExtreme) signs(result int) string {
	if e.combine[result] == ir.OpMin {
		return "VORPS"
	}
	return "VANDPS"
}

// write returns the function.
func (e *floatExtreme) write() *Program {
	e.do("MOVQ", frameArg(), gp(cx))
	e.do("MOVQ", mem(at(cx, frameRows)), gp(mostLeft))
	e.do("MOVQ", mem(at(cx, frameCols)), gp(cols))
	for _, r := range []int{mostLeft, cols} {
		e.do("TESTQ", gp(r), gp(r))
		e.do("JLE", label("done"))
	}
	pointers := e.rows + len(e.combine)
	for i := range pointers {
		e.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(mostFrom+i))
	}
	e.here("row", "each row")
	e.start()
	e.read("", e.vectors(), e.step)
	for r := range e.combine {
		e.end(r)
	}
	for i := range pointers {
		e.do("ADDQ", mem(at(cx, frameStep+8*i)), gp(mostFrom+i))
	}
	e.do("DECQ", gp(mostLeft))
	e.do("JNE", label("row"))
	e.here("done")
	e.do("VZEROUPPER")
	e.do("RET")
	for r := range e.combine {
		e.rare(r)
	}
	return &e.Program
}

// start sets the accumulators.
func (e *floatExtreme) start() {
	for r := range e.combine {
		e.first(e.row(r), e.best(r, 0))
		for c := 1; c < e.chains(); c++ {
			e.do("VMOVAPS", y(e.best(r, 0)), y(e.best(r, c)))
		}
	}
	for row := range e.rows {
		if e.wide() {
			e.do("KXORW", mask(1+row), mask(1+row), mask(1+row))
		} else {
			e.do("VXORPS", y(mostNaN+row), y(mostNaN+row), y(mostNaN+row))
		}
	}
}

// first loads the first element of a row into all lanes.
func (e *floatExtreme) first(row, to int) {
	name := map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[e.d.Size()]
	e.do(name, mem(at(mostFrom+row, 0)), y(to))
}

// read writes two loops over a row, beginning at index: one takes the given number of vectors at a time, the other, for rows with
// fewer, one vector. The last step ends at the last element. For a row shorter than a vector, step(0) is written.
func (e *floatExtreme) read(name string, vectors int, step func(vectors int)) {
	e.do("XORQ", gp(index), gp(index))
	for _, n := range []int{vectors, 1} {
		loop, less := name+"loop"+itoa(n), name+"less"+itoa(n)
		e.do("MOVQ", gp(cols), gp(ax))
		e.do("SUBQ", imm32(int64(n*e.lanes())), gp(ax))
		e.do("JLT", label(less))
		e.do("PCALIGN", imm(64))
		e.here(loop, counted(n, "vector")+" at a time")
		step(n)
		e.do("ADDQ", imm32(int64(n*e.lanes())), gp(index))
		e.do("CMPQ", gp(index), gp(ax))
		e.do("JLE", label(loop))
		e.do("CMPQ", gp(index), gp(cols))
		e.do("JEQ", label(name+"end"))
		e.do("MOVQ", gp(ax), gp(index))
		e.do("JMP", label(loop))
		e.here(less)
	}
	step(0)
	e.here(name + "end")
}

// vector returns the address of vector v of a step.
func (e *floatExtreme) vector(row, v int) Arg {
	return mem(at(mostFrom+row, v*e.t.m.Width).indexed(index, e.d.Size()))
}

// step combines vectors of each row with the accumulators.
func (e *floatExtreme) step(vectors int) {
	if vectors == 0 {
		e.maskOfRow()
	}
	n := max(1, vectors)
	for row := range e.rows {
		for v := range vectors {
			e.do("VMOVUPS", e.vector(row, v), y(v))
		}
		if vectors == 0 {
			e.partial(row, 0)
		}
		for v := 0; v < n; v += 2 {
			e.findNaN(row, v, min(v+1, n-1))
		}
		for r := range e.combine {
			if e.row(r) == row {
				e.combineVectors(r, n)
			}
		}
	}
}

// findNaN records the NaN of two vectors of a row.
func (e *floatExtreme) findNaN(row, v, w int) {
	if e.wide() {
		e.do(widthOf("VCMP", e.d), imm(cmpUnord), y(v), y(w), mask(mostUnordered))
		e.do("KORW", mask(mostUnordered), mask(1+row), mask(1+row))
		return
	}
	e.do(widthOf("VCMP", e.d), imm(cmpUnord), y(v), y(w), y(e.scratch(0)))
	e.do("VORPS", y(e.scratch(0)), y(mostNaN+row), y(mostNaN+row))
}

// combineVectors combines the first n registers with the accumulators of a result. It keeps them for the row's next result.
func (e *floatExtreme) combineVectors(result, n int) {
	kept := e.rows == 1 && result < len(e.combine)-1
	each := max(1, n/e.chains())
	for c := 0; c*each < n; c++ {
		for apart := 1; apart < each; apart *= 2 {
			for v := 0; v < each; v += 2 * apart {
				a, b := c*each+v, c*each+v+apart
				to := a
				if kept {
					to = e.scratch(1 + v/2)
				}
				if kept && apart > 1 {
					a, b = e.scratch(1+v/2), e.scratch(1+(v+apart)/2)
				}
				e.do(e.better(result), y(b), y(a), y(to))
			}
		}
		from := c * each
		if kept && each > 1 {
			from = e.scratch(1)
		}
		e.do(e.better(result), y(from), y(e.best(result, c)), y(e.best(result, c)))
	}
}

// maskOfRow makes the mask of a row shorter than a vector.
func (e *floatExtreme) maskOfRow() {
	if e.wide() {
		e.do("MOVQ", imm32(-1), gp(dx))
		e.do("BZHIQ", gp(cols), gp(dx), gp(dx))
		e.do("KMOVW", lowOf(dx), mask(mostMask))
		return
	}
	e.do("MOVQ", gp(cols), gp(dx))
	e.do("NEGQ", gp(dx))
	e.do("LEAQ", mem(maskMiddle(avx2Machine)), gp(ax))
	e.do("VMOVUPS", mem(at(ax, 0).indexed(dx, e.d.Size())), y(e.scratch(1)))
}

// partial loads a row shorter than a vector. Lanes beyond the row get its first element.
func (e *floatExtreme) partial(row, to int) {
	if e.wide() {
		e.first(row, to)
		e.do(widthOf("VMOVU", e.d), e.vector(row, 0), mask(mostMask), y(to))
		return
	}
	e.do(widthOf("VMASKMOV", e.d), e.vector(row, 0), y(e.scratch(1)), y(to))
	e.first(row, e.scratch(0))
	e.do("VBLENDVPS", y(e.scratch(1)), y(to), y(e.scratch(0)), y(to))
}

// end stores a result after all of its row has been read.
func (e *floatExtreme) end(result int) {
	best, zero := e.best(result, 0), e.scratch(0)
	if e.chains() == 2 {
		e.do(e.better(result), y(e.best(result, 1)), y(best), y(best))
	}
	if e.wide() {
		e.do("KTESTW", mask(1+e.row(result)), mask(1+e.row(result)))
	} else {
		e.do("VPTEST", y(mostNaN+e.row(result)), y(mostNaN+e.row(result)))
	}
	e.do("JNE", label("nan"+itoa(result)))
	e.across(best, e.better(result))
	e.do("VXORPS", x(zero), x(zero), x(zero))
	e.do(map[int]string{4: "VUCOMISS", 8: "VUCOMISD"}[e.d.Size()], x(zero), x(best))
	e.do("JEQ", label("zero"+itoa(result)))
	e.here("store" + itoa(result))
	e.do(map[int]string{4: "VMOVD", 8: "VMOVQ"}[e.d.Size()], x(best), mem(at(mostFrom+e.rows+result, 0)))
}

// across combines the lanes of a register in the first one.
func (e *floatExtreme) across(r int, combine string) {
	other, whole := e.scratch(0), y
	if e.wide() {
		whole = half
		e.do("VEXTRACTF64X4", imm(1), y(r), half(other))
		e.do(combine, half(other), half(r), half(r))
	}
	e.do("VEXTRACTF128", imm(1), whole(r), x(other))
	e.do(combine, x(other), x(r), x(r))
	for _, lanes := range []int64{0xee, 0x55}[:8/e.d.Size()] {
		e.do("VPSHUFD", imm(lanes), x(r), x(other))
		e.do(combine, x(other), x(r), x(r))
	}
}

// rare writes the code for a result that is NaN or zero.
func (e *floatExtreme) rare(result int) {
	const signs, partial = 0, 1
	best, store := x(e.best(result, 0)), label("store"+itoa(result))
	e.here("nan"+itoa(result), "a result that is NaN")
	e.do("VPCMPEQD", best, best, best)
	e.do("JMP", store)

	e.here("zero"+itoa(result), "a result that is zero: of which sign?")
	row, combine := e.row(result), e.t.opcode(e.signs(result)).Name
	e.first(row, signs)
	e.read("zero"+itoa(result), 4, func(vectors int) {
		for v := range vectors {
			e.do(combine, e.vector(row, v), y(signs), y(signs))
		}
		if vectors == 0 {
			e.maskOfRow()
			e.partial(row, partial)
			e.do(combine, y(partial), y(signs), y(signs))
		}
	})
	e.across(signs, e.signs(result))
	lane := map[int]string{4: "D", 8: "Q"}[e.d.Size()]
	e.do("VPSRL"+lane, imm(int64(e.d.Bits()-1)), x(signs), x(signs))
	e.do("VPSLL"+lane, imm(int64(e.d.Bits()-1)), x(signs), best)
	e.do("JMP", store)
}
