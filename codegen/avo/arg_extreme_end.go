package avo

import "github.com/stridefuse/stridefuse/ir"

// The ends of rows, rows of less than a block, and rows with a NaN: see arg_extreme.go.

// combine finds the best element of the lanes, into all lanes of register 0, and the least of the blocks of those that
// have it, into bestStart.
func (a *argExtreme) combine() {
	const best, block, other, has = 0, 1, 2, 3
	a.do("VMOVAPS", y(bestLanes), y(best))
	a.across(best, other, func() { a.better(other, best) })
	a.do(a.scalar("VBROADCAST"), x(best), y(best))
	if a.best {
		a.signBest(best)
	}
	a.do(a.float("VCMP"), imm(0), y(best), y(bestLanes), y(has))
	a.constant(1<<31-1, block)
	a.do("VBLENDVPS", y(has), y(bestBlocks), y(block), y(block))
	a.across(block, other, func() {
		if a.d == ir.Float32 {
			a.do("VPMINSD", y(other), y(block), y(block))
			return
		}
		a.do("VPCMPGTQ", y(other), y(block), y(has))
		a.do("VBLENDVPS", y(has), y(other), y(block), y(block))
	})
	a.do("VMOVD", x(block), lowOf(bestStart))
}

// across combines the lanes of a register in the first of them: f combines it with the other.
func (a *argExtreme) across(r, other int, f func()) {
	a.do("VEXTRACTF128", imm(1), y(r), x(other))
	f()
	a.do("VPSHUFD", imm(0xee), y(r), y(other))
	f()
	if a.d == ir.Float32 {
		a.do("VPSHUFD", imm(0x55), y(r), y(other))
		f()
	}
}

// signBest puts the best element of a row without NaN, given in the lanes of a register, into bestElement. A
// zero has the sign that the signs of all elements give.
func (a *argExtreme) signBest(best int) {
	const signs, other, zero = 1, 2, 3
	a.do("VMOVAPS", y(bestSigns), y(signs))
	a.across(signs, other, func() { a.do(a.signs, y(other), y(signs), y(signs)) })
	a.do("VPXOR", y(zero), y(zero), y(zero))
	a.do(a.float("VCMP"), imm(0), y(zero), y(best), y(zero)) // where the signs count
	a.do("VANDPS", y(zero), y(signs), y(signs))
	a.constant(1<<(a.d.Bits()-1), other)
	a.do("VANDPS", y(other), y(signs), y(signs))
	a.do("VPANDN", y(best), y(zero), y(zero))
	a.do("VORPS", y(zero), y(signs), y(bestElement))
}

// store stores the results of a row, when all of it has been read.
func (a *argExtreme) store() {
	a.do("MOVL", lowOf(bestStart), mem(at(bestTo, 0)))
	switch {
	case a.best && a.d == ir.Float64:
		a.do("VMOVQ", x(bestElement), mem(at(bestStored, 0)))
	case a.best:
		a.do("VMOVD", x(bestElement), mem(at(bestStored, 0)))
	}
}

// search finds the best element, in register 0, in the block at bestStart, and adds its
// place in the block.
func (a *argExtreme) search() {
	const best, found = 0, 1
	a.do("CMPQ", gp(cols), imm32(int64(a.block())))
	a.do("JLT", label("searchshort"))
	a.do("LEAQ", mem(at(bestFrom, 0).indexed(bestStart, a.d.Size())), gp(bestAt))
	for v := bestVectors - 1; v >= 0; v-- {
		a.do(a.float("VCMP"), imm(0), mem(at(bestAt, vectorBytes(v))), y(best), y(found+v))
	}
	a.do(a.float("VMOVMSK"), y(found+bestVectors-1), lowOf(ax))
	for v := bestVectors - 2; v >= 0; v-- {
		a.do(a.float("VMOVMSK"), y(found+v), lowOf(dx))
		a.do("SHLQ", imm(int64(a.lanes())), gp(ax))
		a.do("ORQ", gp(dx), gp(ax))
	}
	a.here("found")
	a.do("BSFQ", gp(ax), gp(ax))
	a.do("ADDQ", gp(ax), gp(bestStart))
}

// shortRow goes over a row of less than a block, vector by vector, and searches the one that has the
// best element.
func (a *argExtreme) shortRow() {
	const best, apart = 5, bestElement
	a.here("short")
	a.constant(uint64(a.lanes()), apart)
	a.do("LEAQ", mem(at(bestFrom, 0).indexed(cols, a.d.Size())), gp(bestLast)) // the end of the row
	a.here("vector")
	a.bytesLeft()
	a.do("CMPQ", gp(dx), imm32(int64(vectorBytes(1))))
	a.do("JLT", label("rest"))
	a.step(1)
	a.do(a.int("VPADD"), y(apart), y(bestBlock), y(bestBlock))
	a.do("ADDQ", imm32(int64(vectorBytes(1))), gp(bestAt))
	a.do("JMP", label("vector"))
	a.here("rest")
	a.do("TESTQ", gp(dx), gp(dx))
	a.do("JEQ", label("combine"))
	a.masked()
	a.do("VBLENDVPS", y(bestMask), y(0), y(bestNone), y(0))
	a.compare(1)
	a.do("JMP", label("combine"))

	a.here("searchshort")
	a.do("LEAQ", mem(at(bestFrom, 0).indexed(bestStart, a.d.Size())), gp(bestAt))
	a.bytesLeft()
	a.do("MOVL", imm32(int64(vectorBytes(1))), lowOf(ax))
	a.do("CMPQ", gp(dx), gp(ax))
	a.do("CMOVQGT", gp(ax), gp(dx))
	a.do("VMOVAPS", y(0), y(best))
	a.masked() // what is beyond the row is found after what is in it
	a.do(a.float("VCMP"), imm(0), y(0), y(best), y(0))
	a.do(a.float("VMOVMSK"), y(0), lowOf(ax))
	a.do("JMP", label("found"))
}

// bytesLeft puts how many bytes a short row has from bestAt on into dx.
func (a *argExtreme) bytesLeft() {
	a.do("MOVQ", gp(bestLast), gp(dx))
	a.do("SUBQ", gp(bestAt), gp(dx))
}

// masked loads the first bytes of a vector, as many as dx says, into register 0, and their mask into
// bestMask.
func (a *argExtreme) masked() {
	a.do("NEGQ", gp(dx))
	a.do("LEAQ", mem(symbol(maskTable).at(vectorBytes(2))), gp(ax))
	a.do("VMOVUPS", mem(at(ax, 0).indexed(dx, 1)), y(bestMask))
	a.do(a.float("VMASKMOV"), mem(at(bestAt, 0)), y(bestMask), y(0))
}

// firstNaN finds the first NaN of a row that has one.
func (a *argExtreme) firstNaN() {
	a.here("nan")
	a.do("XORQ", gp(bestStart), gp(bestStart))
	a.here("element")
	a.do(a.scalar("VMOV"), mem(at(bestFrom, 0).indexed(bestStart, a.d.Size())), x(0))
	a.do(a.scalar("VUCOMI"), x(0), x(0))
	a.do("JPS", label("isnan"))
	a.do("INCQ", gp(bestStart))
	a.do("JMP", label("element"))
	a.here("isnan")
	if a.best {
		a.do("VPCMPEQD", y(bestElement), y(bestElement), y(bestElement))
	}
	a.do("JMP", label("store"))
}
