package graph

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Program computes the outputs of a graph from its inputs. It is immutable: any number of goroutines may run it at
// once.
//
// Inputs are given in order of creation, in the order of WithInputs, or by name to RunNamed. They may be views of any
// layout. They are only read, unless an output shares memory with them: see RunInto.
type Program struct {
	name      string
	inputs    []Port
	outputs   []Port
	compiled  *program.Program
	zeros     []zero
	hidden    bool  // hidden from dumps
	generated bool  // each loop must be a generated kernel
	traps     Debug // the checks of NonFinite and DivisionByZero
	nonFinite search
	divisions search
}

// zero is a gradient that is zero everywhere, for Explain.
type zero struct {
	text string
	pos  Pos
}

// Port describes an input or output of a program.
type Port struct {
	Name  string // name; an output without its own is out0, out1, ...
	DType DType
	Shape Shape
	Axes  []string // names of the axes, nil if none has one
	Pos   Pos      // where the Node was made
}

func newPort(name string, n *node) Port {
	return Port{Name: name, DType: n.typ.DType, Shape: n.typ.Shape, Axes: n.names, Pos: n.value().pos}
}

func (p Port) typeText() string { return specText(ir.Type{DType: p.DType, Shape: p.Shape}, p.Axes) }

// String returns name and type: "x float32[n,3]".
func (p Port) String() string {
	return p.Name + " " + p.typeText()
}

// empty reports whether there is no program: p is nil, as after an error of Compile, or zero.
func (p *Program) empty() bool { return p == nil || p.compiled == nil }

const noProgram = "there is no program: Compile makes one, or returns why not"

// Inputs describes what Run takes, in order.
func (p *Program) Inputs() []Port {
	if p.empty() {
		return nil
	}
	return clonePorts(p.inputs)
}

// Outputs describes what Run returns, in order.
func (p *Program) Outputs() []Port {
	if p.empty() {
		return nil
	}
	return clonePorts(p.outputs)
}

// OutputShapes returns the shapes of the outputs for inputs of these shapes: those of the tensors that RunInto takes. It runs
// nothing and reads no element. Inputs that do not fit are an error, as in Run.
func (p *Program) OutputShapes(ins ...*Tensor) ([][]int, error) {
	if p.empty() {
		return nil, misuse("run", noProgram)
	}
	sizes, err := p.checkIns(ins)
	if err != nil {
		return nil, err
	}
	shapes := make([][]int, len(p.outputs))
	for i, out := range p.outputs {
		bound, err := out.Shape.Bind(sizes)
		if err != nil {
			return nil, p.misuse("run", "%s: %v", out.Name, err)
		}
		shapes[i], _ = bound.Ints()
	}
	return shapes, nil
}

// clonePorts copies ports and what they refer to, so that callers cannot change the program.
func clonePorts(ports []Port) []Port {
	out := slices.Clone(ports)
	for i := range out {
		out[i].Shape, out[i].Axes = slices.Clone(out[i].Shape), slices.Clone(out[i].Axes)
	}
	return out
}

// Run computes the output of a program that has one output, into memory that nothing else refers to. A caller that is
// done with the output may call Tensor.Release, and the next run that needs as much memory has no need to allocate.
func (p *Program) Run(ctx context.Context, ins ...*Tensor) (*Tensor, error) {
	if !p.empty() && len(p.outputs) != 1 {
		return nil, p.misuse("run", "the program has %d outputs: call RunAll", len(p.outputs))
	}
	var outs [1]*Tensor
	if err := p.runNew(ctx, outs[:], ins); err != nil {
		return nil, err
	}
	return outs[0], nil
}

// RunAll computes all outputs, each into its own row-major memory, as Run does.
func (p *Program) RunAll(ctx context.Context, ins ...*Tensor) ([]*Tensor, error) {
	if p.empty() {
		return nil, misuse("run", noProgram)
	}
	outs := make([]*Tensor, len(p.outputs))
	if err := p.runNew(ctx, outs, ins); err != nil {
		return nil, err
	}
	return outs, nil
}

// KeptBytes returns the bytes of released results that wait for later runs. Blocks that no run needs for a second are
// given to the garbage collector, and at most an eighth of the memory that the process may have is kept: the least of
// the machine's memory, the limits of its control groups and GOMEMLIMIT.
func KeptBytes() int64 { return runtime.KeptBytes() }

// runNew allocates outs, one tensor for each output, and computes them. It allocates nothing else.
func (p *Program) runNew(ctx context.Context, outs, ins []*Tensor) error {
	_, err := p.run(ctx, outs, ins, true)
	if err != nil {
		err = p.outside(ctx, err, ins, nil)
	}
	return err
}

// RunInto computes the outputs into given row-major tensors of the outputs' types and shapes, which OutputShapes tells.
// After the first run for some sizes it allocates nothing. If it returns an error, the elements of outs are not specified.
//
// An output may share memory with inputs. If it has exactly the memory of one row-major input, and each element of the
// input is read before the output is stored there, the output is computed in place, as in elementwise programs such as
// y = y + c*x. Explain names such inputs. Any other overlapping output is computed elsewhere and copied. A run that
// fails or is cancelled may have overwritten an input that is also an output: keep a copy of data that must survive.
func (p *Program) RunInto(ctx context.Context, outs []*Tensor, ins ...*Tensor) error {
	b, err := p.run(ctx, outs, ins, false)
	if err != nil && b != nil {
		if bad := p.checkOuts(b, outs); bad != nil {
			return bad
		}
	}
	if err != nil {
		err = p.outside(ctx, err, ins, overwritten(outs, ins))
	}
	return err
}

// overwritten returns the numbers of the ins that may share memory with an out.
func overwritten(outs, ins []*Tensor) (list []int) {
	for i, in := range ins {
		if slices.ContainsFunc(outs, func(out *Tensor) bool { return tensor.Overlaps(out, in) }) {
			list = append(list, i)
		}
	}
	return list
}

// run computes the outputs into given tensors or, if fresh, into new ones. It returns the binding that ran.
func (p *Program) run(ctx context.Context, outs, ins []*Tensor, fresh bool) (*program.Binding, error) {
	if ctx == nil {
		return nil, p.misuse("run", "the context is nil: give it context.Background()")
	}
	if err := runtime.ContextError(ctx); err != nil {
		return nil, p.atCaller(err)
	}
	if !p.empty() && p.traps == 0 {
		if b := p.compiled.Last(); b != nil {
			if taken, err := b.Linked.RunTaken(ctx, outs, ins, fresh); taken {
				return b, p.atCaller(err)
			}
		}
	}
	b, err := p.bind(ctx, ins)
	if err == nil && p.traps != 0 {
		b, err = p.trapped(ctx, ins)
	}
	if err != nil {
		return nil, err
	}
	if fresh {
		return b, p.atCaller(b.Linked.RunNew(ctx, outs, ins))
	}
	return b, p.atCaller(b.Linked.Run(ctx, outs, ins))
}

// atCaller adds the line of the user's call to an error that has none: of the executor, or of a context.
func (p *Program) atCaller(err error) error {
	if err == nil {
		return nil
	}
	var e *Error // allocated here: a run without an error allocates nothing
	switch {
	case !errors.As(err, &e):
		return ir.ErrorOf(ir.CallerPos(), p.called("run"), err)
	case e.Pos == (Pos{}):
		at := *e
		at.Pos = ir.CallerPos()
		return &at
	}
	return err
}

// check runs the checks of WithDebug that a run begins with.
func (p *Program) check(ctx context.Context, ins []*Tensor) error {
	if p.traps.has(NonFinite) {
		if err := p.FindNonFinite(ctx, ins...); err != nil {
			return err
		}
	}
	if p.traps.has(DivisionByZero) {
		return p.FindDivisionByZero(ctx, ins...)
	}
	return nil
}

// trapped returns the binding for a run after check has passed. It binds the inputs again, because
// the context is the user's code and may have changed the list.
func (p *Program) trapped(ctx context.Context, ins []*Tensor) (*program.Binding, error) {
	if err := p.check(ctx, ins); err != nil {
		return nil, err
	}
	if err := runtime.ContextError(ctx); err != nil {
		return nil, p.atCaller(err)
	}
	return p.bind(ctx, ins)
}

// checkApart returns an error if one tensor is given for two outputs.
func (p *Program) checkApart(outs []*Tensor) error {
	for i, t := range outs {
		if k := slices.Index(outs, t); k < i {
			return p.misuse("run", "one tensor is given for %s and for %s: give each its own", p.outputs[k].Name, p.outputs[i].Name)
		}
	}
	return nil
}

// checkOuts returns what is wrong with the tensors to compute into, or nil.
func (p *Program) checkOuts(b *program.Binding, outs []*Tensor) error {
	if len(outs) != len(p.outputs) {
		return p.misuse("run", "%d outputs given, the program has %d: %s", len(outs), len(p.outputs), list(p.outputs))
	}
	for i, t := range outs {
		out := p.outputs[i]
		if err := t.Err(); err != nil {
			return cmp.Or(givenFailed(t, out.Name), p.misuse("run", "%s: %v", out.Name, err))
		}
		want := b.Outs[i]
		have := ir.Type{DType: t.DType(), Shape: ir.ShapeOf(t.Shape()...)}
		if !have.Equal(want) {
			return p.misuse("run", "%s: want %s, got %s: RunAll makes tensors that fit", out.Name, specText(want, nil), specText(have, nil))
		}
		if !t.IsRowMajor() {
			return p.misuse("run", "%s: the tensor given for it has strides %v: it must be row-major", out.Name, t.Strides())
		}
	}
	return p.checkApart(outs)
}

// list names the first few of many ports.
func list(ports []Port) string {
	const most = 8
	text := ""
	for i, p := range ports[:min(len(ports), most)] {
		if i > 0 {
			text += ", "
		}
		text += p.String()
	}
	if len(ports) > most {
		text += ", ..."
	}
	return text
}
