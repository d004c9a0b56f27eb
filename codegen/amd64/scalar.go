package amd64

import "github.com/stridefuse/stridefuse/codegen/vector"

// The parts of a body that use general registers: the mask of the tail, loads and stores of
// single elements of one or two bytes, integer division.

// maskVector loads the tail's mask for 32-bit lanes, or for the lower or upper half of the
// step in 64-bit lanes.
func (n *nest) maskVector(i *vector.Inst) {
	if n.b.WholeTails() {
		n.remaining()
		n.do("NEGQ", gp(cx))
	} else {
		n.do("MOVQ", gp(index), gp(cx))
		n.do("SUBQ", gp(cols), gp(cx))
	}
	n.do("LEAQ", mem(maskMiddle(n.m)), gp(dx))
	from := at(dx, 0).indexed(cx, 4)
	if i.Imm > 0 {
		from = at(dx, n.m.Width*int(i.Imm-1)).indexed(cx, 8)
	}
	n.do("VMOVUPS", mem(from), y(i.Dst))
}

// remaining sets cx to the number of columns of this step.
func (n *nest) remaining() {
	n.do("MOVQ", gp(cols), gp(cx))
	n.do("SUBQ", gp(index), gp(cx))
	if n.b.WholeTails() {
		n.do("MOVQ", imm32(int64(n.lanes())), gp(dx))
		n.do("CMPQ", gp(cx), gp(dx))
		n.do("CMOVQGT", gp(dx), gp(cx))
	}
}

// narrowLoad reads up to 8 elements of one or two bytes, the last first, into the lower
// half of a vector register.
func (n *nest) narrowLoad(i *vector.Inst) {
	n.remaining()
	if i.Place.Size() == 2 {
		n.wordLoad(i)
		return
	}
	done := n.whole(func() { n.do("VMOVQ", mem(n.element(i.Place)), x(i.Dst)) })
	n.do("LEAQ", mem(n.element(i.Place).at(-1)), gp(dx))
	n.do("XORQ", gp(ax), gp(ax))
	n.eachNarrow("load", func() {
		n.do("SHLQ", imm(8), gp(ax))
		n.do("MOVB", mem(at(dx, 0).indexed(cx, 1)), byteOf(ax))
	})
	n.do("VMOVQ", gp(ax), x(i.Dst))
	done()
}

// wordLoad is narrowLoad for elements of two bytes.
func (n *nest) wordLoad(i *vector.Inst) {
	done := n.whole(func() { n.do("VMOVUPS", mem(n.element(i.Place)), x(i.Dst)) })
	n.do("LEAQ", mem(n.element(i.Place).at(-2)), gp(dx))
	n.do("VPXOR", x(i.Dst), x(i.Dst), x(i.Dst))
	n.eachNarrow("load", func() {
		n.do("VPSLLDQ", imm(2), x(i.Dst), x(i.Dst))
		n.do("VPINSRW", imm(0), mem(at(dx, 0).indexed(cx, 2)), x(i.Dst), x(i.Dst))
	})
	done()
}

// narrowStore writes up to 8 elements of one or two bytes, the first first.
func (n *nest) narrowStore(i *vector.Inst) {
	from, size := x(i.Src[0].Index), i.Place.Size()
	n.remaining()
	done := n.whole(func() {
		n.do(map[int]string{1: "VMOVQ", 2: "VMOVUPS"}[size], from, mem(n.element(i.Place)))
	})
	n.do("LEAQ", mem(n.element(i.Place)), gp(dx))
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

// upperWords stores the first four elements at once if there are as many, and puts the
// other elements into ax. It jumps to end if there are none.
func (n *nest) upperWords(from Arg, end string) {
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

// eachNarrow writes a loop over the elements of a partial step, whose number is in cx.
func (n *nest) eachNarrow(name string, element func()) {
	loop := n.fresh(name)
	n.here(loop, "one element each")
	element()
	n.do("DECQ", gp(cx))
	n.do("JNE", label(loop))
}

// whole writes a test for a step with all elements, if the tail may have such steps; move copies them at once. The code that
// follows is for partial steps, and done writes the end of it.
func (n *nest) whole(move func()) (done func()) {
	if !n.b.WholeTails() {
		return func() {}
	}
	part, end := n.fresh("part"), n.fresh("end")
	n.do("CMPQ", gp(cx), imm(int64(n.lanes())))
	n.do("JNE", label(part))
	move()
	n.do("JMP", label(end))
	n.here(part, "fewer elements than a vector has")
	return func() { n.here(end) }
}

// divRem divides the elements of scratch vectors 0 and 1 by those of 2 and 3. The quotients overwrite the dividends, the
// remainders the divisors. Divisors 0 and -1 are handled separately, because the instructions fault on 0, and IDIVQ on the
// least integer divided by -1: the quotient is the product of both operands, and the remainder is 0.
func (n *nest) divRem(i *vector.Inst) {
	dividend := n.onStack(n.scratch, i.Slot).indexed(index, 8)
	divisor := dividend.at(2 * n.m.Width)
	loop, special, next := n.fresh("divide"), n.fresh("special"), n.fresh("divided")
	n.do("MOVQ", gp(index), mem(stack(n.saved)))
	n.do("XORQ", gp(index), gp(index))
	n.here(loop, "one element each")
	n.do("MOVQ", mem(divisor), gp(cx))
	n.do("MOVQ", mem(dividend), gp(ax))
	if i.Op.Name == "DIVREMU" {
		n.do("XORQ", gp(dx), gp(dx))
		n.do("TESTQ", gp(cx), gp(cx))
		n.do("JEQ", label(special))
		n.do("DIVQ", gp(cx))
	} else {
		n.do("LEAQ", mem(at(cx, 1)), gp(dx))
		n.do("CMPQ", gp(dx), imm(1))
		n.do("JLS", label(special))
		n.do("CQO")
		n.do("IDIVQ", gp(cx))
	}
	n.here(next)
	n.do("MOVQ", gp(ax), mem(dividend))
	n.do("MOVQ", gp(dx), mem(divisor))
	n.do("INCQ", gp(index))
	n.do("CMPQ", gp(index), imm(int64(n.lanes())))
	n.do("JLT", label(loop))
	end := n.fresh("end")
	n.do("MOVQ", mem(stack(n.saved)), gp(index))
	n.do("JMP", label(end))
	n.here(special, "a divisor of 0 or -1")
	n.do("IMULQ", gp(cx), gp(ax))
	n.do("XORQ", gp(dx), gp(dx))
	n.do("JMP", label(next))
	n.here(end)
}
