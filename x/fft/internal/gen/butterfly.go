package main

import (
	"math"

	"github.com/stridefuse/stridefuse/x/fft/internal/roots"
)

// This file builds the operations of kernels.

// elem is an element type: its name's digits, the suffix of its instructions, its bytes, and the lanes of a vector.
type elem struct {
	bits, suffix string
	bytes, lanes int
}

var radices = []int{1, 2, 3, 4, 5, 7, 8}

// variant is a form of a butterfly: how it reads numbers, how it writes them, and whether it multiplies results by
// twiddle factors.
type variant struct {
	name, key string
	in, out   form
	twiddled  bool
}

// form is how numbers lie in memory.
type form int

const (
	split   form = iota // real parts and imaginary parts apart
	pairs               // interleaved
	swapped             // interleaved, the imaginary part first
)

var variants = []variant{
	{"", "Twiddled", split, split, true},
	{"Last", "Plain", split, split, false},
	{"From", "FromPairsTwiddled", pairs, split, true},
	{"FromLast", "FromPairs", pairs, split, false},
	{"Swapped", "FromSwappedTwiddled", swapped, split, true},
	{"SwappedLast", "FromSwapped", swapped, split, false},
	{"To", "ToPairs", split, pairs, false},
	{"ToSwapped", "ToSwapped", split, swapped, false},
}

// code is a list of operations over vectors. Operation i makes value i.
type code struct {
	elem
	legs     int  // addresses that a column reads, and writes
	turned   bool // a transposition: from one column to the next, the output moves by whole legs
	mirrored bool // the second addresses of numbers, inIm and outIm, move backwards
	in, out  form
	table    int // bytes of the table that a row, or a column of a transposition, reads
	second   int // the same of the second table, for a row
	ops      []op
}

type op struct {
	name string // the portable operation or the stem of the instruction
	arg  []int
	imm  int     // of a shuffle
	f    float64 // of a constant
	at   place   // of a load or a store
}

// place is an address: a leg of an array and bytes from there.
type place struct {
	array string // in, inIm, out, outIm, table, second
	leg   int
	bytes int
}

// number is a complex number: the values of its parts.
type number struct{ re, im int }

func (c *code) add(o op) int {
	c.ops = append(c.ops, o)
	return len(c.ops) - 1
}

func (c *code) op(name string, arg ...int) int { return c.add(op{name: name, arg: arg}) }
func (c *code) constant(f float64) int         { return c.add(op{name: "const", f: f}) }
func (c *code) shuffle(name string, imm, a, b int) int {
	return c.add(op{name: name, arg: []int{a, b}, imm: imm})
}
func (c *code) load(p place) int     { return c.add(op{name: "load", at: p}) }
func (c *code) splat(p place) int    { return c.add(op{name: "splat", at: p}) }
func (c *code) store(p place, v int) { c.add(op{name: "store", arg: []int{v}, at: p}) }

// plus and the others are operations on complex numbers; timesI multiplies by -i.
func (c *code) plus(a, b number) number {
	return number{c.op("add", a.re, b.re), c.op("add", a.im, b.im)}
}

func (c *code) minus(a, b number) number {
	return number{c.op("sub", a.re, b.re), c.op("sub", a.im, b.im)}
}

// plusTurned returns a - ib and a + ib.
func (c *code) plusTurned(a, b number) (minus, plus number) {
	return number{c.op("add", a.re, b.im), c.op("sub", a.im, b.re)}, number{c.op("sub", a.re, b.im), c.op("add", a.im, b.re)}
}

// times returns a*w: re = a.re*w.re - (a.im*w.im), im = a.re*w.im + (a.im*w.re), each with a fused last operation.
func (c *code) times(a, w number) number {
	re := c.op("fms", a.re, w.re, c.op("mul", a.im, w.im))
	return number{re, c.op("fma", a.re, w.im, c.op("mul", a.im, w.re))}
}

// read loads a number of a leg.
func (c *code) read(leg int) number {
	if c.in == split {
		return number{c.load(place{"in", leg, 0}), c.load(place{"inIm", leg, 0})}
	}
	a := c.load(place{"in", leg, 0})
	b := c.load(place{"in", leg, c.bytes * c.lanes})
	n := c.unpaired(a, b)
	if c.in == swapped {
		n.re, n.im = n.im, n.re
	}
	return n
}

// write stores a number of a leg, scaled if it is interleaved.
func (c *code) write(leg int, n number) {
	if c.out == split {
		c.store(place{"out", leg, 0}, n.re)
		c.store(place{"outIm", leg, 0}, n.im)
		return
	}
	scale := c.splat(place{"second", 0, 0})
	n.re, n.im = c.op("mul", n.re, scale), c.op("mul", n.im, scale)
	if c.out == swapped {
		n.re, n.im = n.im, n.re
	}
	lo, hi := c.paired(n)
	c.store(place{"out", leg, 0}, lo)
	c.store(place{"out", leg, c.bytes * c.lanes}, hi)
}

// unpaired returns the numbers of two vectors of interleaved ones.
func (c *code) unpaired(a, b int) number {
	lo, hi := c.shuffle("perm128", 0x20, a, b), c.shuffle("perm128", 0x31, a, b)
	return number{c.shuffle("even", 0, lo, hi), c.shuffle("odd", 0, lo, hi)}
}

// paired returns two vectors of interleaved numbers.
func (c *code) paired(n number) (lo, hi int) {
	lo, hi = c.shuffle("unpacklow", 0, n.re, n.im), c.shuffle("unpackhigh", 0, n.re, n.im)
	return c.shuffle("perm128", 0x20, lo, hi), c.shuffle("perm128", 0x31, lo, hi)
}

// butterflyKernel returns the code of a transform of r numbers, each of another leg.
func butterflyKernel(t elem, r int, v variant) *code {
	c := &code{elem: t, legs: r, in: v.in, out: v.out}
	read := func(j int) number { return c.read(j) }
	write := func(k int, n number) {
		if v.twiddled && k > 0 {
			at := 2 * (k - 1) * t.bytes
			n = c.times(n, number{c.splat(place{"table", 0, at}), c.splat(place{"table", 0, at + t.bytes})})
		}
		c.write(k, n)
	}
	if v.twiddled {
		c.table = 2 * (r - 1) * t.bytes
	}
	c.transform(r, read, write)
	return c
}

// transform computes the transform of r numbers.
func (c *code) transform(r int, read func(int) number, write func(int, number)) {
	switch r {
	case 1:
		write(0, read(0))
	case 2:
		a, b := read(0), read(1)
		write(0, c.plus(a, b))
		write(1, c.minus(a, b))
	case 4:
		a, b := read(0), read(2)
		s, d := c.plus(a, b), c.minus(a, b)
		a, b = read(1), read(3)
		c.quarter(s, d, c.plus(a, b), c.minus(a, b), 0, 1, write)
	case 8:
		c.eighth(read, write)
	default:
		c.odd(r, read, write)
	}
}

// quarter ends a transform of four numbers: of the sum and the difference of the even ones, and of the odd ones. Result
// k is written as number first+k*step.
func (c *code) quarter(s0, d0, s1, d1 number, first, step int, write func(int, number)) {
	write(first, c.plus(s0, s1))
	write(first+2*step, c.minus(s0, s1))
	minus, plus := c.plusTurned(d0, d1)
	write(first+step, minus)
	write(first+3*step, plus)
}

// eighth is the transform of eight numbers: two of four, of sums and of differences. The differences' odd numbers are
// multiplied by exp(-πi/4) and exp(-3πi/4), whose factor √½ is left to the last additions.
func (c *code) eighth(read func(int) number, write func(int, number)) {
	var s, d [4]number
	for _, j := range []int{0, 2, 1, 3} {
		a, b := read(j), read(j+4)
		s[j], d[j] = c.plus(a, b), c.minus(a, b)
	}
	c.quarter(c.plus(s[0], s[2]), c.minus(s[0], s[2]), c.plus(s[1], s[3]), c.minus(s[1], s[3]), 0, 2, write)
	half := c.constant(math.Sqrt(0.5))
	even, odd := c.plusTurned(d[0], d[2])
	u, v := c.op("add", d[1].re, d[1].im), c.op("sub", d[1].im, d[1].re)
	p, q := c.op("sub", d[3].im, d[3].re), c.op("add", d[3].re, d[3].im)
	sum, difference := number{c.op("add", u, p), c.op("sub", v, q)}, number{c.op("sub", u, p), c.op("add", v, q)}
	write(1, number{c.op("fma", half, sum.re, even.re), c.op("fma", half, sum.im, even.im)})
	write(5, number{c.op("fnma", half, sum.re, even.re), c.op("fnma", half, sum.im, even.im)})
	write(3, number{c.op("fma", half, difference.im, odd.re), c.op("fnma", half, difference.re, odd.im)})
	write(7, number{c.op("fnma", half, difference.im, odd.re), c.op("fma", half, difference.re, odd.im)})
}

// odd is the transform of an odd number of numbers. The pairs x[j]+x[r-j] are multiplied by cosines, x[j]-x[r-j] by
// sines.
func (c *code) odd(r int, read func(int) number, write func(int, number)) {
	first := read(0)
	half := r / 2
	unity := roots.Of(r)
	s, d := make([]number, half+1), make([]number, half+1)
	sum := first
	for j := 1; j <= half; j++ {
		a, b := read(j), read(r-j)
		s[j], d[j] = c.plus(a, b), c.minus(a, b)
		sum = c.plus(sum, s[j])
	}
	write(0, sum)
	for k := 1; k <= half; k++ {
		even, odd := first, number{}
		for j := 1; j <= half; j++ {
			cos, sin := unity.At(j * k % r)
			sin = -sin
			cosine, sine := c.constant(cos), c.constant(math.Abs(sin))
			even = number{c.op("fma", cosine, s[j].re, even.re), c.op("fma", cosine, s[j].im, even.im)}
			switch {
			case j == 1:
				odd = number{c.op("mul", sine, d[j].re), c.op("mul", sine, d[j].im)}
			case sin > 0:
				odd = number{c.op("fma", sine, d[j].re, odd.re), c.op("fma", sine, d[j].im, odd.im)}
			default:
				odd = number{c.op("fnma", sine, d[j].re, odd.re), c.op("fnma", sine, d[j].im, odd.im)}
			}
		}
		minus, plus := c.plusTurned(even, odd)
		write(k, minus)
		write(r-k, plus)
	}
}

// transposeKernel returns the code that multiplies a square block by twiddle factors and transposes it. The factors are
// a table of the block; with two tables they are products of the first with a factor for each row.
func transposeKernel(t elem, two bool) *code {
	c := &code{elem: t, legs: t.lanes, turned: true, table: 2 * t.lanes * t.lanes * t.bytes}
	if two {
		c.second = 2 * t.lanes * t.bytes
	}
	vector := t.bytes * t.lanes
	x := make([]number, t.lanes)
	for j := range x {
		w := number{c.load(place{"table", 0, 2 * j * vector}), c.load(place{"table", 0, (2*j + 1) * vector})}
		if two {
			w = c.times(w, number{c.splat(place{"second", 0, 2 * j * t.bytes}), c.splat(place{"second", 0, (2*j + 1) * t.bytes})})
		}
		x[j] = c.times(c.read(j), w)
	}
	for part, array := range []string{"out", "outIm"} {
		rows := make([]int, t.lanes)
		for j, n := range x {
			rows[j] = []int{n.re, n.im}[part]
		}
		for j, v := range c.transposed(rows) {
			c.store(place{array, j, 0}, v)
		}
	}
	return c
}

// transposed returns the columns of a square block.
func (c *code) transposed(rows []int) []int {
	if c.lanes == 4 {
		a, b := c.shuffle("unpacklow", 0, rows[0], rows[1]), c.shuffle("unpackhigh", 0, rows[0], rows[1])
		d, e := c.shuffle("unpacklow", 0, rows[2], rows[3]), c.shuffle("unpackhigh", 0, rows[2], rows[3])
		return []int{c.shuffle("perm128", 0x20, a, d), c.shuffle("perm128", 0x20, b, e),
			c.shuffle("perm128", 0x31, a, d), c.shuffle("perm128", 0x31, b, e)}
	}
	quads := make([]int, 8) // column k%4 of rows 0 to 3 or 4 to 7, in both halves
	for h := range 2 {
		r := rows[4*h:]
		a, b := c.shuffle("unpacklow", 0, r[0], r[1]), c.shuffle("unpackhigh", 0, r[0], r[1])
		d, e := c.shuffle("unpacklow", 0, r[2], r[3]), c.shuffle("unpackhigh", 0, r[2], r[3])
		quads[4*h] = c.shuffle("shuffle", 0x44, a, d)
		quads[4*h+1] = c.shuffle("shuffle", 0xEE, a, d)
		quads[4*h+2] = c.shuffle("shuffle", 0x44, b, e)
		quads[4*h+3] = c.shuffle("shuffle", 0xEE, b, e)
	}
	out := make([]int, 8)
	for k := range 4 {
		out[k] = c.shuffle("perm128", 0x20, quads[k], quads[k+4])
		out[k+4] = c.shuffle("perm128", 0x31, quads[k], quads[k+4])
	}
	return out
}

// packKernel returns the code that transposes a square block of interleaved numbers to split ones, or back.
func packKernel(t elem, in, out form) *code {
	c := &code{elem: t, legs: t.lanes, turned: true, in: in, out: out}
	re, im := make([]int, t.lanes), make([]int, t.lanes)
	for j := range t.lanes {
		n := c.read(j)
		re[j], im[j] = n.re, n.im
	}
	if out == split {
		for part, array := range []string{"out", "outIm"} {
			for j, v := range c.transposed([][]int{re, im}[part]) {
				c.store(place{array, j, 0}, v)
			}
		}
		return c
	}
	re, im = c.transposed(re), c.transposed(im)
	for j := range re {
		c.write(j, number{re[j], im[j]})
	}
	return c
}

// mirrorKernel returns the code that takes apart the transform of pairs of real numbers, or joins it: a and b are numbers
// k and m-k, u is a factor of the table or its conjugate, and the results are a' = a + conj(b) + u·(a - conj(b)) and
// conj(a + conj(b) - u·(a - conj(b))), halved if the transform is taken apart.
func mirrorKernel(t elem, join bool) *code {
	c := &code{elem: t, legs: 1, mirrored: true, in: pairs, out: pairs, table: 2 * t.bytes * t.lanes}
	a := c.read(0)
	lo, hi := c.load(place{"inIm", 0, 0}), c.load(place{"inIm", 0, t.bytes * t.lanes})
	b := c.unpaired(lo, hi)
	b = number{c.reversed(b.re), c.reversed(b.im)}
	sum := number{c.op("add", a.re, b.re), c.op("sub", a.im, b.im)}
	d := number{c.op("sub", a.re, b.re), c.op("add", a.im, b.im)}
	u := number{c.load(place{"table", 0, 0}), c.load(place{"table", 0, t.bytes * t.lanes})}
	if join {
		d = number{c.op("fma", d.re, u.re, c.op("mul", d.im, u.im)), c.op("fnma", d.re, u.im, c.op("mul", d.im, u.re))}
	} else {
		d = c.times(d, u)
	}
	first, second := c.plus(sum, d), number{c.op("sub", sum.re, d.re), c.op("sub", d.im, sum.im)}
	if !join {
		half := c.constant(0.5)
		first = number{c.op("mul", first.re, half), c.op("mul", first.im, half)}
		second = number{c.op("mul", second.re, half), c.op("mul", second.im, half)}
	}
	second = number{c.reversed(second.re), c.reversed(second.im)}
	for i, n := range []number{first, second} {
		lo, hi := c.paired(n)
		array := []string{"out", "outIm"}[i]
		c.store(place{array, 0, 0}, lo)
		c.store(place{array, 0, t.bytes * t.lanes}, hi)
	}
	return c
}

// reversed returns a vector backwards.
func (c *code) reversed(v int) int {
	if c.lanes == 4 {
		return c.shuffle("reverse4", 0x1B, v, v)
	}
	v = c.shuffle("perm128", 1, v, v)
	return c.shuffle("shuffle", 0x1B, v, v)
}
