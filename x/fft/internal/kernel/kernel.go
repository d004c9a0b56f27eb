// Package kernel has the loops of package fft: butterflies, which transform 2 to 8 numbers each, and transpositions. The
// assembly, for AVX2, and the Go loops come from the same lists of operations and give the same bits.
package kernel

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/scalar"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

//go:generate go run ../gen

// Element is the type of a number's parts.
type Element interface{ float32 | float64 }

// Lanes returns the number of elements of a vector. The columns of frames, and the rows of transpositions, are
// multiples of it.
func Lanes[T Element]() int {
	var t T
	return 32 / int(unsafe.Sizeof(t))
}

// Frame is the argument of a kernel. A butterfly of radix r transforms the r numbers that are InLeg bytes apart, for
// Rows x Cols of them, to numbers that are OutLeg bytes apart. Columns are contiguous; rows are InRow and OutRow bytes
// apart. If real and imaginary parts lie apart, InIm and OutIm are the addresses of the imaginary ones; if not, they are
// unused. Inputs and outputs must not overlap, except those of Divide and Join, which may be the same.
//
// Transpositions take blocks of lanes rows, InLeg bytes apart, and lanes columns. Rows counts the rows of blocks and
// Cols the columns. The rows of a transposed block are OutLeg bytes apart, and so are those of blocks side by side.
//
// Taps adds to Cols real numbers at Out, one after the other, elements i to i+Rows-1 of In, each times its element of
// Table.
//
// Divide and Join take Cols numbers from In on, and as many backwards, whose first vector is at InIm.
type Frame struct {
	Rows, Cols     int
	In, InIm       unsafe.Pointer
	InLeg, InRow   int
	Out, OutIm     unsafe.Pointer
	OutLeg, OutRow int
	Table          unsafe.Pointer
	Second         unsafe.Pointer
}

// Form says where a kernel finds the parts of numbers, and what it does besides the butterfly.
type Form uint8

const (
	Twiddled            Form = iota // result k > 0 of a row is multiplied by number k-1 of the row's r-1 numbers in Table
	Plain                           // not multiplied
	FromPairsTwiddled               // from interleaved numbers
	FromPairs                       //
	FromSwappedTwiddled             // from interleaved numbers, with the parts exchanged
	FromSwapped                     //
	ToPairs                         // to interleaved numbers, multiplied by the real number at Second
	ToSwapped                       // the same, with the parts exchanged

	Turned        // the block of a row and lanes columns, multiplied by its factors in Table, is transposed
	TurnedTwice   // the same; the factors are multiplied by those of the block's rows in Second
	Pack          // interleaved numbers are transposed to split ones
	PackSwapped   // the same, with the parts exchanged
	Unpack        // split numbers are transposed to interleaved ones, multiplied by the real number at Second
	UnpackSwapped // the same, with the parts exchanged
	Divide        // the transform of pairs of real numbers becomes that of the numbers
	Join          // the inverse
	Taps          // sums of Rows products of real numbers, with the elements of Table
)

func (f Form) twiddled() bool {
	return f == Twiddled || f == FromPairsTwiddled || f == FromSwappedTwiddled
}

// Key identifies a kernel: the bits of its elements, its radix (0 for a transposition) and its form.
type Key struct {
	Bits, Radix int
	Form        Form
}

// avx2 has the kernels in assembly.
var avx2 = map[Key]func(*Frame){}

// Of returns the kernel for elements of type T.
func Of[T Element](radix int, form Form) func(*Frame) {
	if abi.Best() >= abi.AVX2 {
		var t T
		if f := avx2[Key{8 * int(unsafe.Sizeof(t)), radix, form}]; f != nil {
			return f
		}
	}
	return Portable[T](radix, form)
}

// Portable is Of without assembly.
func Portable[T Element](radix int, form Form) func(*Frame) {
	switch form {
	case Turned, TurnedTwice:
		return func(f *Frame) { turn[T](f, form == TurnedTwice) }
	case Pack, PackSwapped, Unpack, UnpackSwapped:
		return func(f *Frame) { pack[T](f, form) }
	case Taps:
		return taps[T]
	case Divide, Join:
		return func(f *Frame) { mirror[T](f, form == Join) }
	}
	f := generic[T](radix)
	return func(frame *Frame) { f(frame, form) }
}

// fma returns x*y + z, rounded once.
func fma[T Element](x, y, z T) T {
	if unsafe.Sizeof(x) == 8 {
		return T(math.FMA(float64(x), float64(y), float64(z)))
	}
	return T(scalar.FMA32(float32(x), float32(y), float32(z)))
}

// times returns the product of two complex numbers, as the kernels compute it.
func times[T Element](re, im, wr, wi T) (T, T) {
	return fma(re, wr, -T(im*wi)), fma(re, wi, T(im*wr))
}

// cursor is the place of the numbers of a column: the addresses of the first ones, and bytes from there. Addresses beyond
// the end of memory would be bad pointers.
type cursor[T Element] struct {
	re, im          unsafe.Pointer
	at              int
	leg, step, line int
	scale           T
}

func (c *cursor[T]) next() { c.at += c.step }

// row advances from the end of a row of columns to the next row.
func (c *cursor[T]) row(columns int) { c.at += c.line - columns*c.step }

func (c *cursor[T]) get(leg int) (re, im T) {
	at := c.at + leg*c.leg
	return *(*T)(unsafe.Add(c.re, at)), *(*T)(unsafe.Add(c.im, at))
}

func (c *cursor[T]) put(leg int, re, im T) {
	at := c.at + leg*c.leg
	*(*T)(unsafe.Add(c.re, at)), *(*T)(unsafe.Add(c.im, at)) = re*c.scale, im*c.scale
}

// putTimes stores a number multiplied by number k of a table, unless that is empty.
func (c *cursor[T]) putTimes(leg int, re, im T, table []T, k int) {
	if len(table) > 0 {
		re, im = times(re, im, table[2*k], table[2*k+1])
	}
	c.put(leg, re, im)
}

// factors returns the table of a butterfly, or nil.
func factors[T Element](f *Frame, form Form, radix int) []T {
	if !form.twiddled() {
		return nil
	}
	return unsafe.Slice((*T)(f.Table), 2*(radix-1)*f.Rows)
}

func source[T Element](f *Frame, form Form) cursor[T] {
	swap := form == FromSwapped || form == FromSwappedTwiddled || form == PackSwapped
	return at[T](f.In, f.InIm, f.InLeg, f.InRow, swap || form == FromPairs || form == FromPairsTwiddled || form == Pack, swap)
}

func destination[T Element](f *Frame, form Form) cursor[T] {
	swap := form == ToSwapped || form == UnpackSwapped
	pairs := swap || form == ToPairs || form == Unpack
	c := at[T](f.Out, f.OutIm, f.OutLeg, f.OutRow, pairs, swap)
	if pairs {
		c.scale = *(*T)(f.Second)
	}
	return c
}

func at[T Element](re, im unsafe.Pointer, leg, line int, pairs, swap bool) cursor[T] {
	c := cursor[T]{re: re, im: im, leg: leg, line: line, scale: 1}
	size := int(unsafe.Sizeof(c.scale))
	c.step = size
	if pairs {
		c.im, c.step = unsafe.Add(re, size), 2*size
	}
	if swap {
		c.re, c.im = c.im, c.re
	}
	return c
}

// turn is the transposition.
func turn[T Element](f *Frame, twice bool) {
	lanes := Lanes[T]()
	var t T
	size := int(unsafe.Sizeof(t))
	block := 2 * lanes * lanes // elements of the table for a block
	table := unsafe.Slice((*T)(f.Table), f.Rows*f.Cols/lanes*block)
	for row := range f.Rows {
		for col := 0; col < f.Cols; col += lanes {
			for j := range lanes {
				in := row*f.InRow + j*f.InLeg + col*size
				for i := range lanes {
					wr, wi := table[2*j*lanes+i], table[(2*j+1)*lanes+i]
					if twice {
						at := 2 * (row*lanes + j) * size
						wr, wi = times(wr, wi, *(*T)(unsafe.Add(f.Second, at)), *(*T)(unsafe.Add(f.Second, at+size)))
					}
					re, im := times(*(*T)(unsafe.Add(f.In, in+i*size)), *(*T)(unsafe.Add(f.InIm, in+i*size)), wr, wi)
					out := row*f.OutRow + (col+i)*f.OutLeg + j*size
					*(*T)(unsafe.Add(f.Out, out)), *(*T)(unsafe.Add(f.OutIm, out)) = re, im
				}
			}
			table = table[block:]
		}
	}
}

// pack is the transposition between interleaved and split numbers.
func pack[T Element](f *Frame, form Form) {
	lanes := Lanes[T]()
	in, out := source[T](f, form), destination[T](f, form)
	for row := range f.Rows {
		for col := range f.Cols {
			in.at, out.at = row*f.InRow+col*in.step, row*f.OutRow+col*f.OutLeg
			for j := range lanes {
				re, im := in.get(j)
				out.put(0, re, im)
				out.next()
			}
		}
	}
}

// mirror is Divide, or Join.
func mirror[T Element](f *Frame, join bool) {
	lanes := Lanes[T]()
	size := int(unsafe.Sizeof(T(0)))
	at := func(p unsafe.Pointer, i int) *T { return (*T)(unsafe.Add(p, i*size)) }
	for k := range f.Cols {
		i := k%lanes + k/lanes*2*lanes
		j := 2 * (lanes - 1 - k)
		first, second := mirrored(*at(f.In, 2*k), *at(f.In, 2*k+1), *at(f.InIm, j), *at(f.InIm, j+1), *at(f.Table, i), *at(f.Table, i+lanes), join)
		*at(f.Out, 2*k), *at(f.Out, 2*k+1) = first[0], first[1]
		*at(f.OutIm, j), *at(f.OutIm, j+1) = second[0], second[1]
	}
}

// mirrored returns what Divide or Join makes of numbers a = k and b = m-k and the factor u.
func mirrored[T Element](ar, ai, br, bi, ur, ui T, join bool) (first, second [2]T) {
	sr, si := ar+br, ai-bi
	dr, di := ar-br, ai+bi
	if join {
		dr, di = times(dr, di, ur, -ui)
		return [2]T{sr + dr, si + di}, [2]T{sr - dr, di - si}
	}
	dr, di = times(dr, di, ur, ui)
	return [2]T{(sr + dr) * 0.5, (si + di) * 0.5}, [2]T{(sr - dr) * 0.5, (di - si) * 0.5}
}

// taps is Taps.
func taps[T Element](f *Frame) {
	in, table := unsafe.Slice((*T)(f.In), f.Cols+f.Rows-1), unsafe.Slice((*T)(f.Table), f.Rows)
	out := unsafe.Slice((*T)(f.Out), f.Cols)
	for i, sum := range out {
		for k, t := range table {
			sum = fma(in[i+k], t, sum)
		}
		out[i] = sum
	}
}
