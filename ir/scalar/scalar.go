// Package scalar is the arithmetic of one element that Go's standard library lacks:
// float32 multiply-add rounded once, conversions of float16, minimum and maximum under
// names of their own. The evaluator and the generated Go loops call the same functions, so
// they compute the same bits. It imports the standard library alone: generated files are
// compiled again only if it or package abi changes.
package scalar

import "cmp"

// Min is the builtin min: NaN if one operand is, and -0 is less than 0. Generated code
// calls it, because the package that it is part of may declare the name min.
func Min[T cmp.Ordered](x, y T) T { return min(x, y) }

// Max is the builtin max. See Min.
func Max[T cmp.Ordered](x, y T) T { return max(x, y) }
