package ir

import "math"

// Products of float64. They use the tree of any reduction (reduce.go), on numbers whose exponents are unbounded. So a product is infinite,
// zero or subnormal only if the exact one is, whatever the products of lanes and chunks are.
//
// A number is a significand and an exponent. At each level of the tree the significands are scaled to [1, 2) and multiplied, and the
// exponents are added; the product of 1024 significands is in range. Zeros, infinities and NaN are significands unchanged. At the end
// the significand is scaled by the exponent, and rounded once if the result is subnormal. If no product leaves the range, the bits are
// those of the tree without exponents. Products of float32 use that tree of plain products, but graph.Node.Prod converts them
// to float64 instead.

// ScalesProducts reports whether a reduction computes with significands and exponents.
func ScalesProducts(by Op, d DType) bool { return by == OpMul && d == Float64 }

// scaledLine is a line of significands and exponents.
type scaledLine struct {
	significands []uint64
	exponents    []int
}

// pick returns the numbers at some positions, each with its significand in [1, 2).
func (x scaledLine) pick(at []int) scaledLine {
	out := scaledLine{pick(x.significands, at), make([]int, len(at))}
	for i, k := range at {
		v := ToFloat(Float64, out.significands[i])
		out.exponents[i] = x.exponents[k]
		if v != 0 && v-v == 0 {
			m, e := math.Frexp(v)
			out.significands[i] = FromFloat(Float64, 2*m)
			out.exponents[i] += e - 1
		}
	}
	return out
}

// reduce multiplies chunks until one number is left.
func (x scaledLine) reduce() (significand uint64, exponent int) {
	for len(x.significands) > 1 {
		x = x.pick(upTo(len(x.significands)))
		var next scaledLine
		for begin := 0; begin < len(x.significands); begin += ReduceChunk {
			end := min(begin+ReduceChunk, len(x.significands))
			sum := 0
			for _, e := range x.exponents[begin:end] {
				sum += e
			}
			next.significands = append(next.significands, Defined.ReduceRow(OpMul, Float64, x.significands[begin:end]))
			next.exponents = append(next.exponents, sum)
		}
		x = next
	}
	return x.significands[0], x.exponents[0]
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// evalProduct computes the product along one group of axes after another.
func evalProduct(shape []int, axes []int, x []uint64) []uint64 {
	all := scaledLine{x, make([]int, len(x))}
	for _, group := range ReduceGroups(shape, axes) {
		var next scaledLine
		for _, line := range linesAlong(ShapeOf(shape...), group) {
			m, e := all.pick(line).reduce()
			next.significands, next.exponents = append(next.significands, m), append(next.exponents, e)
		}
		all, shape = next, without(shape, group)
	}
	out := make([]uint64, len(all.significands))
	for i, m := range all.significands {
		out[i] = FromFloat(Float64, math.Ldexp(ToFloat(Float64, m), all.exponents[i]))
	}
	return out
}
