package graph

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Random numbers in programs: each element is a function of a key and of its place, so that it is computed in the loop that
// reads it, with the same bits on any number of threads and every processor.

// Random is a source of random numbers: a key of 64 bits. The generator is Threefry with two words of 32 bits and 20 rounds
// (Salmon and others, Parallel random numbers: as easy as 1, 2, 3, 2011). It is fast and passes statistical tests, but it
// is no cipher.
//
// A method gives the same numbers whenever it is called with the same extents: draw different ones from Streams.
//
//	r := graph.NewRandom(graph.Input("seed", graph.Uint64))
//	noise := r.Stream(0).Normal(graph.Float32, graph.Dim("n"))
//	keep := r.Stream(1).Uniform(graph.Float32, graph.Dim("n")).Lt(0.9)
type Random struct{ key words }

// words are the two words of a key, or of a block of random bits.
type words [2]Node

// NewRandom returns the source of a seed: an integer, or a Uint64 scalar (Node or Tensor), such as an input of the
// program.
func NewRandom(seed any) Random {
	s := Node{operand(seed, Uint64)}
	if n := s.get(); n.err == nil && (n.typ.DType != Uint64 || len(n.typ.Shape) > 0) {
		s = fail("a seed of %s: give an integer, or a uint64 scalar", n.text())
	}
	return Random{halves(s)}
}

// halves returns the high and the low word.
func halves(x Node) words { return words{x.Shr(32).Cast(Uint32), x.Cast(Uint32)} }

// Stream returns a source whose numbers are independent of those of all other streams of r, and of r's own. Index is an
// integer, or a Uint64 scalar (Node or Tensor), below 2^63: its highest bit does not count.
func (r Random) Stream(index any) Random {
	at := NewRandom(index).key
	at[0] = at[0].Or(uint32(streams))
	return Random{threefry(r.key, at)}
}

// The place of a block of random bits is 64 bits long. In its highest bits are what the block is for, so that no two uses
// share one.
const (
	streams = 1 << 31 // keys of streams
	seconds = 1 << 30 // the second block of an element
)

// Bits returns 64 random bits for each element, as Uint64.
func (r Random) Bits(extents ...any) Node {
	b := r.block(0, extents)
	return b[0].Cast(Uint64).Shl(32).Or(b[1].Cast(Uint64))
}

// Uniform returns uniform floats in [0, 1): multiples of 2^-24 for Float32, of 2^-53 for Float64, and Float32's rounded
// towards 0 to 11 or 8 bits for Float16 and BFloat16.
func (r Random) Uniform(dt DType, extents ...any) Node {
	if err := checkDrawn(dt); err != nil {
		return fail("%w", err)
	}
	b := r.block(0, extents)
	switch dt {
	case Float64:
		return uniform64(b)
	case Float32:
		return b[0].Shr(8).Cast(Int32).Cast(Float32).Mul(0x1p-24)
	}
	digits := map[DType]int{Float16: 11, BFloat16: 8}[dt]
	return b[0].Shr(32 - digits).Cast(Int32).Cast(Float32).Mul(1 / float64(int(1)<<digits)).Cast(dt)
}

// uniform64 returns multiples of 2^-53 in [0, 1): 26 bits of one word and 27 of the other.
func uniform64(b words) Node {
	high, low := b[0].Shr(6).Cast(Int32).Cast(Float64), b[1].Shr(5).Cast(Int32).Cast(Float64)
	return high.Mul(0x1p27).Add(low).Mul(0x1p-53)
}

// Normal returns normally distributed floats of mean 0 and deviation 1, by the method of Box and Muller (1958). Their
// magnitudes are below 6.7, those of Float64 below 8.6.
func (r Random) Normal(dt DType, extents ...any) Node {
	if err := checkDrawn(dt); err != nil {
		return fail("%w", err)
	}
	b := r.block(0, extents)
	if dt == Float64 {
		radius := uniform64(b).Neg().Add(1) // in (0, 1]
		return radius.Log().Mul(-2).Sqrt().Mul(uniform64(r.block(seconds, extents)).Mul(twoPi).Cos())
	}
	radius := b[0].Shr(1).Cast(Int32).Cast(Float32).Add(0.5).Mul(0x1p-31)
	angle := b[1].Shr(8).Cast(Int32).Cast(Float32).Mul(twoPi * 0x1p-24)
	return radius.Log().Mul(-2).Sqrt().Mul(angle.Cos()).Cast(dt)
}

const twoPi = 6.283185307179586

// Exponential returns floats of the exponential distribution with mean 1.
func (r Random) Exponential(dt DType, extents ...any) Node {
	if err := checkDrawn(dt); err != nil {
		return fail("%w", err)
	}
	b := r.block(0, extents)
	if dt == Float64 {
		return uniform64(b).Neg().Log1p().Neg()
	}
	return b[0].Shr(1).Cast(Int32).Cast(Float32).Add(0.5).Mul(0x1p-31).Log().Neg().Cast(dt)
}

// Integers returns integers from least to below end, as Int64: each with the same probability, but for a part of 2^-32.
// There must be at least one and at most 2^32 of them.
func (r Random) Integers(least, end int64, extents ...any) Node {
	count := uint64(end) - uint64(least)
	if end <= least || count > 1<<32 {
		return fail("integers from %d to below %d: give at least one, and at most 2^32", least, end)
	}
	b := r.block(0, extents)
	// the high word of a product of the 64 random bits with the count
	low := b[1].Cast(Uint64).Mul(count).Shr(32)
	return b[0].Cast(Uint64).Mul(count).Add(low).Shr(32).Cast(Int64).Add(least)
}

// Bernoulli returns bools that are true with probability p: a number, or a Node or Tensor of floats that broadcasts with the
// extents. A p of 0 or less gives false, one of 1 or more true, and NaN false.
func (r Random) Bernoulli(p any, extents ...any) Node {
	dt := Float64
	if v, ok := p.(Node); ok && v.Err() == nil {
		dt = v.DType()
	} else if v, ok := p.(*Tensor); ok && v.Err() == nil {
		dt = v.DType()
	}
	return r.Uniform(dt, extents...).Lt(p)
}

// Permutation returns the integers from 0 to below n in random order, as Int64: the order of n random numbers of 64 bits.
func (r Random) Permutation(n any) Node { return r.Bits(n).ArgSort(0) }

func checkDrawn(dt DType) error {
	if ir.Floats.Has(dt) {
		return nil
	}
	return fmt.Errorf("does not draw %s: draw one of %s, and Cast", dt, ir.Floats)
}

// block returns random bits for each element of an array. use is in the highest bits of the places.
func (r Random) block(use int, extents []any) words {
	shape, err := extentsOf(extents)
	if err != nil {
		n := fail("%w", err)
		return words{n, n}
	}
	size := shape.NumElems()
	at := words{Scalar(Uint32, use), Iota(Uint32, size)}
	if n, known := size.Int(); !known || uint64(n) > 1<<32 {
		at = halves(Iota(Uint64, size))
		at[0] = at[0].Or(use)
	}
	b := threefry(r.key, at)
	return words{b[0].Reshape(shape), b[1].Reshape(shape)}
}

// rotations are the distances of the rounds, which repeat.
var rotations = [8]int{13, 15, 26, 6, 17, 29, 16, 24}

// threefry returns the random bits of a place.
func threefry(key, at words) words {
	const parity = 0x1bd11bda
	keys := [3]Node{key[0], key[1], key[0].Xor(key[1]).Xor(parity)}
	a, b := at[0].Add(keys[0]), at[1].Add(keys[1])
	for round := range 20 {
		a = a.Add(b)
		distance := rotations[round%8]
		b = b.Shl(distance).Or(b.Shr(32 - distance)).Xor(a)
		if round%4 == 3 {
			n := round/4 + 1
			a = a.Add(keys[n%3])
			b = b.Add(keys[(n+1)%3].Add(n))
		}
	}
	return words{a, b}
}
