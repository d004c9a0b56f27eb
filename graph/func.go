package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Programs as functions of package ir. They have a text, so a program can be divided, stored, or sent to another
// machine.

// Func returns a copy of the function that the program computes, with symbolic sizes. Its parameters are the inputs of
// the program and then the captured tensors, which Func also returns.
func (p *Program) Func() (*ir.Func, []*Tensor) {
	if p.empty() {
		return nil, nil
	}
	return p.compiled.Func.Clone(), slices.Clone(p.compiled.Captured)
}

// CompileFunc makes the program that computes a function, for example one from Program.Func or ir.Parse. Each parameter
// is an input; outputs without a name are called out0, out1 and so on. The function is verified first, so its text may come from
// an untrusted source. The options WithInputs and WithName have no effect.
//
// With WithConstants the program is the one that a dump is of: its parameters const0, const1 and so on are constants.
func CompileFunc(f *ir.Func, options ...Option) (*Program, error) {
	if err := ir.Verify(f, ir.StageGraph); err != nil {
		return nil, misuse("compile", "%v", err)
	}
	s := settings{}
	for _, o := range options {
		if o == nil {
			return nil, misuse("compile", "an option is nil")
		}
		o.addTo(&s)
	}
	s.name, s.outputs, s.names = f.Name, make([]Node, len(f.Results)), f.Outputs
	if err := s.check(); err != nil {
		return nil, err
	}
	names, err := s.outputNames()
	if err != nil {
		return nil, err
	}
	var sizes []string
	for _, in := range f.Params {
		for _, d := range in.Type.Shape {
			if name, _, _, ok := d.Linear(); ok && !slices.Contains(sizes, name) {
				sizes = append(sizes, name)
			}
		}
	}
	fn := f.Clone()
	captured, err := s.capture(fn)
	if err != nil {
		return nil, err
	}
	for _, in := range fn.Params { // an input has the layout of the given tensor
		in.Attr = &ir.Attr{Shape: in.Type.Shape, DType: in.Type.DType, Note: in.Name()}
	}
	p := newProgram(&s)
	for _, in := range fn.Params[:len(fn.Params)-len(captured)] {
		p.inputs = append(p.inputs, Port{Name: in.Name(), DType: in.Type.DType, Shape: in.Type.Shape, Pos: in.Pos})
	}
	for i, out := range f.Results {
		p.outputs = append(p.outputs, Port{Name: names[i], DType: out.Type.DType, Shape: out.Type.Shape, Pos: out.Pos})
	}
	frozen := append(make([]bool, len(p.inputs)), slices.Repeat([]bool{true}, len(captured))...)
	if err := p.finish(&s, fn, captured, frozen, sizes); err != nil {
		return nil, err
	}
	return p, nil
}

// WithConstants makes CompileFunc capture parameters as Const does, by their names. It has no effect on Compile.
func WithConstants(tensors map[string]*Tensor) Option {
	return func(s *settings) { s.constants = tensors }
}

// capture puts the parameters that are constants behind the others, and returns their tensors.
func (s *settings) capture(f *ir.Func) (captured []*Tensor, err error) {
	var inputs, constants []*ir.Value
	for _, in := range f.Params {
		t, ok := s.constants[in.Name()]
		if !ok {
			inputs = append(inputs, in)
			continue
		}
		if t == nil || !t.Valid() || !in.Type.Equal(ir.Type{DType: t.DType(), Shape: ir.ShapeOf(t.Shape()...)}) {
			return nil, misuse("compile", "the constant %s is %s, and the parameter %s", in.Name(), t, in.Type)
		}
		constants, captured = append(constants, in), append(captured, t)
	}
	if len(captured) < len(s.constants) {
		return nil, misuse("compile", "the function has %d of %d constants as parameters", len(captured), len(s.constants))
	}
	f.Params = append(inputs, constants...)
	return captured, nil
}

// Temporaries returns how many bytes the last run (or a run for the example sizes) stored between its loops, without
// inputs and outputs.
func (p *Program) Temporaries() int {
	if b := p.latest(); b != nil {
		return b.Linked.Arena()
	}
	return 0
}
