package fft

import (
	"math"
	"math/bits"
)

// This file has Bluestein's algorithm, for lengths with a large prime factor. With jk =
// (j² + k² - (k-j)²)/2 the transform is
//
//	X[k] = c[k] · sum over j of (x[j]·c[j]) · conj(c[k-j]),  c[k] = exp(-πi·k²/n)
//
// whose sum is a convolution. It is computed by transforms of a power of two.

// largest is the greatest prime factor that gonum's transform is used for: it takes a time
// proportional to n times the sum of the prime factors.
const largest = 101

// largePrime reports whether n has a prime factor above largest.
func largePrime(n int) bool {
	for p := 2; p <= largest; p++ {
		for n%p == 0 {
			n /= p
		}
	}
	return n > 1
}

// bluestein transforms lines of n numbers.
type bluestein struct {
	chirp  []complex128 // c
	filter []complex128 // the transform of conj(c), cyclic, divided by its length
	work   []complex128
	spare  []complex128
	power  *power
}

func newBluestein(n int) *bluestein {
	length := 1 << bits.Len(uint(2*n-2)) // at least 2n-1
	b := &bluestein{
		chirp:  make([]complex128, n),
		filter: make([]complex128, length),
		spare:  make([]complex128, length),
		power:  newPower(length),
	}
	square := 0 // k² modulo 2n: the angle stays small, and exact
	for k := range n {
		sin, cos := math.Sincos(math.Pi * float64(square) / float64(n))
		b.chirp[k] = complex(cos, -sin)
		b.filter[k] = complex(cos/float64(length), sin/float64(length))
		if k > 0 {
			b.filter[length-k] = b.filter[k]
		}
		square = (square + 2*k + 1) % (2 * n)
	}
	b.filter = b.transformed(b.filter)
	b.work = make([]complex128, length)
	return b
}

// transformed returns the transform of a line of the convolution's length, in its memory or in the
// spare one, which it exchanges.
func (b *bluestein) transformed(line []complex128) []complex128 {
	out := b.power.transform(line, b.spare, 1)
	if &out[0] == &b.spare[0] {
		b.spare = line
	}
	return out
}

// transform writes the transform of from to to, which may be the same. The inverse is the
// transform with real and imaginary parts exchanged, before and after.
func (b *bluestein) transform(from, to []complex128, inverse bool) {
	clear(b.work)
	for k, v := range from {
		if inverse {
			v = complex(imag(v), real(v))
		}
		b.work[k] = v * b.chirp[k]
	}
	b.work = b.transformed(b.work)
	for k, v := range b.filter {
		b.work[k] *= v
	}
	b.work = b.transformed(b.work)
	for k := range to { // the inverse is the transform backwards
		v := b.work[(len(b.work)-k)%len(b.work)] * b.chirp[k]
		if inverse {
			v = complex(imag(v), real(v))
		}
		to[k] = v
	}
}
