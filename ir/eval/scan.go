package eval

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// evalScan computes the running values along an axis.
func evalScan(v *ir.Value, out Array, x Array) (Array, error) {
	l, err := layout.RowMajor(x.Shape...).Permute(lastAxis(len(x.Shape), v.Attr.Axis)...)
	if err != nil {
		return out, err
	}
	out.Data = make([]uint64, len(x.Data))
	at := slices.Collect(l.All())
	for line := range slices.Chunk(at, max(1, x.Shape[v.Attr.Axis])) {
		elems := make([]uint64, len(line))
		for i, k := range line {
			elems[i] = x.Data[k]
		}
		for i, e := range ir.ScanLine(v.Op.Info().By, x.DType, elems, v.Attr.Exclusive) {
			out.Data[line[i]] = e
		}
	}
	return out, nil
}

// lastAxis returns the axes in order, but for one, which is last.
func lastAxis(rank, axis int) []int {
	order := make([]int, 0, rank)
	for k := range rank {
		if k != axis {
			order = append(order, k)
		}
	}
	return append(order, axis)
}
