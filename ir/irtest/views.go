package irtest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// maxRank bounds the rank of shapes, which views would otherwise increase without end.
const maxRank = 6

// moves are the ops that only move elements: views, and other kinds without a setting of their own. Walks through random nodes would
// fail: runtime/lines and graph test them.
var moves = opsOf(func(op ir.Op) bool {
	return !op.IsElementwise() && (!op.Accumulates() || op.IsLine()) && op.Info().Kind != ir.Source && !op.Info().Walks && !(op.Info().Indexed && op.Info().By != ir.OpInvalid) && (!op.Info().Ragged || op == ir.OpRaggedAdd)
})

// opsOf returns the given ops of the table, in its order, that propose can make or that are in makers.
func opsOf(is func(op ir.Op) bool) []ir.Op {
	return slices.DeleteFunc(ir.Ops(), func(op ir.Op) bool { return !is(op) || makers[op] == nil && !proposes(op) })
}

// makers makes views whose random attributes would rarely be valid, with attributes that fit the value. It returns nil
// if the value has no such view.
var makers = map[ir.Op]func(g *gen, v *ir.Value){
	ir.OpSlice:     (*gen).slice,
	ir.OpReshape:   (*gen).reshape,
	ir.OpExpand:    (*gen).expand,
	ir.OpDiagonal:  (*gen).diagonal,
	ir.OpSqueeze:   (*gen).squeeze,
	ir.OpAccess:    (*gen).access,
	ir.OpIndex:     (*gen).index,
	ir.OpUnsqueeze: (*gen).unsqueeze,
	ir.OpPermute:   (*gen).permute,
	ir.OpWindow:    (*gen).window,
	ir.OpGather:    (*gen).gather,
	ir.OpScatter:   (*gen).scatter,
	ir.OpNth:       (*gen).nth,
	ir.OpRaggedAdd: (*gen).ragged,
}

// move appends an op of moves on a random value.
func (g *gen) move(op ir.Op) {
	if make := makers[op]; make != nil {
		make(g, g.pick("moved", g.values()))
		return
	}
	if domain := op.Info().Domain; domain&g.DTypes != 0 {
		g.propose(op, g.operand(domain))
	}
}

// subset draws some of the numbers below n, in any order.
func (g *gen) subset(n int) []int {
	axes := []int{}
	for k := range n {
		if g.chance("axis", 2) {
			axes = append(axes, k)
		}
	}
	return rapid.Permutation(axes).Draw(g.T, "axes")
}

// axis draws an axis and its length.
func (g *gen) axis(v *ir.Value) (k, n int) {
	k = g.int("axis", 0, len(v.Type.Shape)-1)
	return k, g.shape(v.Type.Shape)[k]
}

// order draws a permutation of the numbers below n.
func (g *gen) order(n int) []int {
	axes := make([]int, n)
	for k := range axes {
		axes[k] = k
	}
	return rapid.Permutation(axes).Draw(g.T, "order")
}

func (g *gen) permute(v *ir.Value) {
	g.add(ir.OpPermute, ir.Attr{Axes: g.order(len(v.Type.Shape))}, v)
}

func (g *gen) slice(v *ir.Value) {
	if len(v.Type.Shape) == 0 {
		return
	}
	k, n := g.axis(v)
	d := v.Type.Shape[k]
	a := ir.Attr{Axis: k, Begin: ir.Fixed(0), Len: ir.Fixed(0), Step: 1}
	_, known := d.Int()
	switch {
	case !known && g.chance("reverse", 3):
		a.Begin, a.Len, a.Step = d.Sub(ir.Fixed(1)), d, -1
	case n == 0:
	case !known && g.chance("drop the first", 2):
		a.Begin, a.Len = ir.Fixed(1), d.Sub(ir.Fixed(1))
	default:
		begin := g.int("begin", 0, n-1)
		step, room := g.int("step", 1, 3), n-1-begin
		if g.chance("backwards", 3) {
			step, room = -step, begin
		}
		most := room/max(step, -step) + 1
		count := most
		if g.chance("fewer", 2) {
			count = g.int("count", 0, most)
		}
		a.Begin, a.Len, a.Step = ir.Fixed(begin), ir.Fixed(count), step
	}
	g.add(ir.OpSlice, a, v)
}

func (g *gen) index(v *ir.Value) {
	if len(v.Type.Shape) == 0 {
		return
	}
	if k, n := g.axis(v); n > 0 {
		g.add(ir.OpIndex, ir.Attr{Axis: k, Begin: ir.Fixed(g.int("at", 0, n-1))}, v)
	}
}

// reshape splits and merges axes; the product of all of them is kept.
func (g *gen) reshape(v *ir.Value) {
	s := append(ir.Shape{}, v.Type.Shape...)
	for range g.int("changes", 1, 4) {
		if len(s) > 1 && g.chance("merge", 2) {
			k := g.int("merged", 0, len(s)-2)
			s[k] = s[k].Mul(s[k+1])
			s = slices.Delete(s, k+1, k+2)
			continue
		}
		if len(s) == 0 || len(s) >= maxRank {
			continue
		}
		k := g.int("split", 0, len(s)-1)
		n, known := s[k].Int()
		if p := oneOf(g, "factor", []int{1, 2, 3, 4, 5, 7, 8, 13}); known && n%p == 0 {
			s[k] = ir.Fixed(n / p)
			s = slices.Insert(s, k+g.int("before", 0, 1), ir.Fixed(p))
		}
	}
	g.add(ir.OpReshape, ir.Attr{Shape: s}, v)
}

func (g *gen) expand(v *ir.Value) {
	s := append(ir.Shape{}, v.Type.Shape...)
	for k, d := range s {
		s[k] = ir.Fixed(g.int("repeat", 1, 5))
		if !d.Is(1) || !g.fits(s) {
			s[k] = d
		}
	}
	for range g.int("new axes", 0, 2) {
		longer := append(ir.Shape{ir.Fixed(g.int("extent", 1, 4))}, s...)
		if len(s) < maxRank && g.fits(longer) {
			s = longer
		}
	}
	g.add(ir.OpExpand, ir.Attr{Shape: s}, v)
}

func (g *gen) diagonal(v *ir.Value) {
	s := v.Type.Shape
	if len(s) < 2 {
		return
	}
	a := g.int("rows", 0, len(s)-1)
	b := g.int("columns", 0, len(s)-2)
	if b >= a {
		b++
	}
	rows, ok := s[a].Int()
	cols, ok2 := s[b].Int()
	switch {
	case ok && ok2:
		k := g.int("k", -rows-1, cols+1)
		g.add(ir.OpDiagonal, ir.Attr{Axes: []int{a, b}, Step: k, Len: ir.Fixed(layout.DiagonalLen(rows, cols, k))}, v)
	case s[a] == s[b]:
		g.add(ir.OpDiagonal, ir.Attr{Axes: []int{a, b}, Len: s[a]}, v)
	}
}

func (g *gen) window(v *ir.Value) {
	if len(v.Type.Shape) == 0 || len(v.Type.Shape) >= maxRank {
		return
	}
	k, n := g.axis(v)
	if n == 0 {
		return
	}
	a := ir.Attr{Axis: k, Size: g.int("size", 1, min(n, 5)), Step: g.int("step", 1, 3), Dilation: 1}
	if a.Size > 1 {
		a.Dilation = g.int("dilation", 1, min(3, (n-1)/(a.Size-1)))
	}
	if count, _ := layout.WindowCount(n, a.Size, a.Step, a.Dilation); size(g.shape(v.Type.Shape))/n*count*a.Size <= g.MaxElems {
		g.add(ir.OpWindow, a, v)
	}
}

// gather takes elements along an axis at random indices, or combines some of them.
func (g *gen) gather(v *ir.Value) {
	i, k := g.indices(v)
	if i == nil {
		return
	}
	op := ir.OpGather
	if n := size(g.shape(i.Type.Shape)); n > 0 && g.chance("combined", 2) {
		op = oneOf(g, "gather op", taking([]ir.Op{op, ir.OpGatherAdd, ir.OpGatherMin, ir.OpGatherMax}, v.Type.DType))
	}
	if op == ir.OpGatherAdd && len(g.f.Body)+5 <= g.MaxNodes && g.chance("weighted", 2) {
		shape := g.shape(i.Type.Shape)
		n := g.add(ir.OpIota, ir.Attr{DType: ir.Int64, Shape: ir.ShapeOf(shape[k])})
		g.add(ir.OpGatherMulAdd, ir.Attr{Axis: k}, v, i, g.repeated(g.add(ir.OpCast, ir.Attr{DType: v.Type.DType}, n), shape, k))
		return
	}
	g.add(op, ir.Attr{Axis: k}, v, i)
}

// nth selects elements of lines at random places, some of which are outside.
func (g *gen) nth(v *ir.Value) {
	if !ir.OpNth.Info().Domain.Has(v.Type.DType) {
		return
	}
	if i, k := g.indices(v); i != nil {
		one := g.add(ir.OpConst, ir.Attr{DType: ir.Int64, Bits: 1})
		g.add(ir.OpNth, ir.Attr{Axis: k}, v, g.add(ir.OpSub, ir.Attr{}, i, one))
	}
}

// scatter stores or combines gathered elements at random indices.
func (g *gen) scatter(v *ir.Value) {
	i, k := g.indices(v)
	if i == nil {
		return
	}
	ops := []ir.Op{ir.OpScatter, ir.OpScatterAdd, ir.OpScatterMul, ir.OpScatterMin, ir.OpScatterMax}
	updates := g.add(ir.OpGather, ir.Attr{Axis: k}, v, i)
	op := oneOf(g, "scatter op", taking(ops, v.Type.DType))
	if op != ir.OpScatter && g.DTypes.Has(ir.Uint8) && g.chance("bytes", 2) { // an axis has no more elements than a byte has values
		i = g.add(ir.OpCast, ir.Attr{DType: ir.Uint8}, i)
	}
	g.add(op, ir.Attr{Axis: k}, v, i, updates)
}

// indices makes indices into an axis of v: i*a + b modulo its extent, equal along the other axes or continuing along
// them.
func (g *gen) indices(v *ir.Value) (index *ir.Value, axis int) {
	shape, known := v.Type.Shape.Ints()
	if !known || len(shape) == 0 || !g.DTypes.Has(ir.Int64) {
		return nil, 0
	}
	k, n := g.axis(v)
	shape = slices.Clone(shape)
	shape[k] = g.int("indices", 0, 12)
	if n == 0 || size(shape) > g.MaxElems || size(shape) == 0 {
		return nil, 0
	}
	count, of := shape[k], ir.ShapeOf(shape...)
	if g.chance("apart", 2) {
		count = size(shape)
	}
	number := func(x int) *ir.Value { return g.add(ir.OpConst, ir.Attr{DType: ir.Int64, Bits: uint64(x)}) }
	i := g.add(ir.OpIota, ir.Attr{DType: ir.Int64, Shape: ir.ShapeOf(count)})
	i = g.add(ir.OpAdd, ir.Attr{}, g.add(ir.OpMul, ir.Attr{}, i, number(g.int("factor", 0, 5))), number(g.int("first", 0, 9)))
	i = g.add(ir.OpMod, ir.Attr{}, i, number(n))
	if count != size(shape) {
		return g.repeated(i, shape, k), k
	}
	return g.add(ir.OpReshape, ir.Attr{Shape: of}, i), k
}

// repeated returns a vector along axis k of a shape, repeated along the other axes.
func (g *gen) repeated(x *ir.Value, shape []int, k int) *ir.Value {
	one := make([]int, len(shape))
	for j := range one {
		one[j] = 1
	}
	one[k] = shape[k]
	return g.add(ir.OpExpand, ir.Attr{Shape: ir.ShapeOf(shape...)}, g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(one...)}, x))
}

func size(shape []int) int {
	n, _ := layout.NumElems(shape)
	return n
}

func (g *gen) squeeze(v *ir.Value) {
	axes := slices.DeleteFunc(g.subset(len(v.Type.Shape)), func(k int) bool { return !v.Type.Shape[k].Is(1) })
	g.add(ir.OpSqueeze, ir.Attr{Axes: axes}, v)
}

func (g *gen) unsqueeze(v *ir.Value) {
	n := g.int("new axes", 1, 2)
	rank := len(v.Type.Shape) + n
	if rank > maxRank {
		return
	}
	g.add(ir.OpUnsqueeze, ir.Attr{Axes: g.order(rank)[:n]}, v)
}

// access reads a buffer through several views at once.
func (g *gen) access(v *ir.Value) {
	shape, ok := v.Type.Shape.Ints()
	if !g.Accesses || v.Op.IsView() || !ok {
		return
	}
	l := layout.RowMajor(shape...)
	if v.Attr.At != nil {
		l = *v.Attr.At
	}
	for range g.int("views", 0, 3) {
		l = g.layoutView(l)
	}
	g.add(ir.OpAccess, ir.Attr{Shape: ir.ShapeOf(l.Shape...), At: &l}, v)
}

// layoutView applies a random view to a layout.
func (g *gen) layoutView(l layout.Layout) layout.Layout {
	var m layout.Layout
	err := error(nil)
	switch g.int("layout view", 0, 3) {
	case 0:
		m, err = l.Flip(g.subset(l.Rank())...)
	case 1:
		m = l.Collapse()
	case 2:
		m, err = l.Expand(append([]int{g.int("extent", 1, 3)}, l.Shape...)...)
	case 3:
		if l.Rank() == 0 {
			return l
		}
		k := g.int("axis", 0, l.Rank()-1)
		m, err = l.Slice(k, 0, (l.Shape[k]+1)/2, 2)
	}
	if err != nil || !g.fits(ir.ShapeOf(m.Shape...)) {
		return l
	}
	return m
}
