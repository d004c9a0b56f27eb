package kerneltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// guard is how many bytes on both sides of an operand a kernel must not touch:
// more than a masked store of the widest vector could reach.
const guard = 64

// block is the operands of one kernel call.
type block struct {
	k          *kernel.Kernel
	rows, cols int
	ops        []*operand // inputs, then outputs
	want       [][]uint64 // for each output, its elements row by row
}

// operand is a range of memory inside a guard.
type operand struct {
	dtype ir.DType
	splat bool // one element a row: splats, and what is folded
	mem   []byte
	base  int // of row 0, column 0
	step  int // bytes from row to row
	// across is the bytes from column to column: 0 of a splat.
	across int
}

// newBlock makes a block and fills the inputs with what source gives.
func newBlock(k *kernel.Kernel, rng *rand.Rand, rows, cols int, source source) *block {
	b := &block{k: k, rows: rows, cols: cols}
	for i, in := range k.In {
		o := b.operand(rng, in.DType, in.Splat, false)
		for r := range rows {
			for c := range o.cols(cols) {
				o.put(r, c, source(rng, k.In, i, r, c))
			}
		}
		b.ops = append(b.ops, o)
	}
	for i := range k.Out {
		b.ops = append(b.ops, b.operand(rng, k.OutType(i), k.OnePerRow(i), true))
	}
	return b
}

// operand lays out an operand: rows upwards, downwards or, for an input, all
// the same row; at any address that the machine can read an element at.
func (b *block) operand(rng *rand.Rand, d ir.DType, splat, output bool) *operand {
	o := &operand{dtype: d, splat: splat, across: d.Size()}
	if splat {
		o.across = 0
	}
	width := o.cols(b.cols) * d.Size()
	shift := rng.IntN(4) * d.Size()
	if goruntime.GOARCH == "amd64" {
		shift += rng.IntN(d.Size())
	}
	o.step = width + rng.IntN(3)*d.Size()
	span := o.step*max(b.rows-1, 0) + width
	o.mem = make([]byte, guard+shift+span+guard)
	for i := range o.mem {
		o.mem[i] = byte(rng.Uint32())
	}
	o.base = guard + shift
	switch rng.IntN(4) {
	case 0:
		o.base += o.step * max(b.rows-1, 0)
		o.step = -o.step
	case 1:
		if !output {
			o.step = 0
		}
	}
	return o
}

// run calls the kernel and compares all memory with what it should be.
func (b *block) run(fn func(*abi.Frame)) error {
	inputs := b.read()
	b.want = b.eval(inputs)
	expect := b.expect()
	f := &abi.Frame{Rows: b.rows, Cols: b.cols}
	for i, o := range b.ops {
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&o.mem[o.base]), o.step
	}
	fn(f)
	for i := range b.k.Out {
		o, n := b.ops[len(b.k.In)+i], 0
		for row := range b.rows {
			for col := range b.written(o) {
				got, want := o.get(row, col), b.want[i][n]
				if !same(o.dtype, got, want) {
					return fmt.Errorf("\tblock %dx%d, output %d at row %d, column %d: %s, want %s, for %s", b.rows, b.cols, i, row, col,
						text(o.dtype, got), text(o.dtype, want), b.describe(inputs, row*b.cols+col))
				}
				o.put(row, col, want) // one NaN may stand for another
				n++
			}
		}
	}
	for i, o := range b.ops {
		if !bytes.Equal(o.mem, expect[o]) {
			return fmt.Errorf("\tblock %dx%d: memory round operand %d (step %d) has changed", b.rows, b.cols, i, o.step)
		}
	}
	return nil
}

// read returns the elements of each input, row by row.
func (b *block) read() [][]uint64 {
	out := make([][]uint64, len(b.k.In))
	for i := range b.k.In {
		for r := range b.rows {
			for c := range b.cols {
				out[i] = append(out[i], b.ops[i].get(r, c))
			}
		}
	}
	return out
}

func (b *block) eval(inputs [][]uint64) [][]uint64 {
	out := make([][]uint64, len(b.k.Out))
	if b.k.Scans() {
		for at := 0; at < len(inputs[0]); at += b.cols {
			var states []uint64
			for _, in := range inputs[1:] {
				states = append(states, in[at])
			}
			for i, row := range b.k.ScanRow(inputs[0][at:at+b.cols], states) {
				out[i] = append(out[i], row...)
			}
		}
		return out
	}
	args := make([]uint64, len(inputs))
	for n := range b.rows * b.cols {
		for i := range inputs {
			args[i] = inputs[i][n]
		}
		for i, v := range b.k.Eval(args) {
			out[i] = append(out[i], v)
		}
	}
	for i, r := range b.k.Out {
		by := b.k.FoldOf(i)
		if by != ir.OpInvalid && b.cols > 0 {
			var folds []uint64
			for row := range slices.Chunk(out[i], b.cols) {
				folds = append(folds, ir.FoldRow(by, b.k.DType(r), row))
			}
			out[i] = folds
		}
	}
	return out
}

// written returns how many elements of an output's row a call writes.
func (b *block) written(o *operand) int { return min(o.cols(b.cols), b.cols) }

// expect returns what the memory of each operand holds after the call.
func (b *block) expect() map[*operand][]byte {
	after := map[*operand][]byte{}
	for _, o := range b.ops {
		after[o] = bytes.Clone(o.mem)
	}
	for i := range b.k.Out {
		o, n := b.ops[len(b.k.In)+i], 0
		twin := *o
		twin.mem = after[o]
		for r := range b.rows {
			for c := range b.written(o) {
				twin.put(r, c, b.want[i][n])
				n++
			}
		}
	}
	return after
}

func (b *block) describe(inputs [][]uint64, n int) string {
	var s string
	for i, in := range b.k.In {
		s += fmt.Sprintf("%s=%s ", b.k.RefName(kernel.Ref(i)), text(in.DType, inputs[i][n]))
	}
	return s
}

// cols returns how many elements of a row the operand has.
func (o *operand) cols(n int) int {
	if o.splat {
		return 1
	}
	return n
}

func (o *operand) index(row, col int) int { return o.base + row*o.step + col*o.across }

func (o *operand) at(row, col int) []byte {
	i := o.index(row, col)
	return o.mem[i : i+o.dtype.Size()]
}

func (o *operand) put(row, col int, v uint64) { store(o.at(row, col), v) }

func (o *operand) get(row, col int) uint64 { return load(o.dtype, o.at(row, col)) }

// same compares elements: bits, but any NaN is any other.
func same(d ir.DType, a, b uint64) bool {
	return a == b || ir.IsNaN(d, a) && ir.IsNaN(d, b)
}
