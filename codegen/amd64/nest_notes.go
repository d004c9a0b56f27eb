package amd64

import (
	"fmt"
	"strings"
)

// whereabouts says where the function has what: the fields of the frame, general registers, the stack frame.
func (n *nest) whereabouts() []string {
	registers := []string{generalNames[cols] + " columns", generalNames[index] + " the column", n.rows.String() + " rows left"}
	for i, p := range n.pointer {
		if n.member(i).At == 0 {
			registers = append(registers, p.String()+" "+n.operandName(i))
		}
	}
	if n.phase >= 0 && n.b.Reduces() {
		registers = append(registers, generalNames[n.phase]+" which accumulator is first")
	}
	if n.base >= 0 {
		registers = append(registers, generalNames[n.base]+" vectors on the stack")
	}
	notes := []string{
		fmt.Sprintf("frame: rows at %d, columns at %d, pointers from %d, their steps to the next row from %d", frameRows, frameCols, framePtr, frameStep),
		"registers: " + strings.Join(registers, ", "),
	}
	var stack []string
	for _, part := range []struct {
		name     string
		at, size int
	}{
		{"values of the row", n.slots, n.b.Slots}, {"spilled vectors", n.spills, n.b.Spills}, {"vectors of scalar loops", n.scratch, n.b.Scratch},
	} {
		if part.size > 0 {
			stack = append(stack, n.vectorPlace(part.at)+" "+part.name)
		}
	}
	if len(stack) > 0 {
		notes = append(notes, "stack: "+strings.Join(stack, ", "))
	}
	return notes
}

// vectorPlace returns the place of vectors in the stack frame as Go's assembler writes it.
func (n *nest) vectorPlace(offset int) string {
	m := n.onStack(offset, 0)
	if n.base < 0 {
		return place64{reg: -1, disp: int(m.Disp)}.String()
	}
	return fmt.Sprintf("%d(%s)", m.Disp, generalNames[n.base])
}

// operandName returns the name of an operand in the text of the kernel; results have none there.
func (n *nest) operandName(operand int) string {
	in := len(n.b.Graph.Kernel.In)
	switch {
	case operand >= in:
		return "result " + itoa(operand-in)
	case n.splat(operand):
		return "s" + itoa(operand)
	}
	return "u" + itoa(operand)
}

// String returns the place as Go's assembler writes it.
func (p place64) String() string {
	if p.reg >= 0 {
		return generalNames[p.reg]
	}
	return itoa(p.disp) + "(SP)"
}
