// Package eval defines what a program computes. It evaluates graphs and plans by their definitions: one value after
// another, one element after another, without fusion, tiles or threads. It is slow and simple.
//
// The tests of every pass and of both engines compare their results with those of this package, bit for bit. [Eval]
// evaluates an [ir.Func], [Plan] a plan, [Nests] a schedule. [CheckTranslation] compares a schedule with its plan in an
// arithmetic in which the results of rounding ops are arbitrary.
//
// Arrays hold each element as the bits that the lane operations of package ir take. All sizes of a program must be
// bound to numbers.
package eval
