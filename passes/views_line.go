package passes

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Lines of reductions whose elements have no common stride, as the windows of a pooling. A
// few elements are combined by elementwise ops, each operand of which is one element of
// every line; more are copied.

// line returns what v reduces to where its line has one stride or is short, or else v of a
// copy.
func (w *viewer) line(v *ir.Value) (*ir.Value, error) {
	a := v.Args[0]
	if a.Op != ir.OpAccess || affine([]*ir.Value{v}, nil) {
		return v, nil
	}
	if elements := w.elements(v, a); elements != nil {
		*w.uses.at(a)--
		return w.combined(v, elements)
	}
	c, err := w.copyOf(a, a.Pos, fmt.Sprintf("the elements that it reduces have no common stride in %s", a.Attr.At))
	v.Args[0] = c
	return v, err
}

// elements returns the accesses of each element of the lines that v reduces, if they are few
// and the axes of the layout allow it.
func (w *viewer) elements(v, a *ir.Value) []*ir.Value {
	l, shape := layoutOf(a), extents(a)
	last := len(shape) - 1
	runs, ok := axisRuns(l.Shape, shape)
	if !ok || shape[last] > w.machine.ShortLine || v.Attr.By.IsArgReduction() {
		return nil
	}
	outer := len(l.Shape) - len(runs[last])
	rest := layout.Layout{Shape: l.Shape[:outer], Strides: l.Strides[:outer]}
	line := layout.Layout{Shape: l.Shape[outer:], Strides: l.Strides[outer:], Offset: l.Offset}
	var all []*ir.Value
	for at := range line.All() {
		one := rest
		one.Offset = at
		all = append(all, w.read(a.Args[0], one, v))
	}
	return all
}

// combined returns the elements of lines combined by the tree that ir.ReduceRow is for so
// few: each is a lane of its own.
func (w *viewer) combined(v *ir.Value, lanes []*ir.Value) (*ir.Value, error) {
	for half := ir.ReduceLanes / 2; half > 0; half /= 2 {
		for i := half; i < len(lanes); i++ {
			op := ir.Value{Op: v.Attr.By, Args: []*ir.Value{lanes[i-half], lanes[i]}, Type: v.Type, Attr: &ir.Attr{}, Pos: v.Pos}
			for _, a := range op.Args {
				*w.uses.at(a)++
			}
			if err := w.shape(&op); err != nil {
				return nil, err
			}
			lanes[i-half] = w.Func.Append(op)
			w.append(lanes[i-half])
		}
		lanes = lanes[:min(len(lanes), half)]
	}
	return lanes[0], nil
}
