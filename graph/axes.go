package graph

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// WithAxes returns x with names for its axes, "" for an axis without a name. From then on a name may stand wherever the
// axis number may, and an op whose operands have different names for the same axis is an error.
func (x Node) WithAxes(names ...string) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	if err := n.checkNames(names); err != nil {
		return fail("%w", err)
	}
	m := *n
	m.names, m.root = someNames(names), n.value()
	return Node{&m}
}

// checkNames returns an error unless the axes of n can have these names.
func (n *node) checkNames(names []string) error {
	if len(names) != len(n.typ.Shape) {
		return fmt.Errorf("%d names [%s] for the %d axes of %s", len(names), strings.Join(names, ","), len(n.typ.Shape), n.text())
	}
	for _, name := range names {
		if name != "" && !ir.IsName(name) {
			return fmt.Errorf("%q is not an axis name: use letters, digits and _", name)
		}
	}
	return distinct(names)
}

// someNames returns a copy of names, or nil if all are "".
func someNames(names []string) []string {
	if slices.ContainsFunc(names, func(s string) bool { return s != "" }) {
		return slices.Clone(names)
	}
	return nil
}

// AxisNames returns the names of the axes, "" for an axis without a name.
func (x Node) AxisNames() []string {
	n := x.get()
	if n.names == nil {
		return make([]string, len(n.typ.Shape))
	}
	return slices.Clone(n.names)
}

// AxisIndex returns the number of the axis with that name.
func (x Node) AxisIndex(name string) (int, error) {
	n := x.get()
	if n.err != nil {
		return 0, n.err
	}
	return n.axis(name)
}

// axis returns the number of the axis that is given by number or name.
func (n *node) axis(arg any) (int, error) {
	rank := len(n.typ.Shape)
	switch a := arg.(type) {
	case int:
		return wrapAxis(a, rank)
	case string:
		k := slices.Index(n.names, a)
		if k < 0 || a == "" {
			return 0, fmt.Errorf("no axis of %s is named %q", n.text(), a)
		}
		return k, nil
	}
	return 0, fmt.Errorf("an axis is an int or a name, not %T%s", arg, axisHint(arg))
}

// axisHint returns advice for an argument that is not an axis: for a bool, the option that replaces NumPy's keepdims.
func axisHint(arg any) string {
	switch v := reflect.ValueOf(arg); {
	case v.Kind() == reflect.Bool:
		return ": give the option KeepDims"
	case v.CanInt() || v.CanUint():
		return ": convert the number by int"
	case v.Kind() == reflect.Slice:
		return ": give one axis"
	}
	return ""
}

// wrapAxis converts a negative axis, counted from the end, to a number from 0.
func wrapAxis(a, rank int) (int, error) {
	switch {
	case rank == 0:
		return 0, fmt.Errorf("axis %d of a scalar: it has none", a)
	case a < -rank || a >= rank:
		return 0, fmt.Errorf("axis %d is outside rank %d: allowed are %d to %d", a, rank, -rank, rank-1)
	case a < 0:
		return a + rank, nil
	}
	return a, nil
}

// axes returns the numbers of the axes, given one by one or in slices.
func (n *node) axes(args []any) ([]int, error) {
	args = flat(args)
	out := make([]int, 0, len(args))
	for _, arg := range args {
		k, err := n.axis(arg)
		if err == nil && slices.Contains(out, k) {
			err = fmt.Errorf("axis %d is named twice", k)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// flat returns the arguments with slices replaced by their elements.
func flat(args []any) []any {
	out := make([]any, 0, len(args))
	for _, arg := range args {
		switch list := arg.(type) {
		case []any:
			out = append(out, flat(list)...)
		case []int:
			for _, a := range list {
				out = append(out, a)
			}
		case []string:
			for _, a := range list {
				out = append(out, a)
			}
		default:
			out = append(out, arg)
		}
	}
	return out
}

// resultNames returns the names of a result's axes.
func resultNames(n *node) ([]string, error) {
	named := false
	for _, a := range n.args {
		named = named || a.names != nil
	}
	switch {
	case !named || n.attr.Conv != nil: // the axes of a convolution's result count windows
		return nil, nil
	case n.op.IsView():
		return viewNames(n.op, *n.attr, n.args[0].names, len(n.typ.Shape)), nil
	case n.op.Accumulates():
		return reducedNames(n.op, *n.attr, n.args[0].names), nil
	}
	return alignedNames(n)
}

// alignedNames merges the axis names of the operands of an elementwise op.
func alignedNames(n *node) ([]string, error) {
	out := make([]string, len(n.typ.Shape))
	for _, a := range n.args {
		lead := len(out) - len(a.typ.Shape)
		for k, name := range a.names {
			switch have := out[lead+k]; {
			case name == "" || name == have:
			case have == "":
				out[lead+k] = name
			default:
				return nil, fmt.Errorf("axis %d is %q in one operand and %q in another: Permute or rename one of them", lead+k, have, name)
			}
		}
	}
	return out, distinct(out)
}

// viewNames returns the axis names of a view of axes with the given names.
func viewNames(op ir.Op, a ir.Attr, names []string, rank int) []string {
	switch op {
	case ir.OpSlice, ir.OpFlip:
		return names
	case ir.OpPermute:
		out := make([]string, len(names))
		for i, k := range a.Axes {
			out[i] = names[k]
		}
		return out
	case ir.OpIndex:
		return without(names, a.Axis)
	case ir.OpSqueeze:
		return without(names, a.Axes...)
	case ir.OpWindow:
		return append(slices.Clone(names), "")
	case ir.OpDiagonal:
		return append(without(names, a.Axes...), "")
	case ir.OpExpand:
		return append(make([]string, rank-len(names)), names...)
	case ir.OpUnsqueeze:
		out := slices.Clone(names)
		axes := slices.Clone(a.Axes)
		sort.Ints(axes)
		for _, k := range axes {
			out = slices.Insert(out, k, "")
		}
		return out
	}
	return nil // a reshape: the axes lose their meaning
}

func without(names []string, axes ...int) []string {
	out := make([]string, 0, len(names))
	for k, name := range names {
		if !slices.Contains(axes, k) {
			out = append(out, name)
		}
	}
	return out
}

// distinct returns an error if two axes have the same name.
func distinct(names []string) error {
	for k, name := range names {
		if i := slices.Index(names, name); name != "" && i < k {
			return fmt.Errorf("axes %d and %d are both named %q: rename one of them", i, k, name)
		}
	}
	return nil
}
