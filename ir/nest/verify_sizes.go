package nest

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The check of the rows, columns and fields of a call: the kernel accepts them in each iteration of the enclosing loops.

// isSize reports whether a size refers to an enclosing loop, if any, and is not negative.
func (v *verifier) isSize(s Size) bool {
	return s.Loop >= -1 && s.Loop < len(v.loops) && s.N >= 0
}

// sizes returns the error text for the sizes of a call, or "".
func (v *verifier) sizes(c *Call) string {
	dims := append([]Size{c.Rows, c.Cols}, c.Fields...)
	used := make([]bool, len(v.loops))
	for i, s := range dims {
		d := kernel.Rows + kernel.Extent(i)
		if !v.isSize(s) && !(d >= kernel.Field0 && s.Loop == -1 && kernel.IsDistance(c.Kernel, int(d-kernel.Field0))) {
			return fmt.Sprintf("%s=%s is of no loop round the call, or below 0", kernel.NameOf(c.Kernel, d), s)
		}
		for k := s.Loop; k >= 0; k = v.loops[k].parent {
			used[k] = true
		}
	}
	for _, l := range kernel.LimitsOf(c.Kernel) {
		var ints checked
		if s := dims[l.Extent-kernel.Rows]; l.Chunks && !v.byChunks(&ints, s, l.Most) {
			return fmt.Sprintf("%s=%s is not the chunks of %d by which the kernel combines", kernel.NameOf(c.Kernel, l.Extent), s, l.Most)
		}
	}
	for _, info := range c.Kernel.Args() {
		if info.Across >= kernel.Field0 && dims[info.Across-kernel.Rows].Loop != -1 {
			return fmt.Sprintf("%s changes with a loop", kernel.NameOf(c.Kernel, info.Across))
		}
	}
	n := make([]int, len(dims))
	return v.eachCover(used, func(ints *checked, covers []int) string {
		for i, s := range dims {
			if n[i] = s.N; s.Loop >= 0 {
				n[i] = ints.mul(s.N, covers[s.Loop])
			}
		}
		if ints.bad {
			return "its sizes pass int"
		}
		if err := kernel.CheckSizes(c.Kernel, n[0], n[1], n[2:]); err != nil {
			return err.Error()
		}
		return ""
	})
}

// maxCovers is the greatest number of combinations of iterations that eachCover tries.
const maxCovers = 4096

// eachCover calls f for each combination of the numbers of indices that iterations of some loops may cover, and returns the first error
// text. The loops must include those that their extents depend on.
func (v *verifier) eachCover(loops []bool, f func(c *checked, covers []int) (wrong string)) (wrong string) {
	var c checked
	covers, left := make([]int, len(loops)), maxCovers
	var from func(k int) string
	from = func(k int) string {
		for k < len(loops) && !loops[k] {
			k++
		}
		if k == len(loops) {
			if left--; left < 0 {
				return fmt.Sprintf("its sizes are of loops whose iterations differ in more than %d ways", maxCovers)
			}
			return f(&c, covers)
		}
		l := &v.loops[k]
		extent := l.n
		if l.parent >= 0 {
			extent = c.mul(l.n, covers[l.parent])
		}
		for _, n := range [...]int{min(l.tile, extent), extent % l.tile} {
			if covers[k] = n; n > 0 {
				if wrong := from(k + 1); wrong != "" {
					return wrong
				}
			}
		}
		return ""
	}
	return from(0)
}

// byChunks reports whether a size that is of a loop's iterations is a whole number of chunks in all iterations but the last. Each loop
// that the loop's extent depends on must have whole chunks too.
func (v *verifier) byChunks(c *checked, s Size, chunk int) bool {
	each := s.N // the number of elements of one index of the loop
	for at := s.Loop; at >= 0; at = v.loops[at].parent {
		l := &v.loops[at]
		if l.count() > 1 && c.mul(each, l.tile)%chunk != 0 {
			return false
		}
		each = c.mul(each, l.n)
	}
	return !c.bad
}
