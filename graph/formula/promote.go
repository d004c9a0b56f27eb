package formula

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Result types as in NumPy 2 (NEP 50): a Python number beside an array has no type of its own, and operands are
// converted to a type that holds the elements of both.

const (
	pi    = math.Pi
	euler = math.E
)

var inf, nan = math.Inf(1), math.NaN()

// class returns the class of an element type: bools, integers or floats, in this order.
func class(dt graph.DType) int {
	switch {
	case dt == graph.Bool:
		return 0
	case fractional(dt):
		return 2
	}
	return 1
}

// fractional reports whether a type has fractions: floats, and fixed16x16.
func fractional(dt graph.DType) bool { return dt >= graph.Float16 && dt <= graph.Fixed16x16 }

func isUnsigned(dt graph.DType) bool { return graph.Uint8 <= dt && dt <= graph.Uint64 }

// promoted returns the type that operands of two types are converted to, as NumPy's promote_types. For types that NumPy
// lacks: bfloat16 with float16 or an integer gives float32; fixed16x16 with a float of its size gives that float.
func promoted(a, b graph.DType) graph.DType {
	if class(a) > class(b) || class(a) == class(b) && a.Size() > b.Size() {
		a, b = b, a
	}
	switch { // a has the lower class, or is not larger
	case a == b || class(a) == 0:
		return b
	case class(a) == 2 && a.Size() == b.Size():
		return graph.Float32 // float16 with bfloat16
	case class(a) == 2:
		return b
	case class(b) == 2:
		if f := floating(a); f.Size() > b.Size() || b == graph.BFloat16 {
			return promoted(f, b)
		}
		return b
	case isUnsigned(a) == isUnsigned(b) || isUnsigned(a) && a.Size() < b.Size():
		return b
	}
	unsigned := a
	if isUnsigned(b) {
		unsigned = b
	}
	switch unsigned {
	case graph.Uint8:
		return graph.Int16
	case graph.Uint16:
		return graph.Int32
	case graph.Uint32:
		return graph.Int64
	}
	return graph.Float64
}

// A rule maps the common type of a function's operands to the type that it computes in.
type rule func(graph.DType) graph.DType

// same computes in the common type.
func same(dt graph.DType) graph.DType { return dt }

// integers computes bools as int8.
func integers(dt graph.DType) graph.DType {
	if dt == graph.Bool {
		return graph.Int8
	}
	return dt
}

// floating computes integers in the float type that NumPy's functions choose for them.
func floating(dt graph.DType) graph.DType {
	switch {
	case fractional(dt):
		return dt
	case dt.Size() == 1:
		return graph.Float16
	case dt.Size() == 2:
		return graph.Float32
	}
	return graph.Float64
}

// quotient computes integers as float64.
func quotient(dt graph.DType) graph.DType {
	if fractional(dt) {
		return dt
	}
	return graph.Float64
}

// total adds integers in 64 bits.
func total(dt graph.DType) graph.DType {
	switch {
	case fractional(dt):
		return dt
	case isUnsigned(dt):
		return graph.Uint64
	}
	return graph.Int64
}

// commonType returns the type of arrays and numbers together.
func commonType(values []value) graph.DType {
	var dt, weak graph.DType
	for _, v := range values {
		switch {
		case v.kind == numeric:
			weak = max(weak, v.num.class) // Bool < Int64 < Float64
		case dt == 0:
			dt = v.node.DType()
		default:
			dt = promoted(dt, v.node.DType())
		}
	}
	if dt == 0 || class(weak) > class(dt) && weak != 0 {
		return weak
	}
	return dt
}
