package vector

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// outline divides the values of a kernel between its main path and its cold blocks (kernel.Split), and chooses the inputs of
// each block. If a few instructions compute several inputs from one value, the block takes that value and repeats
// the instructions, so that the main path need not keep the inputs.
type outline struct {
	m      *Machine
	k      *kernel.Kernel
	has    []bool                    // values that vary and are on the main path
	varies []bool                    // along the columns
	blocks map[kernel.Ref]*ColdBlock // by unlikely select
}

// ColdBlock is the code of a cold block. It is emitted once, after the RET of the
// function, for all copies of the body. Its inputs and results have fixed places on the
// stack: the inputs first, then the results.
type ColdBlock struct {
	*kernel.ColdBlock
	Insts  []Inst
	Spills int // additional stack places that the instructions use

	inputs []kernel.Ref // the last operands of the selects come first
	body   []kernel.Ref // the values that the block computes, in order
	forms  []Value      // the vectors that its inputs have
}

func newOutline(m *Machine, k *kernel.Kernel) *outline {
	r := kernel.Split(k)
	o := &outline{m: m, k: k, has: r.Has, varies: kernel.Varying(k), blocks: map[kernel.Ref]*ColdBlock{}}
	for _, d := range r.Cold {
		b := &ColdBlock{ColdBlock: d}
		for _, v := range d.Selects {
			o.blocks[v] = b
			o.input(b, k.Inst(v).Args[2])
		}
		for _, v := range append([]kernel.Ref{d.Cond}, d.Inputs...) {
			o.input(b, o.origin(v))
		}
		o.plan(b)
	}
	return o
}

// main reports whether the main path computes r: in each copy, or once for a row.
func (o *outline) main(r kernel.Ref) bool { return o.has[r] || !o.varies[r] }

func (o *outline) isConst(v kernel.Ref) bool {
	in := o.k.Inst(v)
	return in != nil && in.Op == ir.OpConst
}

func (o *outline) input(b *ColdBlock, v kernel.Ref) {
	if !o.isConst(v) && !slices.Contains(b.inputs, v) {
		b.inputs = append(b.inputs, v)
	}
}

// origin returns the earliest value from which alone v can be computed at a cost of at most ColdInputs, and which has no more
// vectors than v.
func (o *outline) origin(v kernel.Ref) kernel.Ref {
	best, cost := v, 0.0
	for open := []kernel.Ref{v}; len(open) > 0; {
		last := slices.Max(open)
		in := o.k.Inst(last)
		if in == nil || !o.has[last] || in.Op == ir.OpUnlikely {
			break
		}
		if cost += in.Op.Info().Cost; cost > o.m.ColdInputs {
			break
		}
		open = slices.DeleteFunc(open, func(a kernel.Ref) bool { return a == last })
		for _, a := range in.Args[:in.Arity()] {
			if o.varies[a] && !slices.Contains(open, a) {
				open = append(open, a)
			}
		}
		if len(open) == 1 && o.m.Parts(o.k.DType(open[0])) <= o.m.Parts(o.k.DType(best)) {
			best = open[0]
		}
	}
	return best
}

// plan lists the values that the block computes from its inputs, and adds to the
// inputs the values it reads that are the same for the whole row.
func (o *outline) plan(b *ColdBlock) {
	need := map[kernel.Ref]bool{b.Cond: true}
	for _, v := range b.Selects {
		need[o.k.Inst(v).Args[1]] = true
	}
	for v := kernel.Ref(len(o.varies) - 1); v >= 0; v-- {
		switch {
		case !need[v] || o.isConst(v) || slices.Contains(b.inputs, v):
		case !o.varies[v]:
			b.inputs = append(b.inputs, v)
		default:
			b.body = append(b.body, v)
			in := o.k.Inst(v)
			for _, a := range in.Args[:in.Arity()] {
				need[a] = true
			}
		}
	}
	slices.Reverse(b.body)
}
