package amd64

// vectorArea is the part of the stack frame that holds vectors. Go aligns SP to 8 bytes. A vector at such an address may lie in two
// cache lines, and then takes twice as long to load: the Black-Scholes formula, with 125 accesses to the stack in an iteration of three
// vectors, takes 190 µs for 65,536 elements if SP is not at a multiple of 32, and 157 if it is (Zen 3). So a general register holds the
// first aligned address of the area.
type vectorArea struct {
	area int // bytes of the vectors
	disp int // offset of the area in the stack frame
	base int // the register, or -1: if none is free, addresses are relative to SP
}

// vectors reserves places for vectors, and returns their offset in the area.
func (n *nest) vectors(count int) int {
	n.area += n.m.Width * count
	return n.area - n.m.Width*count
}

// placeVectors puts the area into the stack frame when all its vectors are reserved. free returns a register for its address, or -1.
func (n *nest) placeVectors(free func() int) {
	if n.base = -1; n.area == 0 {
		return
	}
	n.base = free()
	n.disp = n.local(n.area)
	if n.base >= 0 {
		n.local(n.m.Width - 8) // that the first aligned address is past SP
	}
}

// alignVectors loads the address of the area.
func (n *nest) alignVectors() {
	if n.base >= 0 {
		n.do("LEAQ", mem(stack(n.disp+n.m.Width-8)), gp(n.base))
		n.do("ANDQ", imm32(int64(-n.m.Width)), gp(n.base))
	}
}

// onStack returns the address of vector i of those that begin at an offset in the area.
func (n *nest) onStack(offset, i int) Memory {
	if offset += n.m.Width * i; n.base < 0 {
		return stack(n.disp + offset)
	}
	return at(n.base, offset)
}
