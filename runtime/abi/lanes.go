package abi

import "cmp"

// LaneMin is min, and LaneMax is max, for generated code: the package that it is
// part of may have declared the names min and max as something else.
func LaneMin[T cmp.Ordered](x, y T) T { return min(x, y) }

// LaneMax is max. See LaneMin.
func LaneMax[T cmp.Ordered](x, y T) T { return max(x, y) }
