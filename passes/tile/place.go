package tile

import "github.com/stridefuse/stridefuse/ir/plan"

// An access as a box in the shape of its buffer.

// placedAccess describes how an access moves through the shape of its buffer.
type placedAccess struct {
	dim, by           []int // by axis of the step: dimension, -1 for none; distance in it for each index
	first, low, reach []int // by dimension: index of the first element; least index; distance from there to the greatest
}

// placeAccess returns how an access moves through a shape. It fails if an axis does not move along a single dimension,
// or if the access leaves the shape or is in panels.
func placeAccess(shape, extents []int, a plan.Access) (p placedAccess, ok bool) {
	all := make([]int, 2*len(extents)+3*len(shape))
	next := func(n int) (of []int) {
		of, all = all[:n:n], all[n:]
		return of
	}
	p = placedAccess{next(len(extents)), next(len(extents)), next(len(shape)), next(len(shape)), next(len(shape))}
	rest, stride := a.Offset, elements(shape)
	for d, n := range shape {
		if stride /= max(n, 1); n > 1 {
			p.first[d], rest = rest/stride, rest%stride
		}
	}
	copy(p.low, p.first)
	for k, n := range extents {
		p.dim[k] = -1
		if n == 1 || a.Strides[k] == 0 {
			continue
		}
		d, by := dimOf(shape, max(a.Strides[k], -a.Strides[k]))
		if d < 0 {
			return p, false
		}
		if a.Strides[k] < 0 {
			by = -by
		}
		p.dim[k], p.by[k] = d, by
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

// dimOf returns the outermost dimension in which a distance is a whole number of steps, and that number. dim is -1 if
// there is no such dimension.
func dimOf(shape []int, distance int) (dim, steps int) {
	stride := elements(shape)
	for d, n := range shape {
		if stride /= max(n, 1); n > 1 && stride <= distance && distance%stride == 0 {
			return d, distance / stride
		}
	}
	return -1, 0
}

// elements returns the product of the extents of a shape. An extent of 0 counts as 1.
func elements(shape []int) int {
	all := 1
	for _, n := range shape {
		all *= max(n, 1)
	}
	return all
}
