package tile

import (
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Where an access is in the shape of its buffer, dimension by dimension.

// placedAccess says how an access moves through the shape of its buffer.
type placedAccess struct {
	dim, by           []int // by axis of the step: along which dimension, -1 for none, and how far
	first, low, reach []int // by dimension: where the first index is, where the access begins, and how far it goes from there
}

// placeAccess returns how an access moves through a shape, if it is a box of it.
func placeAccess(shape, extents []int, a plan.Access) (p placedAccess, ok bool) {
	strides := layout.RowMajor(shape...).Strides
	p = placedAccess{make([]int, len(extents)), make([]int, len(extents)), make([]int, len(shape)), make([]int, len(shape)), make([]int, len(shape))}
	rest := a.Offset
	for d, n := range shape {
		if n > 1 {
			p.first[d], rest = rest/strides[d], rest%strides[d]
		}
	}
	copy(p.low, p.first)
	for k, n := range extents {
		p.dim[k] = -1
		if n == 1 || a.Strides[k] == 0 {
			continue
		}
		d := dimOf(shape, strides, max(a.Strides[k], -a.Strides[k]))
		if d < 0 {
			return p, false
		}
		p.dim[k], p.by[k] = d, a.Strides[k]/strides[d]
		p.low[d] += min(0, p.by[k]*(n-1))
		p.reach[d] += max(p.by[k], -p.by[k]) * (n - 1)
	}
	for d, n := range shape {
		if p.low[d] < 0 || p.low[d]+p.reach[d] >= n {
			return p, false
		}
	}
	return p, a.Panel == nil && a.Offset >= 0
}

// dimOf returns the outermost dimension along which a distance is one of whole steps, -1 for none.
func dimOf(shape, strides []int, distance int) int {
	for d, s := range strides {
		if shape[d] > 1 && s <= distance && distance%s == 0 {
			return d
		}
	}
	return -1
}
