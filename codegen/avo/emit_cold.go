package avo

import "github.com/stridefuse/stridefuse/codegen/machine"

// A cold block is emitted once, after the RET of a function. Every exit jumps to it. The
// code of an exit before the block saves the registers and stores the inputs; the code
// after it restores the registers and loads the results.

// testCold tests the condition of a step.
func (n *nest) testCold(i *machine.Inst) {
	number := len(n.exits)
	n.exits = append(n.exits, i.Exit)
	first, last := i.Src[0], i.Src[len(i.Src)-1]
	n.do("VPTEST", y(first.Index), y(last.Index))
	n.do("JNE", label("detour"+itoa(number)))
	n.here("back" + itoa(number))
}

// layColdBlocks takes the parts of the frame that cold blocks share: one runs at a
// time.
func (n *nest) layColdBlocks() {
	inputs, saved, spills := 0, 0, 0
	for _, e := range n.b.Exits() {
		inputs = max(inputs, len(e.In)+len(e.Z))
		saved = max(saved, len(e.Saved))
		spills = max(spills, e.Block.Spills)
	}
	if inputs > 0 {
		n.inputs, n.kept, n.coldSpills = n.vectors(inputs), n.vectors(saved), n.vectors(spills)
		n.resumes = n.local(8)
	}
}

// coldBlocks writes the blocks and their exits.
func (n *nest) coldBlocks() {
	seen := map[*machine.ColdBlock]bool{}
	for _, e := range n.exits {
		if !seen[e.Block] {
			seen[e.Block] = true
			n.coldBlock(e.Block)
		}
	}
}

// coldBlock writes a block between the two halves of its exits.
func (n *nest) coldBlock(b *machine.ColdBlock) {
	var users []int
	for i, e := range n.exits {
		if e.Block == b {
			users = append(users, i)
		}
	}
	start := n.fresh("seldom")
	for j, i := range users {
		n.enter(n.exits[i], i)
		if j < len(users)-1 {
			n.do("JMP", label(start))
		}
	}
	n.here(start)
	spills, slots := n.spills, n.slots
	n.spills, n.slots = n.coldSpills, n.inputs
	n.insts(b.Insts)
	n.spills, n.slots = spills, slots
	for _, i := range users[1:] {
		n.do("CMPQ", mem(stack(n.resumes)), imm(int64(i)))
		n.do("JEQ", label("resume"+itoa(i)))
	}
	for _, i := range users {
		n.resume(n.exits[i], i)
	}
}

// enter saves the registers of the main path and stores the inputs.
func (n *nest) enter(e *machine.Exit, number int) {
	n.here("detour" + itoa(number))
	for j, r := range e.Saved {
		n.do("VMOVUPS", y(r), mem(n.onStack(n.kept, j)))
	}
	for j, from := range e.From {
		if from.Space == machine.InRegister {
			n.do("VMOVUPS", y(from.Index), mem(n.onStack(n.inputs, j)))
		}
	}
	for j, from := range e.From {
		if from.Space != machine.InRegister {
			n.vector(0, from)
			n.do("VMOVUPS", y(0), mem(n.onStack(n.inputs, j)))
		}
	}
	n.do("MOVQ", imm32(int64(number)), mem(stack(n.resumes)))
}

// resume restores the registers and returns with the results.
func (n *nest) resume(e *machine.Exit, number int) {
	n.here("resume" + itoa(number))
	for j, r := range e.Saved {
		n.do("VMOVUPS", mem(n.onStack(n.kept, j)), y(r))
	}
	for j, r := range e.To {
		n.do("VMOVUPS", mem(n.onStack(n.inputs, len(e.In)+j)), y(r))
	}
	n.do("JMP", label("back"+itoa(number)))
}
