package kerneltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// downLengths are the lengths of lines: parts of the lanes, whole rounds of them and
// parts of one, up to a chunk.
var downLengths = []int{1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 512, ir.FoldChunk - 9, ir.FoldChunk}

// downCols are the columns: round vectors and more than one block of them.
var downCols = []int{kernel.DownCols, 17, 20, 23, 24, 31, 32, 33, 47, 64, 65}

// checkDown runs a kernel that folds down on lines of many lengths.
func checkDown(k *kernel.Kernel, fn func(*abi.Frame), seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, n := range downLengths {
		for j := range 4 {
			if err := foldedDown(k, fn, rng, j, downCols[(4*i+j)%len(downCols)], n); err != nil {
				return err
			}
		}
	}
	return nil
}

// foldedDown runs one call, for lines of n elements.
func foldedDown(k *kernel.Kernel, fn func(*abi.Frame), rng *rand.Rand, rows, cols, n int) error {
	f := &abi.Frame{Rows: rows, Cols: cols}
	f.Step[kernel.DownLength] = n
	d := k.In[0].DType
	source := []source{tame, mixed}[rng.IntN(2)]
	var ops []*operand
	for i, in := range k.In {
		b := &block{rows: n, cols: cols}
		if in.Splat {
			b = &block{rows: rows, cols: n}
		}
		o := b.operand(rng, d, false, false)
		for r := range b.rows {
			for c := range b.cols {
				o.put(r, c, source(rng, k.In, i, r, c))
			}
		}
		ops = append(ops, o)
	}
	ops = append(ops, (&block{rows: rows, cols: cols}).operand(rng, d, false, true))
	var before [][]byte
	for i, o := range ops {
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&o.mem[o.base]), o.step
		before = append(before, bytes.Clone(o.mem))
	}
	fn(f)
	out := len(k.In)
	args, line := make([]uint64, len(k.In)), make([]uint64, n)
	for r := range rows {
		for c := range cols {
			for e := range n {
				for i, in := range k.In {
					if in.Splat {
						args[i] = ops[i].get(r, e)
					} else {
						args[i] = ops[i].get(e, c)
					}
				}
				line[e] = k.Eval(args)[0]
			}
			got, want := ops[out].get(r, c), ir.FoldRow(k.Fold[0], d, line)
			if !same(d, got, want) {
				return fmt.Errorf("\tblock %dx%d of lines of %d: row %d, column %d is %s, want %s", rows, cols, n, r, c, text(d, got), text(d, want))
			}
			copy(ops[out].at(r, c), before[out][ops[out].index(r, c):]) // what is round it is compared below
		}
	}
	for i, o := range ops {
		if !bytes.Equal(o.mem, before[i]) {
			return fmt.Errorf("\tblock %dx%d of lines of %d, steps %v: memory round operand %d has changed", rows, cols, n, f.Step[:out+1], i)
		}
	}
	return nil
}
