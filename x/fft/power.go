package fft

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// This file transforms lines whose length is a power of two: several side by side, by the Stockham
// algorithm with radix 4 (Van Loan, Computational frameworks for the fast Fourier transform, 1992,
// section 1.7), which needs no reordering. A line that is too long for a cache is a matrix: its
// columns are transformed, multiplied by roots of unity, and then its rows (Bailey, FFTs in external or
// hierarchical memory, 1990). So each number is read from memory and written to it twice.

// lanes is the number of lines that are transformed side by side: two cache lines of numbers.
const lanes = 8

// wholePower is the base-2 logarithm of the longest line that is transformed at once: lanes of them, twice, take 1 MB.
const wholePower = 12

// power transforms lines of n numbers, a power of two.
type power struct {
	n     int
	roots []complex128 // exp(-2πi·k/n)
}

func isPower(n int) bool { return n&(n-1) == 0 }

func newPower(n int) *power {
	t := &power{n: n, roots: make([]complex128, n)}
	for k := range t.roots {
		t.roots[k] = root(k, n)
	}
	return t
}

// powers caches transforms of lines that are transformed at once, by length.
var powers sync.Map

// powerOf is newPower with a cache for lines that are transformed at once.
func powerOf(n int) *power {
	if n > 1<<wholePower {
		return newPower(n)
	}
	t, ok := powers.Load(n)
	if !ok {
		t, _ = powers.LoadOrStore(n, newPower(n))
	}
	return t.(*power)
}

// root returns exp(-2πi·k/n).
func root(k, n int) complex128 {
	sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
	return complex(cos, -sin)
}

// transform transforms s lines side by side: number k of line q is x[k*s+q]. The result is in x or
// in y, which has the same length.
func (t *power) transform(x, y []complex128, s int) []complex128 {
	n := t.n
	for ; n >= 4; n, s = n/4, 4*s {
		t.quarter(x, y, n, s)
		x, y = y, x
	}
	if n == 1 {
		return x
	}
	a, b := x[:s], x[s:2*s]
	c, d := y[:s], y[s:2*s]
	for q, v := range a {
		w := b[q]
		c[q], d[q] = v+w, v-w
	}
	return y
}

// quarter splits each line of n numbers into four lines of n/4.
func (t *power) quarter(x, y []complex128, n, s int) {
	m, stride := n/4, t.n/n
	for p := range m {
		w1, w2, w3 := t.roots[p*stride], t.roots[2*p*stride], t.roots[3*p*stride]
		a, b, c, d := x[p*s:][:s], x[(p+m)*s:][:s], x[(p+2*m)*s:][:s], x[(p+3*m)*s:][:s]
		e, f, g, h := y[4*p*s:][:s], y[(4*p+1)*s:][:s], y[(4*p+2)*s:][:s], y[(4*p+3)*s:][:s]
		for q := range a {
			sum, difference := a[q]+c[q], a[q]-c[q]
			sum2, turned := b[q]+d[q], b[q]-d[q]
			turned = complex(-imag(turned), real(turned))
			e[q] = sum + sum2
			f[q] = w1 * (difference - turned)
			g[q] = w2 * (sum - sum2)
			h[q] = w3 * (difference + turned)
		}
	}
}

// strided describes lines of numbers in memory: number k of line i is at first(i) + k*step.
type strided struct {
	data  []complex128
	first func(line int) int
	step  int
}

// powerLines transforms count lines of n numbers, a power of two. Source and destination may be the same.
func powerLines(ctx context.Context, from, to strided, n, count int, inverse bool) error {
	if n <= 1<<wholePower {
		sideBySide(ctx, powerOf(n), from, to, count, inverse, nil)
		return ctx.Err()
	}
	rows := 1 << (bits.Len(uint(n)) / 2)
	cols := n / rows
	down, across := powerOf(rows), powerOf(cols)
	low, high := make([]complex128, rows), make([]complex128, cols) // exp(-2πi·k/n) = low[k%rows] · high[k/rows]
	for k := range low {
		low[k] = root(k, n)
	}
	for k := range high {
		high[k] = root(k, cols)
	}
	shift := bits.TrailingZeros(uint(rows))
	turn := func(k, line int) complex128 { return low[k*line&(rows-1)] * high[k*line>>shift] }
	work := make([]complex128, n)
	for line := 0; line < count && ctx.Err() == nil; line++ {
		columns := strided{from.data[from.first(line):], func(i int) int { return i * from.step }, cols * from.step}
		sideBySide(ctx, down, columns, strided{work, func(i int) int { return i }, cols}, cols, inverse, turn)
		result := strided{to.data[to.first(line):], func(i int) int { return i * to.step }, rows * to.step}
		sideBySide(ctx, across, strided{work, func(i int) int { return i * cols }, 1}, result, rows, inverse, nil)
	}
	return ctx.Err()
}

// sideBySide transforms lines, divided among all processors, and multiplies number k of each by turn(k, line), unless
// turn is nil. The inverse is the transform with real and imaginary parts exchanged before and after.
func sideBySide(ctx context.Context, t *power, from, to strided, count int, inverse bool, turn func(k, line int) complex128) {
	blocks := (count-1)/lanes + 1
	var next atomic.Int64
	parallel(min(runtime.GOMAXPROCS(0), blocks), func(int) {
		var at [lanes]int
		memory := make([]complex128, 2*min(lanes, count)*t.n)
		x, y := memory[:len(memory)/2], memory[len(memory)/2:]
		for block := int(next.Add(1)) - 1; block < blocks && ctx.Err() == nil; block = int(next.Add(1)) - 1 {
			line := block * lanes
			s := min(lanes, count-line)
			begin := at[:s]
			for q := range begin {
				begin[q] = from.first(line + q)
			}
			for k := range t.n {
				for q, first := range begin {
					x[k*s+q] = exchanged(from.data[first+k*from.step], inverse)
				}
			}
			z := t.transform(x[:s*t.n], y[:s*t.n], s)
			for q := range begin {
				begin[q] = to.first(line + q)
			}
			for k := range t.n {
				for q, first := range begin {
					v := z[k*s+q]
					if turn != nil {
						v *= turn(k, line+q)
					}
					to.data[first+k*to.step] = exchanged(v, inverse)
				}
			}
		}
	})
}

// exchanged returns a number, with its parts exchanged if requested.
func exchanged(v complex128, is bool) complex128 {
	if is {
		return complex(imag(v), real(v))
	}
	return v
}
