package amd64

import "github.com/stridefuse/stridefuse/ir/kernel"

// Transposes of two to four rows or columns. If these are interleaved in the input or the output, whole vectors are
// deinterleaved or interleaved: see interleave.go.

// few jumps to the loop that deinterleaves or interleaves a few lines, if there is one for the block.
func (t *transposer) few() {
	for lines := 2; lines <= kernel.MaxFactor; lines++ {
		dense := int64(lines * t.size)
		t.jump(partLabel("apart", lines, 1), equal{transposeRows, int64(lines)}, equal{t.from.step, dense}, equal{dx, int64(t.size)})
		skip := t.fresh("not")
		t.do("CMPQ", gp(transposeCols), imm(int64(lines)))
		t.do("JNE", label(skip))
		for across := 1; across <= kernel.MaxFactor; across++ {
			t.jump(partLabel("together", lines, across), equal{t.to.step, dense}, equal{dx, int64(across * t.size)})
		}
		t.here(skip)
	}
}

// partLabel names the loop for a number of lines, whose elements are across elements apart.
func partLabel(name string, lines, across int) string {
	return name + itoa(lines) + "by" + itoa(across)
}

// equal is the condition that a register holds a value.
type equal struct {
	reg   int
	value int64
}

// jump writes a jump if all conditions hold.
func (t *transposer) jump(to string, all ...equal) {
	skip := t.fresh("not")
	for i, c := range all {
		t.do("CMPQ", gp(c.reg), imm(c.value))
		if i == len(all)-1 {
			t.do("JEQ", label(to))
		} else {
			t.do("JNE", label(skip))
		}
	}
	t.here(skip)
}

// deinterleave writes the loops for rows of the output that are interleaved in the input. One stores a cache line of each row,
// the other a vector: if rows alternated vector by vector, each line of the cache would be written twice. The columns that are
// left are copied one by one. Xeon (Emerald Rapids), 230,400 pixels of three bytes: 0.7 of the time of vectors alone.
func (t *transposer) deinterleave(by interleave) {
	name := partLabel("apart", by.factor, 1)
	t.here(name)
	t.whileLeft(name+"Lines", name+"Rest", transposeCols, 2*vectorBytes(1)/by.size, 0, func() {
		by.loadBlocks(&t.Program, at(transposeFrom, 0))
		for line, put := range by.membersOf(&t.Program) {
			put(memberVectors + line)
		}
		by.loadBlocks(&t.Program, at(transposeFrom, vectorBytes(by.factor)))
		for line, put := range by.membersOf(&t.Program) {
			put(union)
			to := t.lineOf(transposeTo, t.to, line)
			t.do("VMOVDQU", y(memberVectors+line), mem(to))
			t.do("VMOVDQU", y(union), mem(to.at(vectorBytes(1))))
		}
		t.do("ADDQ", imm32(int64(vectorBytes(2*by.factor))), gp(transposeFrom))
		t.do("ADDQ", imm(int64(vectorBytes(2))), gp(transposeTo))
	})
	t.vectors(name+"Rest", transposeCols, by.size, 0, func() {
		by.loadBlocks(&t.Program, at(transposeFrom, 0))
		for line, put := range by.membersOf(&t.Program) {
			put(union)
			t.do("VMOVDQU", y(union), mem(t.lineOf(transposeTo, t.to, line)))
		}
		t.do("ADDQ", imm32(int64(vectorBytes(by.factor))), gp(transposeFrom))
		t.do("ADDQ", imm(int64(vectorBytes(1))), gp(transposeTo))
	})
}

// interleave writes the loop for columns of the output, which are interleaved there. In the input the elements of a line are
// across elements apart. If they are not adjacent, whole vectors are loaded while another element follows.
func (t *transposer) interleave(by interleave, across int) {
	t.vectors(partLabel("together", by.factor, across), transposeRows, by.size, min(1, across-1), func() {
		for line := range by.factor {
			from, group := t.lineOf(transposeFrom, t.from, line), interleave{by.size, across}
			if across == 1 {
				t.do("VMOVDQU", mem(from), y(memberVectors+line))
				continue
			}
			group.loadBlocks(&t.Program, from)
			group.member(&t.Program, 0, memberVectors+line)
		}
		by.storeBlocks(&t.Program, at(transposeTo, 0))
		t.do("ADDQ", imm32(int64(vectorBytes(across))), gp(transposeFrom))
		t.do("ADDQ", imm32(int64(vectorBytes(by.factor))), gp(transposeTo))
	})
}

// vectors writes a loop over vectors, which ends when fewer elements are left than a vector plus behind. Those are copied one
// by one.
func (t *transposer) vectors(name string, left, size, behind int, body func()) {
	t.here(name)
	t.whileLeft(name+"Vector", name+"End", left, vectorBytes(1)/size, behind, body)
	t.here(name + "End")
	t.do("TESTQ", gp(left), gp(left))
	t.do("JNE", label("elements"))
	t.do("JMP", label("done"))
}

// whileLeft writes a loop over n elements at a time. When fewer than n plus behind elements are left, it jumps to end or
// continues behind the loop.
func (t *transposer) whileLeft(name, end string, left, n, behind int, body func()) {
	t.do("CMPQ", gp(left), imm(int64(n+behind)))
	t.do("JLT", label(end))
	t.do("PCALIGN", imm(32))
	t.here(name)
	body()
	t.do("SUBQ", imm(int64(n)), gp(left))
	t.do("CMPQ", gp(left), imm(int64(n+behind)))
	t.do("JGE", label(name))
}

// lineOf returns the address of line 0 to 3, counted from the address in register from.
func (t *transposer) lineOf(from int, m tileMem, line int) Memory {
	switch line {
	case 0:
		return at(from, 0)
	case 3:
		return at(from, 0).indexed(m.three, 1)
	}
	return at(from, 0).indexed(m.step, line)
}
