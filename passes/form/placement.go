package form

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Placement decides where values are stored. A result gets memory of its own, which the caller owns. An operand of a
// concatenation is stored in its slice of the concatenation by the loop that computes the operand, so it is not copied
// there.
//
// If the rest of the concatenation is padding, the other readers of the operand read it in the slice. In a residual
// network, for example, a convolution reads the padded value and a later sum reads the value inside the padding. In
// other cases the operand keeps its own buffer and a copy is stored in the slice; fuse adds the copy to the loop that
// computes the operand if it can. A concatenation that only another concatenation reads has no memory: its operands are
// stored in the slice of the other.
//
// Requires: stage viewed; after cse, which would merge two copies of one value.
// Ensures: every result is a computed value, or a reshape of a whole one, and no two results share a value; each
// operand of a concatenation is computed, and stored in its slice.
func Placement(s *State) error {
	f := s.Func
	if err := s.ownResults(); err != nil {
		return err
	}
	f.Sweep()
	if !slices.ContainsFunc(f.Body, func(v *ir.Value) bool { return v.Op.IsJoin() }) {
		return nil
	}
	p := &placer{s: s, level: s.levels(), padding: map[*ir.Value]bool{}}
	p.readers, p.results = rewrite.ReadersOf(f)
	for _, r := range f.Results {
		p.results[computed(r)] = true
	}
	s.placed = map[*ir.Value]location{}
	for _, v := range slices.Backward(f.Body) {
		if v.Op.IsJoin() && s.Fuel.Take(v) {
			if err := p.operands(v); err != nil {
				return err
			}
		}
	}
	f.Body = inOrder(f)
	f.Sweep()
	s.Distinct, s.Level = false, nil
	return nil
}

// ownResults copies each result that nothing computes or that is another result too.
func (s *State) ownResults() error {
	seen := map[*ir.Value]bool{}
	for i, r := range s.Func.Results {
		why := ""
		switch c := computed(r); {
		case seen[c]:
			why = "the value is another result too, and each has its own memory"
		case c == nil:
			why = "a result has its own memory, and nothing computes this one"
		}
		if why != "" {
			c, err := s.Func.Add(ir.OpCopy, ir.Attr{Note: why}, r.Pos, r)
			if err != nil {
				return err
			}
			s.Func.Results[i] = c
		}
		seen[computed(s.Func.Results[i])] = true
	}
	return nil
}

// computed returns the computed value that has exactly the elements of r, in the same order: r itself or the value that
// r reads. It returns nil if there is no such value.
func computed(r *ir.Value) *ir.Value {
	if r.Op == ir.OpAccess && r.Args[0].Op.IsComputed() {
		flat, ok := r.Attr.At.Reshape(rewrite.Size(r.Type.Shape))
		if ok && flat.Equal(layout.RowMajor(rewrite.Size(r.Args[0].Type.Shape))) {
			return r.Args[0]
		}
	}
	if r.Op.IsComputed() {
		return r
	}
	return nil
}

// CheckPlacement verifies what Placement ensures.
func CheckPlacement(s *State) error {
	seen := map[*ir.Value]bool{}
	for _, r := range s.Func.Results {
		c := computed(r)
		if c == nil || seen[c] {
			return fmt.Errorf("result %%%d has no memory of its own", r.ID)
		}
		seen[c] = true
	}
	for _, v := range s.Func.Body {
		for _, a := range v.Args {
			if v.Op.IsJoin() && (computed(a) == nil || s.placed[computed(a)].in == nil) {
				return fmt.Errorf("%%%d is not stored in its slice of %%%d", a.ID, v.ID)
			}
		}
	}
	return nil
}

// location is the part of another value's buffer in which a value is stored.
type location struct {
	in *ir.Value
	at layout.Layout // over the shape of the stored value
}

// placer decides where the operands of concatenations are stored.
type placer struct {
	s       *State
	level   []int32 // by ID
	readers map[*ir.Value][]*ir.Value
	results map[*ir.Value]bool // results, and values whose reshape is a result
	padding map[*ir.Value]bool // concatenations of one value and constants, stored inside other such concatenations or in their own memory
}

// operands decides where the operands of the concatenation v are stored.
func (p *placer) operands(v *ir.Value) error {
	own, nested := p.s.placed[v]
	if !nested {
		own = location{v, layout.RowMajor(rewrite.Extents(v)...)}
	}
	constants := 0
	for _, a := range v.Args {
		if rewrite.IsConst(base(a)) {
			constants++
		}
	}
	p.padding[v] = constants == len(v.Args)-1 && (p.padding[v] || !nested && !p.results[v])
	for i, a := range v.Args {
		at, err := v.Op.Info().Part(v, i, own.at)
		if err != nil {
			return &ir.Error{Pos: v.Pos, Op: v.Called(), Msg: err.Error()}
		}
		x, l := storer(a, at)
		if x == nil || !p.alone(x, a) && !p.readInside(x, v, location{own.in, l}) {
			if x, err = p.s.Func.Add(ir.OpCopy, ir.Attr{Note: "it is stored in the result of a " + v.Op.String() + ", and is no value of that alone"}, v.Pos, a); err != nil {
				return err
			}
			v.Args[i], l = x, at
		}
		p.s.placed[x], p.padding[x] = location{own.in, l}, p.padding[v]
	}
	return nil
}

// storer returns the value whose loop can store the elements of a in the slice at, and the layout of that slice over
// the value's shape. It returns nil if no loop can.
func storer(a *ir.Value, at layout.Layout) (*ir.Value, layout.Layout) {
	x := computed(a)
	if x == nil || rewrite.Size(a.Type.Shape) == 0 {
		return nil, at
	}
	l, ok := at.Reshape(rewrite.Extents(x)...)
	switch k := x.Op.Info().Kind; {
	case !ok || k == ir.Reduce || k == ir.Join && x != a:
		return nil, at
	case k == ir.Contract: // a product stores contiguous lines
		ok = l.Strides[len(l.Strides)-1] == 1
	case k == ir.Scan: // axes of one element do not count, because steps have none
		ok = innermost(l) == 1
	case x.Op.IsElementwise():
		ok = affine([]*ir.Value{x}, map[*ir.Value]location{x: {x, l}})
	}
	if !ok {
		return nil, at
	}
	return x, l
}

// innermost returns the stride of the last axis with several elements, or 1 if there is no such axis.
func innermost(l layout.Layout) int {
	for k := len(l.Shape) - 1; k >= 0; k-- {
		if l.Shape[k] > 1 {
			return l.Strides[k]
		}
	}
	return 1
}

// alone reports whether x and a each have at most one reader, and neither is a result. a is x itself or reads it.
func (p *placer) alone(x, a *ir.Value) bool {
	return len(p.readers[x]) <= 1 && len(p.readers[a]) <= 1 && !p.results[x] && !p.results[a]
}

// inOrder returns the body of a graph in an order in which each value follows its operands.
func inOrder(f *ir.Func) []*ir.Value {
	ordered, done := make([]*ir.Value, 0, len(f.Body)), rewrite.NewValueMap[bool](f)
	var add func(v *ir.Value)
	add = func(v *ir.Value) {
		if *done.At(v) || v.Op == ir.OpParam {
			return
		}
		*done.At(v) = true
		for _, a := range v.Args {
			add(a)
		}
		ordered = append(ordered, v)
	}
	for _, v := range f.Body {
		add(v)
	}
	return ordered
}

// stored returns the buffer in which a value is stored, and the layout of the value there. The layout uses memory of
// space.
func (l *looper) stored(space *layout.Space, v *ir.Value) (buffer int, at layout.Layout) {
	if p := l.s.placed[v]; p.in != nil {
		return l.of(p.in), p.at
	}
	return l.of(v), rewrite.LayoutIn(space, v)
}

// declare declares the buffer in which a value is stored.
func (l *looper) declare(v *ir.Value) {
	if p := l.s.placed[v]; p.in != nil {
		v = p.in
	}
	l.of(v)
}
