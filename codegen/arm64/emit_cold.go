package arm64

import "github.com/stridefuse/stridefuse/codegen/vector"

// Cold blocks follow the RET of a function; all copies of the body share each block. An exit of the main path to a block has three parts:
//
//	test   jumps to enter if the condition holds for an element; after is behind the jump
//	enter  saves the registers, stores the inputs of the block and jumps to it
//	leave  restores the registers, loads the results and jumps back to after
//
// The block ends with a jump to the leave part of the exit that it was entered from.

// testCold writes the test of a condition: a vector, or two that share a bit where it holds.
func (n *nest) testCold(i *vector.Inst) {
	number := len(n.exits)
	n.exits = append(n.exits, i.Exit)
	from := v(i.Src[0].Index)
	if len(i.Src) == 2 {
		n.do("AND.16B", v(scratchV), from, v(i.Src[1].Index))
		from = v(scratchV)
	}
	n.do("UMAXP.4S", v(scratchV), from, from)
	n.do("FMOV.XD", x(t0), v(scratchV))
	n.do("CBNZ", x(t0), label("enter"+itoa(number)))
	n.here("after" + itoa(number))
}

// reserveColdBlocks reserves the parts of the stack frame that all cold blocks share: only one runs at a time.
func (n *nest) reserveColdBlocks() {
	inputs, saved, spills := 0, 0, 0
	for _, e := range n.b.Exits() {
		inputs = max(inputs, len(e.In)+len(e.Z))
		saved = max(saved, len(e.Saved))
		spills = max(spills, e.Block.Spills)
	}
	if inputs > 0 {
		n.inputs, n.kept, n.coldSpills = n.vectors(inputs), n.vectors(saved), n.vectors(spills)
		n.exit = n.local(8)
	}
}

// coldBlocks writes the blocks and their exits.
func (n *nest) coldBlocks() {
	seen := map[*vector.ColdBlock]bool{}
	for _, e := range n.exits {
		if !seen[e.Block] {
			seen[e.Block] = true
			n.coldBlock(e.Block)
		}
	}
}

// coldBlock writes a block, before it the enter parts of its exits and after it their leave parts.
func (n *nest) coldBlock(b *vector.ColdBlock) {
	var users []int
	for i, e := range n.exits {
		if e.Block == b {
			users = append(users, i)
		}
	}
	start := n.fresh("cold")
	for j, i := range users {
		n.enter(n.exits[i], i)
		if j < len(users)-1 {
			n.do("B", label(start))
		}
	}
	n.here(start)
	spills, slots := n.spills, n.slots
	n.spills, n.slots = n.coldSpills, n.inputs
	n.insts(b.Insts)
	n.spills, n.slots = spills, slots
	n.do("LDR", x(t0), mem(n.exit))
	for _, i := range users[1:] {
		n.do("CMP", x(t0), imm(i))
		n.do("BEQ", label("leave"+itoa(i)))
	}
	for _, i := range users {
		n.leave(n.exits[i], i)
	}
}

// enter writes the enter part of an exit.
func (n *nest) enter(e *vector.Exit, number int) {
	n.here("enter" + itoa(number))
	for j, reg := range e.Saved {
		n.do("STR.Q", v(reg), mem(vectorOf(n.kept, j)))
	}
	for j, from := range e.From {
		reg := from.Index
		if from.Space != vector.InRegister {
			reg = scratchV
			n.load(reg, from)
		}
		n.do("STR.Q", v(reg), mem(vectorOf(n.inputs, j)))
	}
	n.set(t0, number)
	n.do("STR", x(t0), mem(n.exit))
}

// leave writes the leave part of an exit.
func (n *nest) leave(e *vector.Exit, number int) {
	n.here("leave" + itoa(number))
	for j, reg := range e.Saved {
		n.do("LDR.Q", v(reg), mem(vectorOf(n.kept, j)))
	}
	for j, reg := range e.To {
		n.do("LDR.Q", v(reg), mem(vectorOf(n.inputs, len(e.In)+j)))
	}
	n.do("B", label("after"+itoa(number)))
}
