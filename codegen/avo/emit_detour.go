package avo

// What stands behind the end of a function: the detours.

// seldom tests the condition of 8 elements.
func (n *nest) seldom(i *machineInst) {
	number := len(n.exits)
	n.exits = append(n.exits, i.exit)
	first, last := i.src[0], i.src[len(i.src)-1]
	n.do("VPTEST", y(first.index), y(last.index))
	n.do("JNE", label("detour"+itoa(number)))
	n.here("back" + itoa(number))
}

// layDetours takes the parts of the frame that the detours share: one is
// entered at a time.
func (n *nest) layDetours() {
	places, saved, spills := 0, 0, 0
	for _, e := range n.b.exits() {
		places = max(places, len(e.in)+len(e.z))
		saved = max(saved, len(e.saved))
		spills = max(spills, e.block.spills)
	}
	if places > 0 {
		n.places, n.kept, n.blockSpills = n.local(32*places), n.local(32*saved), n.local(32*spills)
		n.back = n.local(8)
	}
}

// detours writes the stubs and the blocks.
func (n *nest) detours() {
	seen := map[*block]bool{}
	for _, e := range n.exits {
		if !seen[e.block] {
			seen[e.block] = true
			n.block(e.block)
		}
	}
}

// block writes a block between the two halves of its stubs.
func (n *nest) block(b *block) {
	var users []int
	for i, e := range n.exits {
		if e.block == b {
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
	n.spills, n.slots = n.blockSpills, n.places
	n.insts(b.insts)
	n.spills, n.slots = spills, slots
	for _, i := range users[1:] {
		n.do("CMPQ", mem(stack(n.back)), imm(int64(i)))
		n.do("JEQ", label("resume"+itoa(i)))
	}
	for _, i := range users {
		n.resume(n.exits[i], i)
	}
}

// enter saves what the main path has in registers and brings the sources.
func (n *nest) enter(e *exit, number int) {
	n.here("detour" + itoa(number))
	for j, r := range e.saved {
		n.do("VMOVUPS", y(r), mem(stack(n.kept+32*j)))
	}
	for j, from := range e.from {
		if from.space == inRegister {
			n.do("VMOVUPS", y(from.index), mem(stack(n.places+32*j)))
		}
	}
	for j, from := range e.from {
		if from.space != inRegister {
			n.vector(0, from)
			n.do("VMOVUPS", y(0), mem(stack(n.places+32*j)))
		}
	}
	n.do("MOVQ", imm32(int64(number)), mem(stack(n.back)))
}

// resume restores the registers and goes back with the results.
func (n *nest) resume(e *exit, number int) {
	n.here("resume" + itoa(number))
	for j, r := range e.saved {
		n.do("VMOVUPS", mem(stack(n.kept+32*j)), y(r))
	}
	for j, r := range e.to {
		n.do("VMOVUPS", mem(stack(n.places+32*(len(e.in)+j))), y(r))
	}
	n.do("JMP", label("back"+itoa(number)))
}

// exits lists the stubs of the loops.
func (b *body) exits() []*exit {
	var out []*exit
	for _, list := range [][]machineInst{b.main, b.tail} {
		for _, i := range list {
			if i.exit != nil {
				out = append(out, i.exit)
			}
		}
	}
	return out
}
