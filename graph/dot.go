package graph

import "io"

// Picture says what WriteDOT draws.
type Picture uint8

// The pictures.
const (
	// Values draws the graph as it was built, with the values that one step computes in a
	// box. Edges between steps say how many bytes are stored, and have the reason as tooltip.
	Values Picture = iota
	// Steps draws the steps, the inputs, the outputs, and what is stored between steps.
	Steps
)

// WriteDOT writes a picture of the program in the language of Graphviz, Values unless
// another is given: dot -Tsvg makes an image of it. With symbolic sizes it is for those of
// the last run, and before any run for example sizes; if there are none, the values are in
// no boxes, and there are no steps.
func (p *Program) WriteDOT(w io.Writer, picture ...Picture) error {
	what := Values
	switch {
	case p.empty():
		return misuse("writedot", noProgram)
	case w == nil:
		return misuse("writedot", "the writer is nil")
	case len(picture) > 1:
		return misuse("writedot", "%d pictures: write one at a time", len(picture))
	case len(picture) == 1:
		what = picture[0]
	}
	if what > Steps {
		return misuse("writedot", "there is no picture %d: it is Values or Steps", what)
	}
	x, err := p.inspect()
	if err != nil {
		return err
	}
	if what == Steps {
		return x.stepPicture().WriteDOT(w)
	}
	return x.valuePicture().WriteDOT(w)
}
