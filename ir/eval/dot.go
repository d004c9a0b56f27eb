package eval

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// evalDot computes a product element by element.
func evalDot(out, x, y Array) (Array, error) {
	rank := len(x.Shape)
	rows, pairs, cols := x.Shape[rank-2], x.Shape[rank-1], y.Shape[rank-1]
	n, err := layout.NumElems(out.Shape)
	if err != nil {
		return out, err
	}
	out.Data = make([]uint64, n)
	column := make([]uint64, pairs)
	for i := range n {
		batch, m, c := i/(rows*cols), i/cols%rows, i%cols
		for k := range column {
			column[k] = y.Data[(batch*pairs+k)*cols+c]
		}
		out.Data[i] = ir.DotLine(x.DType, x.Data[(batch*rows+m)*pairs:][:pairs], column, rows == 1 || cols == 1)
	}
	return out, nil
}
