package irtest

import "github.com/stridefuse/stridefuse/ir"

// product multiplies two values as matrices: one with its own transpose, or any
// two whose sizes have a common factor.
func (g *gen) product() {
	x := g.pick("left", g.values())
	if !ir.OpDot.Info().Domain.Has(x.Type.DType) {
		return
	}
	op := ir.OpDot
	if ir.OpDotHalves.Info().Domain.Has(x.Type.DType) && g.chance("halves", 2) {
		op = ir.OpDotHalves
	}
	if rank := len(x.Type.Shape); rank >= 2 && g.chance("transpose", 2) {
		axes := make([]int, rank)
		for i := range axes {
			axes[i] = i
		}
		axes[rank-2], axes[rank-1] = rank-1, rank-2
		if s := append(x.Type.Shape[:rank-1:rank-1], x.Type.Shape[rank-2]); g.fits(s) {
			g.add(op, ir.Attr{}, x, g.add(ir.OpPermute, ir.Attr{Axes: axes}, x))
		}
		return
	}
	y := g.pick("right", g.values())
	m, ok := x.Type.Shape.NumElems().Int()
	n, known := y.Type.Shape.NumElems().Int()
	if !ok || !known || m*n == 0 || x.Type.DType != y.Type.DType {
		return
	}
	k := m
	for rest := n; rest > 0; {
		k, rest = rest, k%rest
	}
	if shape := ir.ShapeOf(m/k, n/k); g.fits(shape) {
		x = g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(m/k, k)}, x)
		g.add(op, ir.Attr{}, x, g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(k, n/k)}, y))
	}
}
