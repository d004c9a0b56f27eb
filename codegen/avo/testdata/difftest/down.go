package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// downBuffers are for the operands of kernels that fold down.
var downBuffers = [4]buffer{newBuffer(16 * page), newBuffer(16 * page), newBuffer(16 * page), newBuffer(16 * page)}

// testDown runs a kernel that folds down on lines of one round of the lanes, parts
// of it and more, and on columns round whole vectors.
func testDown(k *kernel.Kernel, f func(*Frame), rnd *rand.Rand) (int, error) {
	n := 0
	for _, length := range []int{1, 2, 3, 7, 16, 17, 30, 31, 32, 33, 63, 65, 100} {
		for range 4 {
			n++
			rows, cols := rnd.IntN(4), kernel.DownCols+rnd.IntN(40)
			if err := testDownCall(k, f, rnd, rows, cols, length); err != nil {
				return n, fmt.Errorf("%d x %d, lines of %d: %w", rows, cols, length, err)
			}
		}
	}
	return n, nil
}

func testDownCall(k *kernel.Kernel, f func(*Frame), rnd *rand.Rand, rows, cols, length int) error {
	d, gentle := k.In[0].DType, rnd.IntN(3) > 0
	frame := &Frame{Rows: rows, Cols: cols}
	frame.Step[kernel.DownLength] = length
	var ops []*matrix
	var before [][]byte
	add := func(height, width int, output bool) {
		i := len(ops)
		m := lay(downBuffers[i], d, height, width, false, output, gentle, rnd)
		frame.Ptr[i], frame.Step[i] = unsafe.Pointer(&m.buf[min(m.start, len(m.buf)-1)]), m.step
		ops, before = append(ops, m), append(before, bytes.Clone(m.buf))
	}
	for _, in := range k.In {
		if in.Splat {
			add(rows, length, false)
		} else {
			add(length, cols, false)
		}
	}
	add(rows, cols, true)
	f(frame)
	out, args, line := len(k.In), make([]uint64, len(k.In)), make([]uint64, length)
	for r := range rows {
		for c := range cols {
			for i := range line {
				for o, in := range k.In {
					if in.Splat {
						args[o] = get(ops[o].buf, ops[o].at(r, i), d)
					} else {
						args[o] = get(ops[o].buf, ops[o].at(i, c), d)
					}
				}
				line[i] = k.Eval(args)[0]
			}
			want, at := ir.FoldRow(k.Fold[0], d, line), ops[out].at(r, c)
			got := get(ops[out].buf, at, d)
			if ir.IsNaN(d, got) && ir.IsNaN(d, want) {
				want = got
			}
			if got != want {
				return fmt.Errorf("at %d,%d is %#x, not %#x (steps %v)", r, c, got, want, frame.Step[:out+1])
			}
			put(before[out], at, d, want)
		}
	}
	for i, m := range ops {
		if !bytes.Equal(m.buf, before[i]) {
			return fmt.Errorf("memory round operand %d has changed", i)
		}
	}
	return nil
}
