package avo

// Interleaved lines of elements of one and two bytes: what fewer shuffles do than the masks of interleave.go.

// oneLine puts the vector of a line of the blocks at an address into the register of unions. Of two or four lines of short
// elements whole vectors are loaded, where a half has whole periods: each half gives one of the pieces of a half of the
// result, which are then put into order.
func (t interleaving) oneLine(p *program, from memory, line int) {
	if t.size >= wordBytes || t.lines == 3 {
		t.loadBlocks(p, from)
		t.line(p, line, union)
		return
	}
	for v := range t.lines {
		var m shuffleMask
		for b := range m {
			m[b] = 0x80
			if piece := blockBytes / t.lines; b/piece == v {
				m[b] = byte(((b%piece)/t.size*t.lines+line)*t.size + b%t.size)
			}
		}
		to := union
		if v > 0 {
			to = shuffled
		}
		p.do("VMOVDQU", mem(from.at(vectorBytes(v))), y(blockVectors+v))
		p.do("VPSHUFB", mem(m.symbol()), y(blockVectors+v), y(to))
		if v > 0 {
			p.do("VPOR", y(shuffled), y(union), y(union))
		}
	}
	p.do("VPERMQ", imm(0xd8), y(union), y(union))
	if t.lines == 4 {
		p.do("VPSHUFD", imm(0xd8), y(union), y(union))
	}
}

// byUnpacking returns for each vector of a block what puts it into a register, of two or four lines of short elements in
// lineVectors: of two, the elements of both by turns; of four, the pairs of the first and the third line by turns with those
// of the others.
func (t interleaving) byUnpacking(p *program) (put []func(to int)) {
	if t.size >= wordBytes || t.lines == 3 {
		return nil
	}
	unpack := func(upper, a, b, to int) {
		name := map[int][2]string{1: {"VPUNPCKLBW", "VPUNPCKHBW"}, 2: {"VPUNPCKLWD", "VPUNPCKHWD"}}[t.size][upper]
		p.do(name, y(b), y(a), y(to))
	}
	a, b := []int{lineVectors}, []int{lineVectors + 1}
	if t.lines == 4 {
		for line := range 2 {
			for upper := range 2 {
				unpack(upper, lineVectors+line, lineVectors+line+2, pairVectors+2*line+upper)
			}
		}
		a, b = []int{pairVectors, pairVectors + 1}, []int{pairVectors + 2, pairVectors + 3}
	}
	for i := range a {
		for upper := range 2 {
			put = append(put, func(to int) { unpack(upper, a[i], b[i], to) })
		}
	}
	return put
}
