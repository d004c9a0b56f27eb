package eval

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Array is a value of Eval: the elements in row-major order, each in a uint64
// as the lane ops take them.
type Array struct {
	DType ir.DType
	Shape []int
	Data  []uint64
}

// Eval computes f by its definition: one value after another, one element after another. It is slow; every engine must
// give the same results. All sizes must be bound.
func Eval(f *ir.Func, inputs []Array) (results []Array, err error) {
	defer ir.CatchIndex(&err)
	if len(inputs) != len(f.Params) {
		return nil, fmt.Errorf("%d inputs for %d params", len(inputs), len(f.Params))
	}
	env := map[*ir.Value]Array{}
	for i, p := range f.Params {
		in := inputs[i]
		if t := (ir.Type{DType: in.DType, Shape: ir.ShapeOf(in.Shape...)}); !t.Equal(p.Type) {
			return nil, fmt.Errorf("input %s is %s, not %s", p.Name(), t, p.Type)
		}
		env[p] = in
	}
	for _, v := range f.Body {
		out, err := evalValue(f, v, env)
		if err != nil {
			return nil, &ir.Error{Pos: v.Pos, Op: v.Called(), Msg: err.Error()}
		}
		env[v] = out
	}
	results = make([]Array, len(f.Results))
	for i, r := range f.Results {
		results[i] = env[r]
	}
	return results, nil
}

// maxElems is the most elements or locations of an array in an evaluation.
const maxElems = 1 << 26

// evalValue computes one value as its row of the op table defines it.
func evalValue(f *ir.Func, v *ir.Value, env map[*ir.Value]Array) (Array, error) {
	shape, ok := v.Type.Shape.Ints()
	if !ok {
		return Array{}, fmt.Errorf("the shape %s is not bound", v.Type.Shape)
	}
	out := Array{DType: v.Type.DType, Shape: shape}
	if n, err := layout.NumElems(shape); err != nil || n > maxElems {
		return Array{}, fmt.Errorf("more than %d elements are not evaluated", maxElems)
	}
	args := make([]Array, len(v.Args))
	data := make([][]uint64, len(v.Args))
	for i, a := range v.Args {
		args[i] = env[a]
		data[i] = args[i].Data
	}
	switch {
	case v.Op.Accumulates() && !args[0].DType.Native():
		out.Data = evalWide(v, data)
	case v.Op.Info().Eval != nil:
		out.Data = v.Op.Info().Eval(v, data)
	case v.Op.IsView():
		return evalView(v, out, args[0])
	case v.Op.IsElementwise():
		return evalElementwise(f, v, out, args)
	default:
		panic("the row of " + v.Op.String() + " has no definition")
	}
	return out, nil
}

// evalWide computes an op that combines several elements of an operand into one, in the compute type of the operands.
func evalWide(v *ir.Value, args [][]uint64) []uint64 {
	d, to := v.Args[0].Type.DType, v.Type.DType
	wide := *v
	wide.Args = slices.Clone(v.Args)
	for i, a := range v.Args {
		operand, from := *a, a.Type.DType
		operand.Type.DType = from.Compute()
		wide.Args[i], args[i] = &operand, slices.Clone(args[i])
		ir.Defined.CastAll(from, from.Compute(), args[i])
	}
	if to == d {
		wide.Type.DType = d.Compute()
	}
	at := wide.Type.DType
	out := v.Op.Info().Eval(&wide, args)
	if bound, ok := ir.WideBound(v.Op, v.Attr, to); ok {
		for i, x := range out {
			out[i] = ir.Defined.Combine(v.Op.Info().By, at, x, bound)
		}
	}
	ir.Defined.CastAll(at, to, out)
	return out
}

// evalView reads the operand through the layout of the view.
func evalView(v *ir.Value, out, x Array) (Array, error) {
	l, err := v.Layout(layout.RowMajor(x.Shape...))
	if err != nil {
		return out, err
	}
	data, from := x.Data, 0
	if p := v.Args[0]; v.Op == ir.OpAccess && p.Attr.At != nil {
		if data, from, err = spread(data, *p.Attr.At); err != nil {
			return out, err
		}
	}
	for at := range l.All() {
		out.Data = append(out.Data, data[at-from])
	}
	return out, nil
}

// spread stores elements given in row-major order at the locations of a layout, and returns the location of the first.
func spread(data []uint64, l layout.Layout) (buffer []uint64, from int, err error) {
	if l.Span() > maxElems {
		return nil, 0, fmt.Errorf("a layout of more than %d locations is not evaluated", maxElems)
	}
	lo, hi := l.Bounds()
	buffer = make([]uint64, hi-lo+1)
	i := 0
	for at := range l.All() {
		buffer[at-lo] = data[i]
		i++
	}
	return buffer, lo, nil
}

// evalElementwise applies the op's lane meaning to broadcast operands.
func evalElementwise(f *ir.Func, v *ir.Value, out Array, args []Array) (Array, error) {
	n, err := layout.NumElems(out.Shape)
	if err != nil {
		return out, err
	}
	operands := make([]kernel.Operand, len(args))
	walk := make([][]int, len(args)) // nil for an operand of the result's shape
	for i, a := range args {
		operands[i] = kernel.Operand{DType: a.DType}
		if slices.Equal(a.Shape, out.Shape) {
			continue
		}
		walk[i] = make([]int, 0, n)
		l, err := layout.RowMajor(a.Shape...).Expand(out.Shape...)
		if err != nil {
			return out, err
		}
		for at := range l.All() {
			walk[i] = append(walk[i], at)
		}
	}
	b := kernel.NewBuilder(operands...)
	b.SetFast(f.Fast)
	refs := [3]kernel.Ref{0, 1, 2}
	b.Store(b.Inst(v.Op, v.Attr.DType, refs[:len(args)]))
	evaluate := elementary.Expand(b.Kernel()).Evaluator(ir.Defined)
	out.Data = make([]uint64, n)
	in := make([]uint64, len(args))
	for i := range n {
		for j, a := range args {
			at := i
			if walk[j] != nil {
				at = walk[j][i]
			}
			in[j] = a.Data[at]
		}
		out.Data[i] = evaluate(in)[0]
	}
	return out, nil
}
