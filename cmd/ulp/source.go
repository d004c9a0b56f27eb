package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// chunkLen is the number of arguments computed at once, which stay in the cache with their results.
const chunkLen = 1 << 14

// drawnAtOnce is the chunk size of a sample: the search continues from the worst of each chunk.
const drawnAtOnce = 512

// source yields arguments in chunks, always the same ones.
type source[T float] struct {
	chunks int
	tried  uint64
	fill   func(chunk int, xs, ys []T) int // returns the number of arguments
}

// everything yields all float32, in the order of their bits.
func everything() source[float32] {
	const n = 1 << 32
	return source[float32]{chunks: n / chunkLen, tried: n, fill: func(chunk int, xs, _ []float32) int {
		bits := uint32(chunk * chunkLen)
		for i := range xs {
			xs[i] = math.Float32frombits(bits)
			bits++
		}
		return len(xs)
	}}
}

// patterns draws n arguments or pairs by integer arithmetic, so that they are the same on every machine: half of them
// any elements, half with moderate exponents.
func patterns[T float](n int) source[T] {
	length := min(n, chunkLen)
	return source[T]{chunks: n / length, tried: uint64(n), fill: func(chunk int, xs, ys []T) int {
		r := rand.New(rand.NewPCG(uint64(chunk), 1))
		for i := range length {
			xs[i], ys[i] = pattern[T](r), pattern[T](r)
		}
		return length
	}}
}

func pattern[T float](r *rand.Rand) T {
	dt, b := dtypeOf[T](), r.Uint64()
	f := formats[dt]
	if r.Uint64()&1 == 0 {
		exponent := uint64(f.Most - 1 - 30 + r.IntN(40)) // 2^-30 to 2^10
		fraction := uint64(1)<<(f.Bits-1) - 1
		sign := b >> 63 << (8*dt.Size() - 1)
		b = b&fraction | exponent<<(f.Bits-1) | sign
	}
	return T(fromBits(dt, b))
}

// sample yields the special arguments (all pairs, for two arguments), known bad arguments, those of worst, and then n
// random ones. Each chunk is drawn from one stratum of f or one shared by all functions; for two arguments from a pair
// of strata, or from those of y and of the quotient.
func sample[T float](f *function, worst [][2]float64, n int) source[T] {
	dt := dtypeOf[T]()
	first := tuples[T](f, specials(dt))
	for _, p := range slices.Concat(known[f.op], worst) {
		first = append(first, [2]T{T(p[0]), T(p[1])})
	}
	length := drawnAtOnce
	before := (len(first) + length - 1) / length
	common := []stratum{anything, subnormal, besideBorders(f.op), values(-8, 8)}
	if f.exact.Arity == 2 {
		common = append(common, plain)
	}
	sx, sy := slices.Concat(common, f.hard), slices.Concat(common, f.hardY)
	return source[T]{chunks: before + (n+length-1)/length, tried: uint64(len(first) + n), fill: func(chunk int, xs, ys []T) int {
		if chunk < before {
			part := first[chunk*length : min(len(first), (chunk+1)*length)]
			for i, p := range part {
				xs[i], ys[i] = p[0], p[1]
			}
			return len(part)
		}
		chunk -= before
		r := rand.New(rand.NewPCG(uint64(chunk), uint64(f.op)))
		drawX, drawY := sx[chunk%len(sx)], sy[chunk/len(sx)%len(sy)]
		quotient := len(f.hardQ) > 0 && r.IntN(3) == 0
		count := min(length, n-chunk*length)
		for i := range count {
			xs[i] = T(drawX(r, dt))
			if f.exact.Arity == 2 {
				ys[i] = T(drawY(r, dt))
			}
			if quotient {
				xs[i] = T(f.hardQ[r.IntN(len(f.hardQ))](r, dt)) * ys[i]
			}
		}
		return count
	}}
}

// tuples returns the given arguments, in all pairs for functions of two.
func tuples[T float](f *function, at []float64) [][2]T {
	var out [][2]T
	for _, x := range at {
		if f.exact.Arity == 1 {
			out = append(out, [2]T{T(x)})
			continue
		}
		for _, y := range at {
			out = append(out, [2]T{T(x), T(y)})
		}
	}
	return out
}
