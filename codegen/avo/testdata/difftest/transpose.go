package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// testTranspose runs a kernel that transposes on blocks of all sizes up to two
// squares and more, some a few times. The blocks lie at the ends of pages.
func testTranspose(k *kernel.Kernel, f func(*Frame), rnd *rand.Rand) (int, error) {
	n, d := 0, k.In[0].DType
	for rows := range 21 {
		for cols := range 21 {
			for range 4 {
				n++
				if err := testTransposeCall(d, f, rnd, rows, cols); err != nil {
					return n, fmt.Errorf("%d x %d: %w", rows, cols, err)
				}
			}
		}
	}
	return n, nil
}

func testTransposeCall(d ir.DType, f func(*Frame), rnd *rand.Rand, rows, cols int) error {
	in := lay(dotBuffers[0], d, cols, rows, rnd.IntN(3) == 0, false, false, rnd)
	out := lay(dotBuffers[1], d, rows, cols, false, true, false, rnd)
	frame := &Frame{Rows: rows, Cols: cols}
	frame.Step[kernel.TransposeAcross] = in.across
	for i, m := range []*matrix{in, out} {
		frame.Ptr[i], frame.Step[i] = unsafe.Pointer(&m.buf[min(m.start, len(m.buf)-1)]), m.step
	}
	before, want := bytes.Clone(in.buf), bytes.Clone(out.buf)
	for r := range rows {
		for c := range cols {
			put(want, out.at(r, c), d, get(before, in.at(c, r), d))
		}
	}
	f(frame)
	if !bytes.Equal(in.buf, before) || !bytes.Equal(out.buf, want) {
		return fmt.Errorf("steps %v: wrong, or memory round it has changed", frame.Step[:3])
	}
	return nil
}
