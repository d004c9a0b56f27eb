package amd64

import "github.com/stridefuse/stridefuse/codegen/vector"

// Cold blocks follow the RET of a function; all copies of the body share each block. An exit
// of the main path to a block has three parts:
//
//	test   jumps to enter if the condition holds for an element; after is behind the jump
//	enter  saves the registers, stores the inputs of the block and jumps to it
//	leave  restores the registers, loads the results and jumps back to after
//
// The block ends with a jump to the leave part of the exit that it was entered from.

// testCold writes the test of a condition, which is the instruction of an exit. name is an instruction that tests whether
// two values have a bit in common.
func (n *nest) testCold(i *vector.Inst, name string) {
	number := len(n.exits)
	n.exits = append(n.exits, i.Exit)
	first, last := i.Src[0], i.Src[len(i.Src)-1]
	n.do(name, n.reg(first.Index), n.reg(last.Index))
	n.do("JNE", label("enter"+itoa(number)))
	n.here("after"+itoa(number), "behind the test for rare elements")
}

// testVectors tests vectors: see testCold.
func (n *nest) testVectors(i *vector.Inst) { n.testCold(i, "VPTEST") }

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

// coldBlock writes a block, before it the enter parts of its exits and after it their leave
// parts.
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
			n.do("JMP", label(start))
		}
	}
	n.here(start, "rare elements, whose result replaces that of the loop")
	spills, slots := n.spills, n.slots
	n.spills, n.slots = n.coldSpills, n.inputs
	n.insts(b.Insts)
	n.spills, n.slots = spills, slots
	for _, i := range users[1:] {
		n.do("CMPQ", mem(stack(n.exit)), imm(int64(i)))
		n.do("JEQ", label("leave"+itoa(i)))
	}
	for _, i := range users {
		n.leave(n.exits[i], i)
	}
}

// enter writes the enter part of an exit.
func (n *nest) enter(e *vector.Exit, number int) {
	n.here("enter"+itoa(number), "saves registers for the rare elements of one test")
	for j, r := range e.Saved {
		n.save(r, n.onStack(n.kept, j))
	}
	for j, from := range e.From {
		if from.Space == vector.InRegister {
			n.save(from.Index, n.onStack(n.inputs, j))
		}
	}
	for j, from := range e.From {
		if from.Space != vector.InRegister {
			n.vector(0, from)
			n.save(0, n.onStack(n.inputs, j))
		}
	}
	n.do("MOVQ", imm32(int64(number)), mem(stack(n.exit)))
}

// leave writes the leave part of an exit.
func (n *nest) leave(e *vector.Exit, number int) {
	n.here("leave"+itoa(number), "restores them")
	for j, r := range e.Saved {
		n.load(n.onStack(n.kept, j), r)
	}
	for j, r := range e.To {
		n.load(n.onStack(n.inputs, len(e.In)+j), r)
	}
	n.do("JMP", label("after"+itoa(number)))
}
