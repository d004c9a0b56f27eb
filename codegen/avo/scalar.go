package avo

// The parts of a body that work element by element in general registers.

// maskTable is 64 bytes of ones, then 64 of zeros: read k lanes before the
// middle, a vector has its first k lanes set.
const maskTable = "masks"

// mask loads the tail's mask for 32-bit lanes, or for the lower or upper four
// of 64-bit lanes.
func (n *nest) mask(i *machineInst) {
	n.remaining()
	n.do("NEGQ", gp(cx))
	n.do("LEAQ", mem(symbol(maskTable).at(64)), gp(dx))
	from := at(dx, 0).indexed(cx, 4)
	if i.imm > 0 {
		from = at(dx, 32*int(i.imm-1)).indexed(cx, 8)
	}
	n.do("VMOVUPS", mem(from), y(i.dst))
}

// remaining sets cx to the columns of this step, at most 8.
func (n *nest) remaining() {
	n.do("MOVQ", gp(cols), gp(cx))
	n.do("SUBQ", gp(index), gp(cx))
	if n.b.wholeTails() {
		n.do("MOVQ", imm32(8), gp(dx))
		n.do("CMPQ", gp(cx), gp(dx))
		n.do("CMOVQGT", gp(dx), gp(cx))
	}
}

// narrowLoad reads up to 8 elements of one or two bytes, the last first, into the
// lower half of a register.
func (n *nest) narrowLoad(i *machineInst) {
	n.remaining()
	if i.place.size == 2 {
		n.wordLoad(i)
		return
	}
	done := n.whole(func() { n.do("VMOVQ", mem(n.element(i.place)), x(i.dst)) })
	n.do("LEAQ", mem(n.element(i.place).at(-1)), gp(dx))
	n.do("XORQ", gp(ax), gp(ax))
	n.eachNarrow("load", func() {
		n.do("SHLQ", imm(8), gp(ax))
		n.do("MOVB", mem(at(dx, 0).indexed(cx, 1)), byteOf(ax))
	})
	n.do("VMOVQ", gp(ax), x(i.dst))
	done()
}

func (n *nest) wordLoad(i *machineInst) {
	done := n.whole(func() { n.do("VMOVUPS", mem(n.element(i.place)), x(i.dst)) })
	n.do("LEAQ", mem(n.element(i.place).at(-2)), gp(dx))
	n.do("VPXOR", x(i.dst), x(i.dst), x(i.dst))
	n.eachNarrow("load", func() {
		n.do("VPSLLDQ", imm(2), x(i.dst), x(i.dst))
		n.do("VPINSRW", imm(0), mem(at(dx, 0).indexed(cx, 2)), x(i.dst), x(i.dst))
	})
	done()
}

// narrowStore writes up to 8 elements of one or two bytes, the first first.
func (n *nest) narrowStore(i *machineInst) {
	from, size := x(i.src[0].index), i.place.size
	n.remaining()
	done := n.whole(func() {
		n.do(map[int]string{1: "VMOVQ", 2: "VMOVUPS"}[size], from, mem(n.element(i.place)))
	})
	n.do("LEAQ", mem(n.element(i.place)), gp(dx))
	n.do("VMOVQ", from, gp(ax))
	end := n.fresh("stored")
	if size == 2 {
		n.upperWords(from, end)
	}
	n.eachNarrow("store", func() {
		if size == 2 {
			n.do("MOVW", wordOf(ax), mem(at(dx, 0)))
		} else {
			n.do("MOVB", byteOf(ax), mem(at(dx, 0)))
		}
		n.do("SHRQ", imm(int64(8*size)), gp(ax))
		n.do("ADDQ", imm(int64(size)), gp(dx))
	})
	n.here(end)
	done()
}

// upperWords stores the lower four of more elements at once, and goes on with the
// upper ones.
func (n *nest) upperWords(from arg, end string) {
	words := n.fresh("words")
	n.do("CMPQ", gp(cx), imm(4))
	n.do("JLT", label(words))
	n.do("MOVQ", gp(ax), mem(at(dx, 0)))
	n.do("ADDQ", imm(8), gp(dx))
	n.do("SUBQ", imm(4), gp(cx))
	n.do("JEQ", label(end))
	n.do("VPEXTRQ", imm(1), from, gp(ax))
	n.here(words)
}

// eachNarrow writes a loop over the elements of a part of a step, whose number is in cx.
func (n *nest) eachNarrow(name string, element func()) {
	loop := n.fresh(name)
	n.here(loop)
	element()
	n.do("DECQ", gp(cx))
	n.do("JNE", label(loop))
}

// whole writes the way for all 8 elements, which not every tail can meet, and returns
// what writes the end of the other way.
func (n *nest) whole(move func()) (done func()) {
	if !n.b.wholeTails() {
		return func() {}
	}
	part, end := n.fresh("part"), n.fresh("end")
	n.do("CMPQ", gp(cx), imm(8))
	n.do("JNE", label(part))
	move()
	n.do("JMP", label(end))
	n.here(part)
	return func() { n.here(end) }
}

// divRem divides the 8 elements of scratch vectors 0 and 1 by those of 2 and 3,
// which the quotients and remainders replace. IDIVQ faults for a divisor of 0
// and for least/-1; for 0 and -1 the quotient is the product and the remainder 0.
func (n *nest) divRem(i *machineInst) {
	dividend := stack(n.scratch+32*i.slot).indexed(index, 8)
	divisor := dividend.at(64)
	loop, special, next := n.fresh("divide"), n.fresh("special"), n.fresh("divided")
	n.do("MOVQ", gp(index), mem(stack(n.saved)))
	n.do("XORQ", gp(index), gp(index))
	n.here(loop)
	n.do("MOVQ", mem(divisor), gp(cx))
	n.do("MOVQ", mem(dividend), gp(ax))
	n.do("LEAQ", mem(at(cx, 1)), gp(dx))
	n.do("CMPQ", gp(dx), imm(1))
	n.do("JLS", label(special))
	n.do("CQO")
	n.do("IDIVQ", gp(cx))
	n.here(next)
	n.do("MOVQ", gp(ax), mem(dividend))
	n.do("MOVQ", gp(dx), mem(divisor))
	n.do("INCQ", gp(index))
	n.do("CMPQ", gp(index), imm(8))
	n.do("JLT", label(loop))
	end := n.fresh("end")
	n.do("MOVQ", mem(stack(n.saved)), gp(index))
	n.do("JMP", label(end))
	n.here(special)
	n.do("IMULQ", gp(cx), gp(ax))
	n.do("XORQ", gp(dx), gp(dx))
	n.do("JMP", label(next))
	n.here(end)
}
