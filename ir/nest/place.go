package nest

import "fmt"

// place is what a violation is about: a part of a task.
type place struct {
	task int
	kind string // "slot", "loop" or "call", or "" for the task as a whole
	n    int    // its number in the text of the task
	part int    // the part of the task that has the loop or call
	call *Call
	arg  int // an argument of the call, or -1 for the call as a whole
	loop Loop
	at   int // the number of the loop among those around it
}

// String returns the name of the place in violations and marks.
func (p place) String() string {
	text := fmt.Sprintf("task %d", p.task)
	if p.kind != "" {
		text += fmt.Sprintf(" %s %d", p.kind, p.n)
	}
	if p.kind == "call" && p.arg >= 0 {
		text += fmt.Sprintf(" arg %d", p.arg)
	}
	return text
}

// argument returns the place of an argument of a call.
func (p place) argument(i int) place {
	p.arg = i
	return p
}

// line returns the text of the place in a program.
func (p *Program) line(at place) string {
	t := &p.Tasks[at.task]
	switch at.kind {
	case "slot":
		return fmt.Sprintf("$%d = %s", at.n, t.Slots[at.n])
	case "loop":
		return fmt.Sprintf("part %d, loop %d, %s", at.part, at.at, at.loop)
	case "call":
		text := fmt.Sprintf("part %d: call", at.part)
		if at.call.Kernel != nil {
			text += " " + at.call.Kernel.Signature()
		}
		if at.arg >= 0 {
			text += fmt.Sprintf(": argument %d, %s", at.arg, at.call.Args[at.arg])
		}
		return text
	}
	return fmt.Sprintf("steps=%d..%d", t.First, t.Last)
}
