package kerneltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// transposeMost is up to how many rows and columns all blocks are tried that
// transpose: more than two squares.
const transposeMost = 18

// checkTranspose runs a kernel that transposes on blocks of all widths and heights.
func checkTranspose(k *kernel.Kernel, fn func(*abi.Frame), seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	for rows := range transposeMost {
		for cols := range transposeMost {
			for _, apart := range []int{1, 1, 3, -1} {
				if err := transposed(k, fn, rng, rows, cols, apart); err != nil {
					return err
				}
			}
		}
	}
	return transposed(k, fn, rng, 67, 130, 1)
}

// transposed runs one call. The elements of an input row are apart by so many.
func transposed(k *kernel.Kernel, fn func(*abi.Frame), rng *rand.Rand, rows, cols, apart int) error {
	d := k.In[0].DType
	in := (&block{rows: cols, cols: rows * max(apart, -apart)}).operand(rng, d, false, false)
	out := (&block{rows: rows, cols: cols}).operand(rng, d, false, true)
	if in.across *= apart; apart < 0 && rows > 0 {
		in.base -= (rows - 1) * in.across
	}
	for c := range cols {
		for r := range rows {
			in.put(c, r, mixed(rng, k.In, 0, c, r))
		}
	}
	f := &abi.Frame{Rows: rows, Cols: cols}
	f.Step[kernel.TransposeAcross] = in.across
	want := [2][]byte{bytes.Clone(in.mem), bytes.Clone(out.mem)}
	for i, o := range []*operand{in, out} {
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&o.mem[o.base]), o.step
	}
	for r := range rows {
		for c := range cols {
			copy(want[1][out.index(r, c):], in.at(c, r))
		}
	}
	fn(f)
	for i, o := range []*operand{in, out} {
		for at := range o.mem {
			if o.mem[at] != want[i][at] {
				return fmt.Errorf("\tblock %dx%d, steps %v: byte %d of operand %d, whose base is %d, is %#x, want %#x", rows, cols,
					f.Step[:kernel.TransposeAcross+1], at, i, o.base, o.mem[at], want[i][at])
			}
		}
	}
	return nil
}
