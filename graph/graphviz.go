package graph

import "io"

// Picture selects what WriteDOT draws.
type Picture uint8

// The pictures.
const (
	// Values draws the graph as it was built; a box holds the values that one step computes. Edges between steps say
	// how many bytes are stored, and the tooltip says why.
	Values Picture = iota
	// Steps draws the steps, the inputs, the outputs, and what is stored between steps.
	Steps
)

// WriteDOT writes a picture of the program in Graphviz's language (dot -Tsvg makes an image of it): Values, or the
// given picture. With symbolic sizes the picture is for the sizes of the last run, or for example sizes before any run.
// If no example sizes fit, it shows values without boxes and no steps.
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
