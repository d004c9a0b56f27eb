package main

import (
	"context"
	"math"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// A hash of results, to find out whether two engines have the same bits. It has four independent lanes so that it is
// faster than the functions, and each step is a bijection of the state.
const (
	hashSeed  = 0x9e3779b97f4a7c15
	hashPrime = 0xff51afd7ed558ccd
)

func mix(h, v uint64) uint64 {
	h = (h ^ v) * hashPrime
	return h ^ h>>32
}

// hashOf hashes elements by their bits; all NaNs are equal.
func hashOf[T float](xs []T) uint64 {
	lanes := [4]uint64{1, 2, 3, 4}
	switch xs := any(xs).(type) {
	case []float32:
		hashSingle(&lanes, xs)
	case []float64:
		for i, x := range xs {
			b := math.Float64bits(x)
			if x != x {
				b = 0x7ff8000000000001
			}
			lanes[i&3] = mix(lanes[i&3], b)
		}
	}
	return hash64(lanes[:])
}

// hashSingle mixes each pair of float32 into the next lane, eight elements at a time, with the lanes in registers.
func hashSingle(lanes *[4]uint64, xs []float32) {
	a, b, c, d := lanes[0], lanes[1], lanes[2], lanes[3]
	for ; len(xs) >= 8; xs = xs[8:] {
		a, b = mix(a, pairBits(xs[0], xs[1])), mix(b, pairBits(xs[2], xs[3]))
		c, d = mix(c, pairBits(xs[4], xs[5])), mix(d, pairBits(xs[6], xs[7]))
	}
	*lanes = [4]uint64{a, b, c, d}
	for i := 0; i+1 < len(xs); i += 2 {
		lanes[i>>1] = mix(lanes[i>>1], pairBits(xs[i], xs[i+1]))
	}
	if n := len(xs); n%2 == 1 {
		lanes[0] = mix(lanes[0], uint64(bits32(xs[n-1])))
	}
}

func pairBits(x, y float32) uint64 { return uint64(bits32(x))<<32 | uint64(bits32(y)) }

func bits32(x float32) uint32 {
	if x != x {
		return 0x7fc00000
	}
	return math.Float32bits(x)
}

func hash64(words []uint64) uint64 {
	h := uint64(hashSeed)
	for _, w := range words {
		h = mix(h, w)
	}
	return h
}

// quickHashed is the number of inputs in the hash of quick tests. sampleHashed is the number in the other hash, where
// that does not cover all inputs.
const (
	quickHashed  = 1 << 14
	sampleHashed = 1 << 22
)

// hashResults hashes the results of one engine over a source.
func hashResults[T float](ctx context.Context, f *function, fast bool, on abi.Engine, src source[T], workers int, show func(done int)) (uint64, error) {
	hashes := make([]uint64, src.chunks)
	err := inChunks(ctx, src.chunks, workers, show, func() (func(c int) error, error) {
		e, err := newEngine[T](f, fast, on)
		xs, ys := make([]T, chunkLen), make([]T, chunkLen)
		return func(c int) error {
			n := src.fill(c, xs, ys)
			out, err := e.run(ctx, xs[:n], ys[:n])
			hashes[c] = hashOf(out)
			return err
		}, err
	})
	return hash64(hashes), err
}
