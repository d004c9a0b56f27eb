package graph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// CompileText makes the program of a graph's text, as Dump writes it at the stage "graph": to
// run in one process what another has compiled. It computes the same bits.
//
// The parameters of the text are the program's inputs, in their order; what the program that
// wrote it captured by Const and Variable is among them, behind its inputs. Its outputs are
// named out0, out1, ... Options are those of Compile; WithInputs and WithoutBroadcast have no
// meaning for text. An error of the text names its line.
//
// The text may come from a stranger: what it computes is checked, and no run of it reads or
// writes other memory than its own. It can be large or slow. A run that is given more memory
// than there is returns an error; give it a context with a deadline.
func CompileText(text string, options ...Option) (*Program, error) {
	f, err := ir.Parse(text)
	if err == nil {
		err = ir.Verify(f, ir.StageGraph)
	}
	if err != nil {
		return nil, misuse("compile: the text of the graph: %w", err)
	}
	s := settings{name: cmp.Or(f.Name, defaultName), fast: f.Fast}
	for _, o := range options {
		if o == nil {
			return nil, misuse("compile: an option is nil")
		}
		o(&s)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	f.Name, f.Fast = s.name, s.fast
	p := &Program{fn: f}
	for _, in := range f.Params {
		attr := *in.Attr
		attr.At, in.Attr = nil, &attr // where the elements are is the tensors' at each run
		p.inputs = append(p.inputs, portOf(in.Name, in))
		p.addSizes(in.Type.Shape)
	}
	for i, r := range f.Results {
		p.outputs = append(p.outputs, portOf(fmt.Sprintf("out%d", i), r))
	}
	p.options.Frozen = make([]bool, len(p.inputs))
	if err := p.compileWith(&s); err != nil {
		return nil, err
	}
	return p, nil
}

func portOf(name string, v *ir.Value) Port {
	return Port{Name: name, DType: v.Type.DType, Shape: v.Type.Shape, Pos: v.Pos}
}

// addSizes notes the names that an input's extents tell the sizes of.
func (p *Program) addSizes(shape Shape) {
	for _, d := range shape {
		if name, _, _, ok := d.Linear(); ok && !slices.Contains(p.sizes, name) {
			p.sizes = append(p.sizes, name)
		}
	}
}
