package passes

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// placed says that a value is stored in the buffer of another, whose elements it has, and
// where.
type placed struct {
	in *ir.Value
	at layout.Layout // of the value's shape
}

// copiedProducts returns the products that are stored as a copy of them would be, in the
// copy's buffer: a copy with the axes in another order, whose rows are contiguous, and
// which alone reads the product.
func copiedProducts(s *State) map[*ir.Value]placed {
	out := map[*ir.Value]placed{}
	if !multiplies(s.Func) {
		return out
	}
	uses := countUses(s.Func)
	for _, g := range s.groups {
		u := g.values[0]
		if s.placed[u].in != nil || len(g.values) > 1 || u.Op != ir.OpCopy || u.Args[0].Op != ir.OpAccess {
			continue
		}
		a := u.Args[0]
		v := a.Args[0]
		if v.Op != ir.OpDot || s.placed[v].in != nil || *uses.at(v) > 1 || *uses.at(a) > 1 || size(u.Type.Shape) != size(v.Type.Shape) {
			continue
		}
		if strides, ok := whereRead(v, *a.Attr.At); ok {
			out[v] = placed{u, layout.Layout{Shape: extents(v), Strides: strides}}
		}
	}
	return out
}

// whereRead returns the strides of v's axes in the row-major order of a layout that
// reads v's buffer with its axes permuted, and not the last one.
func whereRead(v *ir.Value, l layout.Layout) (strides []int, ok bool) {
	own, read := layoutOf(v), layout.RowMajor(l.Shape...)
	for k, n := range own.Shape {
		at := -1
		for j, m := range l.Shape {
			if m == n && l.Strides[j] == own.Strides[k] {
				at = j
			}
		}
		switch {
		case n == 1:
			strides = append(strides, 0)
		case at < 0:
			return nil, false
		default:
			strides = append(strides, read.Strides[at])
		}
	}
	return strides, l.Offset == 0 && strides[len(strides)-1] == 1
}

// stored returns the buffer that a value is stored in, declaring it, and where.
func (l *looper) stored(v *ir.Value) (buffer int, at layout.Layout) {
	p := l.products[v]
	if p.in == nil {
		p = l.placed[v]
	}
	if p.in != nil {
		return l.of(p.in), p.at
	}
	return l.of(v), layoutOf(v)
}
