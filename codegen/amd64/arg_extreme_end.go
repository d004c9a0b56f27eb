package amd64

import "github.com/stridefuse/stridefuse/ir"

// The ends of rows, rows shorter than a block, and rows with a NaN: see arg_extreme.go.

// combine puts the best element of a row's lanes into all lanes of register 0, and the first block that holds it into the
// register of its position.
func (a *argExtreme) combine(row int) {
	const best, block, other, has = 0, 1, 2, 3
	a.do("VMOVAPS", y(lanesOf(row)), y(best))
	a.across(best, other, func() { a.better(other, best) })
	a.do(a.scalar("VBROADCAST"), x(best), y(best))
	if a.best {
		a.signBest(row, best)
	}
	a.do(a.float("VCMP"), imm(0), y(best), y(lanesOf(row)), y(has))
	a.constant(1<<31-1, block)
	a.do("VBLENDVPS", y(has), y(blocksOf(row)), y(block), y(block))
	a.across(block, other, func() {
		if a.d == ir.Float32 {
			a.do("VPMINSD", y(other), y(block), y(block))
			return
		}
		a.do("VPCMPGTQ", y(other), y(block), y(has))
		a.do("VBLENDVPS", y(has), y(other), y(block), y(block))
	})
	a.do("VMOVD", x(block), lowOf(startOf(row)))
}

// across combines all lanes of a register into the first. f combines the register with another.
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

// signBest moves the best element of a row without NaN from the lanes of a register to where store finds it. If it is a
// zero, it gets the sign that the combined signs of all elements give.
func (a *argExtreme) signBest(row, best int) {
	const signs, other, zero = 1, 2, 3
	a.do("VMOVAPS", y(signsOf(row)), y(signs))
	a.across(signs, other, func() { a.do(a.signs, y(other), y(signs), y(signs)) })
	a.do("VPXOR", y(zero), y(zero), y(zero))
	a.do(a.float("VCMP"), imm(0), y(zero), y(best), y(zero)) // where the signs count
	a.do("VANDPS", y(zero), y(signs), y(signs))
	a.constant(1<<(a.d.Bits()-1), other)
	a.do("VANDPS", y(other), y(signs), y(signs))
	a.do("VPANDN", y(best), y(zero), y(zero))
	a.do("VORPS", y(zero), y(signs), y(bestElement+row))
}

// store stores the results after all of the rows has been read. It puts the address of the abi.Frame into cx.
func (a *argExtreme) store() {
	for r := range a.rows {
		a.do("MOVL", lowOf(startOf(r)), mem(at(a.to(r), 0)))
		switch {
		case a.best && a.d == ir.Float64:
			a.do("VMOVQ", x(bestElement+r), mem(at(a.stored(r), 0)))
		case a.best:
			a.do("VMOVD", x(bestElement+r), mem(at(a.stored(r), 0)))
		}
	}
	if a.rows == 2 {
		a.do("MOVQ", frameArg(), gp(cx))
	}
}

// search finds the best element of a row, which register 0 holds, in the block at its position, and adds its index in the
// block to the position.
func (a *argExtreme) search(row int) {
	const best, found = 0, 1
	start := startOf(row)
	a.do("CMPQ", gp(cols), imm32(int64(a.block())))
	a.do("JLT", label("searchshort"+itoa(row)))
	a.do("LEAQ", mem(at(a.from(row), 0).indexed(start, a.d.Size())), gp(bestAt))
	for v := bestVectors - 1; v >= 0; v-- {
		a.do(a.float("VCMP"), imm(cmpEq), mem(at(bestAt, vectorBytes(v))), y(best), y(found+v))
	}
	a.do(a.float("VMOVMSK"), y(found+bestVectors-1), lowOf(ax))
	for v := bestVectors - 2; v >= 0; v-- {
		a.do(a.float("VMOVMSK"), y(found+v), lowOf(dx))
		a.do("SHLQ", imm(int64(a.lanes())), gp(ax))
		a.do("ORQ", gp(dx), gp(ax))
	}
	a.here("first"+itoa(row), "the first place with the best element")
	a.do("BSFQ", gp(ax), gp(ax))
	a.do("ADDQ", gp(ax), gp(start))
}

// shortRow writes the loop over a row shorter than a block, vector by vector.
func (a *argExtreme) shortRow() {
	a.here("short", "a row shorter than a block")
	a.do("LEAQ", mem(at(a.from(0), 0).indexed(cols, a.d.Size())), gp(bestLast)) // the end of the row
	a.here("vector", "each vector")
	a.bytesLeft()
	a.do("CMPQ", gp(dx), imm32(int64(vectorBytes(1))))
	a.do("JLT", label("rest"))
	a.step(1)
	a.do(a.int("VPADD"), a.lanesWith(uint64(a.lanes())), y(bestBlock), y(bestBlock))
	a.do("ADDQ", imm32(int64(vectorBytes(1))), gp(bestAt))
	a.do("JMP", label("vector"))
	a.here("rest", "the last elements, under a mask")
	a.do("TESTQ", gp(dx), gp(dx))
	a.do("JEQ", label("combine"))
	for r := range a.rows {
		const none = 1
		a.masked(a.vector(r, 0))
		a.constant(a.none(), none)
		a.do("VBLENDVPS", y(bestMask), y(0), y(none), y(0))
		a.compare(r, 1)
	}
	a.do("JMP", label("combine"))
}

// searchShort searches a short row for the vector that holds the best element.
func (a *argExtreme) searchShort(row int) {
	const best = 4
	a.here("searchshort"+itoa(row), "which vector of the short row has the best element")
	a.do("LEAQ", mem(at(a.from(row), 0).indexed(cols, a.d.Size())), gp(bestLast))
	a.do("LEAQ", mem(at(a.from(row), 0).indexed(startOf(row), a.d.Size())), gp(bestAt))
	a.bytesLeft()
	a.do("MOVL", imm32(int64(vectorBytes(1))), lowOf(ax))
	a.do("CMPQ", gp(dx), gp(ax))
	a.do("CMOVQGT", gp(ax), gp(dx))
	a.do("VMOVAPS", y(0), y(best))
	a.masked(mem(at(bestAt, 0))) // what is beyond the row is found after what is in it
	a.do(a.float("VCMP"), imm(cmpEq), y(0), y(best), y(0))
	a.do(a.float("VMOVMSK"), y(0), lowOf(ax))
	a.do("JMP", label("first"+itoa(row)))
}

// bytesLeft puts the number of bytes of a short row from bestAt on into dx.
func (a *argExtreme) bytesLeft() {
	a.do("MOVQ", gp(bestLast), gp(dx))
	a.do("SUBQ", gp(bestAt), gp(dx))
}

// masked loads the first dx bytes of a vector into register 0 and their mask into bestMask. It keeps dx.
func (a *argExtreme) masked(from Arg) {
	a.do("LEAQ", mem(maskMiddle(avx2Machine)), gp(ax))
	a.do("SUBQ", gp(dx), gp(ax))
	a.do("VMOVUPS", mem(at(ax, 0)), y(bestMask))
	a.do(a.float("VMASKMOV"), from, y(bestMask), y(0))
}

// firstNaN finds the first NaN of a row that has one.
func (a *argExtreme) firstNaN(row int) {
	start, name := startOf(row), itoa(row)
	a.here("nan"+name, "a row with NaN: its first one")
	a.do("XORQ", gp(start), gp(start))
	a.here("element" + name)
	a.do(a.scalar("VMOV"), mem(at(a.from(row), 0).indexed(start, a.d.Size())), x(0))
	a.do(a.scalar("VUCOMI"), x(0), x(0))
	a.do("JPS", label("isnan"+name))
	a.do("INCQ", gp(start))
	a.do("JMP", label("element"+name))
	a.here("isnan" + name)
	if a.best {
		a.do("VPCMPEQD", y(bestElement+row), y(bestElement+row), y(bestElement+row))
	}
	a.do("JMP", label("found"+name))
}
