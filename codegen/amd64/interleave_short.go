package amd64

// Interleave groups of elements of one and two bytes: fewer shuffles than by the masks of interleave.go.

// oneMember puts the vector of a member of the blocks at an address into the register of unions. If the factor is two or four,
// halves of vectors have whole periods: whole vectors are loaded, and each half gives one piece of a half of the result. A
// permutation then puts the pieces in order.
func (t interleave) oneMember(p *Program, from Memory, member int) {
	if t.size >= wordBytes || t.factor == 3 {
		t.loadBlocks(p, from)
		t.member(p, member, union)
		return
	}
	for v := range t.factor {
		var m shuffleMask
		for b := range m {
			m[b] = 0x80
			if piece := blockBytes / t.factor; b/piece == v {
				m[b] = byte(((b%piece)/t.size*t.factor+member)*t.size + b%t.size)
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
	if t.factor == 4 {
		p.do("VPSHUFD", imm(0xd8), y(union), y(union))
	}
}

// byUnpacking returns for each vector of a block what puts it into a register, from two or four members of short elements in
// memberVectors: of two, the elements of both by turns; of four, the pairs of the first and the third member by turns with
// those of the others.
func (t interleave) byUnpacking(p *Program) (put []func(to int)) {
	if t.size >= wordBytes || t.factor == 3 {
		return nil
	}
	unpack := func(upper, a, b, to int) {
		name := map[int][2]string{1: {"VPUNPCKLBW", "VPUNPCKHBW"}, 2: {"VPUNPCKLWD", "VPUNPCKHWD"}}[t.size][upper]
		p.do(name, y(b), y(a), y(to))
	}
	a, b := []int{memberVectors}, []int{memberVectors + 1}
	if t.factor == 4 {
		for member := range 2 {
			for upper := range 2 {
				unpack(upper, memberVectors+member, memberVectors+member+2, pairVectors+2*member+upper)
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
