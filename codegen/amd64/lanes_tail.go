package amd64

// The last bytes of a row in narrow lanes.

// copyBytes copies cx bytes, 1 to 31: the first word of each size and the last one, which may overlap it.
func (n *nest) copyBytes(from, to Memory) {
	end, labels := n.fresh("copied"), map[int]string{16: n.fresh("from16"), 8: n.fresh("from8"), 4: n.fresh("from4")}
	for _, size := range []int{16, 8, 4} {
		n.do("CMPQ", gp(cx), imm(int64(size)))
		n.do("JGE", label(labels[size]))
	}
	n.eachNarrow("byte", func() {
		n.do("MOVB", mem(from.at(-1).indexed(cx, 1)), byteOf(ax))
		n.do("MOVB", byteOf(ax), mem(to.at(-1).indexed(cx, 1)))
	})
	n.do("JMP", label(end))
	word := func(op string, r Arg, from, to Memory) {
		n.do(op, mem(from), r)
		n.do(op, r, mem(to))
	}
	for _, size := range []int{4, 8, 16} {
		n.here(labels[size], "that many bytes or more: the first and the last ones, which may overlap")
		for k := 0; k < max(size, 8)/8; k++ {
			op, r := "MOVQ", gp(ax)
			if size == 4 {
				op, r = "MOVL", lowOf(ax)
			}
			word(op, r, from.at(8*k), to.at(8*k))
			word(op, r, from.at(8*k-size).indexed(cx, 1), to.at(8*k-size).indexed(cx, 1))
		}
		if size < 16 {
			n.do("JMP", label(end))
		}
	}
	n.here(end)
}
