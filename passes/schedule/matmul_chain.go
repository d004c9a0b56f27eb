package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// The kernels of products of small matrices: chains that add the products of a few pairs to a sum
// in order, one line of matrices after another.

// chain is a kernel that adds the products of some pairs.
type chain struct {
	code   kernel.Code
	order  []int // its input i is input order[i] of the body: left and right elements, then the sum
	engine string
	pairs  int
}

// findChains covers the pairs: the first chain is the longest that the library has, and each of the
// others has one pair.
func (b *batch) findChains(pairs int) (why string) {
	for n := min(kernel.DotChainPairs, pairs); n > 0 && len(b.chains) == 0; n-- {
		why = b.findChain(n, true)
	}
	if rest := pairs - b.covered(); why == "" && rest > 0 {
		if why = b.findChain(1, false); why == "" {
			b.chains = append(b.chains, slices.Repeat(b.chains[1:], rest-1)...)
		}
	}
	return why
}

// findChain appends a chain if the library has it.
func (b *batch) findChain(pairs int, first bool) (why string) {
	code, order := kernel.DotChain(b.step.Body.Body[0].Op, b.dtype, pairs, first)
	engine, ok := b.t.lib.Engine(code.Signature())
	if !ok {
		return "there is no kernel " + code.Signature()
	}
	b.chains = append(b.chains, chain{code, order, engine, pairs})
	return ""
}

// covered returns how many pairs the chains have.
func (b *batch) covered() (n int) {
	for _, c := range b.chains {
		n += c.pairs
	}
	return n
}

// multiply returns the calls that multiply a tile: for each row of the left matrices the chains,
// whose lines are the columns of the right ones.
func (b *batch) multiply(w *walk, left, right, out view) []nest.Item {
	in := w.cut(b.rows, 1)
	_, _, cols := b.extents()
	zero := view{slot: -1, strides: make([]int, len(b.step.Axes))}
	var items []nest.Item
	done := 0
	for _, c := range b.chains {
		var ins []nest.Arg
		for k := done; k < done+c.pairs; k++ {
			for _, from := range []view{left, right} {
				from.offset += k * from.strides[b.pairs]
				ins = append(ins, in.arg(&from, b.cols))
			}
		}
		switch {
		case done > 0:
			ins = append(ins, in.arg(&out, b.cols))
		case ir.Floats.Has(b.dtype):
			zero.slot = b.draft.table(b.dtype, 0, 1)
			ins = append(ins, in.arg(&zero, b.cols))
		}
		args := make([]nest.Arg, 0, len(ins)+1)
		for _, i := range c.order {
			args = append(args, ins[i])
		}
		args = append(args, in.arg(&out, b.cols))
		items = append(items, call(c.code, nest.Fixed(cols), w.size[b.along], args))
		done += c.pairs
	}
	return in.wrap(w, items)
}
