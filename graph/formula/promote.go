package formula

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Result types as in NumPy 2 (NEP 50): a Python number beside an array has no type of its own, and operands are
// converted to a type that holds the elements of both.

const (
	pi    = math.Pi
	euler = math.E
)

var inf, nan = math.Inf(1), math.NaN()

// fractional reports whether a type has fractions: floats, and fixed16x16.
func fractional(dt graph.DType) bool { return dt >= graph.Float16 && dt <= graph.Fixed16x16 }

func isUnsigned(dt graph.DType) bool { return graph.Uint8 <= dt && dt <= graph.Uint64 }

// promoted returns the type that operands of two types are converted to. Types that are only stored count as those that
// they are computed in.
func promoted(a, b graph.DType) graph.DType {
	if dt, ok := ir.Promote(a, b); ok {
		return dt
	}
	dt, _ := ir.Promote(a.Compute(), b.Compute())
	return dt
}

// A rule returns the type that a function computes in, from its operands.
type rule func(operands []value) graph.DType

// fixed computes in one type.
func fixed(dt graph.DType) rule { return func([]value) graph.DType { return dt } }

// same computes in the common type.
func same(operands []value) graph.DType {
	return common(operands, func(dt graph.DType) graph.DType { return dt })
}

// integers computes bools as int8.
func integers(operands []value) graph.DType {
	if dt := same(operands); dt != graph.Bool {
		return dt
	}
	return graph.Int8
}

// floating computes integers in the float type that NumPy's functions choose for them: each operand has its own, and
// these are promoted. So uint8 with int8 gives float16, though their common type is int16.
func floating(operands []value) graph.DType { return common(operands, ir.FloatOf) }

// quotient computes integers as float64.
func quotient(operands []value) graph.DType {
	if dt := same(operands); fractional(dt) {
		return dt
	}
	return graph.Float64
}

// total adds integers in 64 bits.
func total(operands []value) graph.DType { return sumOf(same(operands)) }

// sumOf returns the type of sums of an element type.
func sumOf(dt graph.DType) graph.DType {
	switch {
	case fractional(dt):
		return dt
	case isUnsigned(dt):
		return graph.Uint64
	}
	return graph.Int64
}

// common returns the type of arrays, each as the type that a function gives, and numbers together.
func common(operands []value, as func(graph.DType) graph.DType) graph.DType {
	var dt, weak graph.DType
	highest := 0 // class of the arrays as they are
	for _, v := range operands {
		if v.kind == numeric {
			weak = max(weak, v.num.class) // Bool < Int64 < Float64
			continue
		}
		highest = max(highest, ir.Class(v.node.DType()))
		if of := as(v.node.DType()); dt == 0 {
			dt = of
		} else {
			dt = promoted(dt, of)
		}
	}
	if dt == 0 || ir.Class(weak) > highest && weak != 0 {
		return as(weak)
	}
	return dt
}
