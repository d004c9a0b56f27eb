package schedule

import (
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

// findChains covers the pairs with the longest chains that the library has.
func (b *batch) findChains(pairs int) (why string) {
	for done := 0; done < pairs; {
		n := min(kernel.DotChainPairs, pairs-done)
		for ; n > 0; n-- {
			code, order := kernel.DotChain(b.dtype, n, done == 0)
			if engine, ok := b.lib.Engine(code.Signature()); ok {
				b.chains = append(b.chains, chain{code, order, engine, n})
				break
			}
			why = "there is no kernel " + code.Signature()
		}
		if n == 0 {
			return why
		}
		done += n
	}
	return ""
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
