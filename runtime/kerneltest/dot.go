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

// dotPairs are the pairs of products: round what a loop may take at once, and up
// to a chunk.
var dotPairs = []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, ir.DotChunk}

// dotRows is how many rows products have at most: more than two tiles.
const dotRows = 16

// checkDot runs a dot kernel on blocks of all widths and heights.
func checkDot(k *kernel.Kernel, fn func(*abi.Frame), seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := k.In[0].DType
	for cols := range kernel.DotColumns(d) + 1 {
		for rows := range dotRows + 1 {
			p := newProduct(k, rng, rows, cols, dotPairs[rng.IntN(len(dotPairs))])
			if err := p.run(fn, rng.IntN(2) == 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// product is the operands of one call of a dot kernel.
type product struct {
	d                 ir.DType
	rows, cols, pairs int
	ops               [3]*operand // A, B and the block
}

// newProduct makes a product. A lies row by row or column by column.
func newProduct(k *kernel.Kernel, rng *rand.Rand, rows, cols, pairs int) *product {
	p := &product{d: k.In[0].DType, rows: rows, cols: cols, pairs: pairs}
	lay := func(i, rows, cols int, output bool) {
		p.ops[i] = (&block{rows: rows, cols: cols}).operand(rng, p.d, false, output)
	}
	lay(1, pairs, cols, false)
	lay(2, rows, cols, true)
	if rng.IntN(2) == 0 {
		lay(0, rows, pairs, false)
	} else {
		lay(0, pairs, rows, false)
		p.ops[0].step, p.ops[0].across = p.ops[0].across, p.ops[0].step
	}
	source := []source{tame, mixed}[rng.IntN(2)]
	for i, size := range [][2]int{{rows, pairs}, {pairs, cols}, {rows, cols}} {
		for r := range size[0] {
			for c := range size[1] {
				p.ops[i].put(r, c, source(rng, k.In, min(i, 1), r, c))
			}
		}
	}
	return p
}

// run calls the kernel and compares all memory with what it should be.
func (p *product) run(fn func(*abi.Frame), adds bool) error {
	f := &abi.Frame{Rows: p.rows, Cols: p.cols}
	f.Step[kernel.DotAcross], f.Step[kernel.DotPairs] = p.ops[0].across, p.pairs
	if adds {
		f.Step[kernel.DotAdds] = 1
	}
	var before [3][]byte
	for i, o := range p.ops {
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&o.mem[o.base]), o.step
		before[i] = bytes.Clone(o.mem)
	}
	want := p.want(adds)
	fn(f)
	out := p.ops[2]
	for r := range p.rows {
		for c := range p.cols {
			got, want := out.get(r, c), want[r*p.cols+c]
			if !same(p.d, got, want) {
				return fmt.Errorf("\tblock %dx%d of %d pairs, steps %v: row %d, column %d is %s, want %s", p.rows, p.cols, p.pairs,
					f.Step[:kernel.DotAdds+1], r, c, text(p.d, got), text(p.d, want))
			}
			copy(out.at(r, c), before[2][out.index(r, c):]) // what is round it is compared below
		}
	}
	for i, o := range p.ops {
		if !bytes.Equal(o.mem, before[i]) {
			return fmt.Errorf("\tblock %dx%d of %d pairs, steps %v: memory round operand %d has changed", p.rows, p.cols, p.pairs, f.Step[:kernel.DotAdds+1], i)
		}
	}
	return nil
}

// want returns the elements of the block.
func (p *product) want(adds bool) []uint64 {
	var out []uint64
	x, y := make([]uint64, p.pairs), make([]uint64, p.pairs)
	for r := range p.rows {
		for c := range p.cols {
			for k := range p.pairs {
				x[k], y[k] = p.ops[0].get(r, k), p.ops[1].get(k, c)
			}
			v := ir.DotLine(p.d, x, y, false)
			if adds {
				v = ir.OpAdd.Info().Ref(p.d, p.d, [3]uint64{p.ops[2].get(r, c), v})
			}
			out = append(out, v)
		}
	}
	return out
}
