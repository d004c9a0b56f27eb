package plan

import "fmt"

// place is what a violation is about: a part of a plan.
type place struct {
	kind string // "buffer", "step", "rows" or "arena"
	n    int    // its number
	part string // of a step: "in" or "out", or "" for the step as a whole
	k    int    // the number of that input or output
}

var arenaPlace = place{kind: "arena"}

func buffer(i int) place        { return place{kind: "buffer", n: i} }
func step(i int) place          { return place{kind: "step", n: i} }
func rowGroup(k int) place      { return place{kind: "rows", n: k} }
func (p place) in(k int) place  { return place{p.kind, p.n, "in", k} }
func (p place) out(k int) place { return place{p.kind, p.n, "out", k} }

// String returns the name of the place in violations and marks.
func (p place) String() string {
	text := fmt.Sprintf("%s %d", p.kind, p.n)
	if p.part != "" {
		text += fmt.Sprintf(" %s %d", p.part, p.k)
	}
	return text
}

// line returns the text of the place in a plan.
func (v *planVerifier) line(p place) string {
	switch p.kind {
	case "buffer":
		return v.p.bufferLine(p.n)
	case "step":
		return v.p.stepLine(p.n)
	case "rows":
		return v.p.Rows[p.n].String()
	}
	return fmt.Sprintf("arena=%d", v.p.Arena)
}
