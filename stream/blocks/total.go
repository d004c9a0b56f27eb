package blocks

import (
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// rule computes a total.
type rule struct {
	// block appends the contribution of a block and returns the parts. Values carried to the next block are states.
	block func(w *writer, v *ir.Value) []*ir.Value
	// finish appends the total of the parts of all blocks or, if there are none, of the states.
	finish func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value
}

// totalRules has the rule for each op that computes whole values from rows; a rule may set limits.
var totalRules = map[ir.Op]func(d *Division, v *ir.Value) (rule, error){
	ir.OpSum: sumRule, ir.OpProd: sumRule,
	ir.OpAMin: exactRule, ir.OpAMax: exactRule, ir.OpAll: exactRule, ir.OpAny: exactRule,
	ir.OpAllBits: exactRule, ir.OpAnyBits: exactRule, ir.OpXorBits: exactRule,
	ir.OpArgMin: findRule, ir.OpArgMax: findRule,
	ir.OpSort: sortRule, ir.OpSortDown: sortRule, ir.OpArgSort: sortRule, ir.OpArgSortDown: sortRule,
	ir.OpNth:       nthRule,
	ir.OpDot:       dotRule,
	ir.OpDotHalves: dotRule,
	ir.OpDotBytes:  dotRule,
	ir.OpScatter:   scatterRule, ir.OpScatterAdd: scatterRule, ir.OpScatterMul: scatterRule,
	ir.OpScatterMin: scatterRule, ir.OpScatterMax: scatterRule,
}

// addTotal finds the rule for a whole value computed from rows.
func (d *Division) addTotal(v *ir.Value) error {
	find := totalRules[v.Op]
	if find == nil {
		return errors.New("it needs rows of several blocks at once: it can't be computed by blocks")
	}
	for _, a := range v.Args {
		if d.total(a).Shape.NumElems().Is(0) {
			return fmt.Errorf("its operand of shape %s has no elements: there are no blocks of it", a.Type.Shape)
		}
	}
	r, err := find(d, v)
	d.totals[v] = r
	return err
}

// isExact reports whether an op gives the same bits for elements of a type in any order.
func isExact(by ir.Op, d ir.DType) bool {
	return !ir.Floats.Has(d) || by != ir.OpAdd && by != ir.OpMul
}

// exactRule keeps one state, the total of the blocks so far.
func exactRule(*Division, *ir.Value) (rule, error) {
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			w.merge(v, w.op(v))
			return nil
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			return w.add(v.Op, ir.Attr{Axes: []int{0}}, v, parts[0])
		},
	}, nil
}

// merge combines y with the total of the previous blocks, by the op of the reduction v.
func (w *writer) merge(v, y *ir.Value) {
	by := v.Op.Info().By
	bits, _ := by.Info().Identity(v.Type.DType)
	w.state(State{Type: w.d.total(v), Bits: bits, From: -1, Total: v}, func(before *ir.Value) *ir.Value {
		return w.add(by, ir.Attr{}, v, before, y)
	})
}

// sumRule is for sums and products of numbers. For floats the parts are the reduced chunks of 1024 elements.
func sumRule(d *Division, v *ir.Value) (rule, error) {
	x := v.Args[0]
	if isExact(v.Op.Info().By, x.Type.DType) {
		return exactRule(d, v)
	}
	t, err := d.tree(v.Op, x, v.Attr.Axes)
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			return t.part(w, w.value(x))
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			return w.cast(t.finish(w, parts), v.Type.DType)
		},
	}, err
}

// findRule has two parts: the least or greatest element of each block, and its index among all rows.
func findRule(d *Division, v *ir.Value) (rule, error) {
	x := v.Args[0]
	axis, scale := d.places[x].axis, d.places[x].scale
	value := ir.OpAMin
	if v.Op == ir.OpArgMax {
		value = ir.OpAMax
	}
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			attr := ir.Attr{Axes: []int{axis}}
			best := w.add(value, attr, v, w.value(x))
			at := w.cast(w.add(v.Op, attr, v, w.value(x)), ir.Int64)
			at = w.add(ir.OpAdd, ir.Attr{}, v, at, w.first(v, scale))
			return []*ir.Value{w.unsqueeze(best, 0), w.unsqueeze(at, 0)}
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			block := w.cast(w.add(v.Op, ir.Attr{Axes: []int{0}}, v, parts[0]), ir.Int64)
			at := w.add(ir.OpGather, ir.Attr{Axis: 0}, v, parts[1], w.unsqueeze(block, 0))
			return w.cast(w.squeeze(at, 0), v.Type.DType)
		},
	}, nil
}

// sortRule is for the first elements of sorted lines, or their indices. Both are parts of each block.
func sortRule(d *Division, v *ir.Value) (rule, error) {
	x, axis := v.Args[0], v.Attr.Axis
	first, _ := d.total(v).Shape[axis].Int()
	op := ir.OpArgSort
	if v.Op.Info().Descending {
		op = ir.OpArgSortDown
	}
	places := func(w *writer, x *ir.Value, axis, n int) *ir.Value {
		return w.add(op, ir.Attr{Axis: axis, Len: ir.Fixed(n)}, v, x)
	}
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			x := w.value(x)
			at := places(w, x, axis, min(first, extents(x)[axis]))
			best := w.add(ir.OpGather, ir.Attr{Axis: axis}, v, x, at)
			if !v.Op.Info().Places {
				return []*ir.Value{w.moved(best, axis, 0)}
			}
			at = w.add(ir.OpAdd, ir.Attr{}, v, at, w.first(v, d.places[v.Args[0]].scale))
			return []*ir.Value{w.moved(best, axis, 0), w.moved(at, axis, 0)}
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			at := places(w, parts[0], 0, first)
			from := parts[len(parts)-1] // the values, or the indices if those are wanted
			return w.moved(w.add(ir.OpGather, ir.Attr{Axis: 0}, v, from, at), 0, axis)
		},
	}, nil
}

// nthRule is for elements selected from lines. The parts are all elements.
func nthRule(*Division, *ir.Value) (rule, error) {
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			return []*ir.Value{w.moved(w.value(v.Args[0]), v.Attr.Axis, 0)}
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			return w.add(v.Op, *v.Attr, v, w.moved(parts[0], 0, v.Attr.Axis), w.value(v.Args[1]))
		},
	}, nil
}

// sortPairs replaces the elements of x at the indices of its first elements, as TopK has them, by those elements:
// fetching single rows would take another pass.
func (d *Division) sortPairs() {
	values := map[ir.Op]ir.Op{ir.OpArgSort: ir.OpSort, ir.OpArgSortDown: ir.OpSortDown}
	for _, v := range d.f.Body {
		if v.Op != ir.OpGather {
			continue
		}
		x, at := v.Args[0], v.Args[1]
		if op, ok := values[at.Op]; ok && at.Args[0] == x && at.Attr.Axis == v.Attr.Axis {
			v.Op, v.Args, v.Attr = op, []*ir.Value{x}, at.Attr
		}
	}
	d.f.Sweep()
}

// scatterRule is for rows that are stored to, or combined with, elements of a whole array.
func scatterRule(d *Division, v *ir.Value) (rule, error) {
	dt, by := v.Type.DType, v.Op.Info().By
	if !d.places[v.Args[0]].whole() {
		return rule{}, errOtherRows
	}
	if !dt.Native() && by != ir.OpInvalid && !isExact(by, dt) {
		return rule{}, fmt.Errorf("of %s it can't be computed by blocks, as each block would round: Cast to %s", dt, dt.Compute())
	}
	state := State{Type: d.total(v), From: -1, Total: v}
	if by != ir.OpInvalid && isExact(by, dt) {
		state.Bits, _ = by.Info().Identity(dt)
	} else {
		state.From, state.Ordered = d.f.Index(v.Args[0]), v
		d.initial[v.Args[0]] = true
	}
	return rule{
		block: func(w *writer, v *ir.Value) []*ir.Value {
			at, updates := w.value(v.Args[1]), w.value(v.Args[2])
			w.state(state, func(before *ir.Value) *ir.Value {
				return w.add(v.Op, *v.Attr, v, before, at, updates)
			})
			return nil
		},
		finish: func(w *writer, v *ir.Value, parts []*ir.Value) *ir.Value {
			if state.Ordered != nil {
				return w.squeeze(parts[0], 0)
			}
			return w.add(by, ir.Attr{}, v, w.value(v.Args[0]), w.reduceExact(v, by, parts[0]))
		},
	}, nil
}

// reduceExact reduces the first axis by an exact op.
func (w *writer) reduceExact(at *ir.Value, by ir.Op, x *ir.Value) *ir.Value {
	for _, op := range []ir.Op{ir.OpSum, ir.OpProd, ir.OpAMin, ir.OpAMax} {
		if op.Info().By == by {
			return w.add(op, ir.Attr{Axes: []int{0}}, at, x)
		}
	}
	panic("blocks: nothing reduces by " + by.String())
}
