package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// dotBuffers are for A, B and the product.
var dotBuffers = [3]buffer{newBuffer(16 * page), newBuffer(16 * page), newBuffer(16 * page)}

// testDot runs a dot kernel on blocks of all numbers of columns and pairs of one
// loop, two, and what is left of them, and of rows of three tiles and less.
func testDot(k *kernel.Kernel, f func(*Frame), rnd *rand.Rand) (int, error) {
	n, d := 0, k.In[0].DType
	for _, pairs := range []int{1, 2, 3, 4, 5, 7, 8, 63, ir.DotChunk} {
		for cols := range kernel.DotColumns(d) + 1 {
			for rows := range 15 {
				if pairs > 8 && rnd.IntN(8) > 0 {
					continue
				}
				n++
				if err := testDotCall(d, f, rnd, rows, cols, pairs); err != nil {
					return n, fmt.Errorf("%d x %d, %d pairs: %w", rows, cols, pairs, err)
				}
			}
		}
	}
	return n, nil
}

// matrix is an operand of a product, whose columns may be apart.
type matrix struct {
	buf                 []byte
	d                   ir.DType
	start, step, across int
}

func (m *matrix) at(r, c int) int { return m.start + r*m.step + c*m.across }

// lay places a matrix in its pages, at the start, at the end or anywhere, and
// fills it. Rows go forwards or backwards, with gaps or none. A loose matrix may
// stand still and have its columns apart.
func lay(buf buffer, d ir.DType, rows, cols int, loose, output, gentle bool, rnd *rand.Rand) *matrix {
	m := &matrix{buf: buf.mem, d: d, across: d.Size()}
	gap := []int{0, 0, d.Size(), 13, 64}[rnd.IntN(5)]
	m.step = cols*d.Size() + gap
	if loose && rnd.IntN(2) == 0 { // transposed
		m.step, m.across = d.Size(), rows*d.Size()+gap
	}
	turn := func(step *int) {
		switch rnd.IntN(6) {
		case 0, 1:
			*step = -*step
		case 2:
			if !output {
				*step = 0
			}
		}
	}
	if turn(&m.step); loose {
		turn(&m.across)
	}
	low, high := 0, d.Size()
	for _, span := range []int{(rows - 1) * m.step, (cols - 1) * m.across} {
		if rows == 0 || cols == 0 {
			continue
		}
		low, high = low+min(span, 0), high+max(span, 0)
	}
	room := len(buf.mem) - (high - low)
	m.start = []int{0, room, rnd.IntN(room + 1)}[rnd.IntN(3)] - low
	for i := range buf.mem {
		buf.mem[i] = guard
	}
	values := pool(d)
	for r := range rows {
		for c := range cols {
			v := element(d, values, rnd)
			if gentle {
				v = near(d, rnd.IntN(2), rnd)
			}
			put(buf.mem, m.at(r, c), d, v)
		}
	}
	return m
}

func testDotCall(d ir.DType, f func(*Frame), rnd *rand.Rand, rows, cols, pairs int) error {
	gentle, adds := rnd.IntN(3) > 0, rnd.IntN(2) == 0
	a := lay(dotBuffers[0], d, rows, pairs, true, false, gentle, rnd)
	b := lay(dotBuffers[1], d, pairs, cols, false, false, gentle, rnd)
	c := lay(dotBuffers[2], d, rows, cols, false, true, gentle, rnd)
	frame := &Frame{Rows: rows, Cols: cols}
	frame.Step[kernel.DotAcross], frame.Step[kernel.DotPairs] = a.across, pairs
	if adds {
		frame.Step[kernel.DotAdds] = []int{1, -1, 1 << 40}[rnd.IntN(3)]
	}
	var before [3][]byte
	for i, m := range []*matrix{a, b, c} {
		frame.Ptr[i], frame.Step[i] = unsafe.Pointer(&m.buf[m.start]), m.step
		before[i] = bytes.Clone(m.buf)
	}
	f(frame)
	x, y := make([]uint64, pairs), make([]uint64, pairs)
	for r := range rows {
		for n := range cols {
			for k := range pairs {
				x[k], y[k] = get(a.buf, a.at(r, k), d), get(b.buf, b.at(k, n), d)
			}
			want, at := ir.DotLine(d, x, y, false), c.at(r, n)
			if adds {
				want = ir.OpAdd.Info().Ref(d, d, [3]uint64{get(before[2], at, d), want})
			}
			got := get(c.buf, at, d)
			if ir.IsNaN(d, got) && ir.IsNaN(d, want) {
				want = got
			}
			if got != want {
				return fmt.Errorf("at %d,%d is %#x, not %#x (steps %v, adds %v)", r, n, got, want, frame.Step[:4], adds)
			}
			put(before[2], at, d, want)
		}
	}
	for i, m := range []*matrix{a, b, c} {
		if !bytes.Equal(m.buf, before[i]) {
			return fmt.Errorf("memory round operand %d has changed", i)
		}
	}
	return nil
}
