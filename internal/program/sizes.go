package program

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Sizes that no run has given yet: example sizes, for which Compile compiles, and other sizes that may need other
// kernels.

// scales are the magnitudes of example sizes, in the order in which they are tried. The small ones are for slices such
// as 3:-4:-1, which fit few sizes.
var scales = append([]int{1009, 100_003, 10_000_019, 1_000_000_007}, downFrom(smallScale+1)...)

const smallScale = 256

// downFrom returns the n numbers below n, the greatest first.
func downFrom(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = n - 1 - i
	}
	return out
}

// Example compiles the program for its only sizes, or for example sizes, as Shown. If no example sizes fit the graph,
// Shown stays nil, and a run returns the errors.
func (p *Program) Example() error {
	if len(p.Sizes) == 0 {
		ins, err := p.RowMajor(nil)
		if err == nil {
			p.Shown, err = p.Make(ins, nil, nil)
		}
		if err == nil && p.Shown.Once == nil { // runs can start with it
			p.cache.use(p.Shown)
		}
		return err
	}
	var first error // the first error for sizes that fit the graph
	for _, scale := range scales {
		for sizes := range exampleSizes(p.Sizes, scale) {
			f, err := p.Func.Bind(sizes)
			if err != nil {
				continue
			}
			poor := scale <= smallScale && hasEmpty(f) // an empty value has no kernel
			b, err := p.compileBound(f, sizes, nil, nil)
			switch {
			case err != nil:
				first = cmp.Or(first, err)
			case !poor:
				p.Shown = b
				return nil
			case p.Shown == nil:
				p.Shown = b
			}
		}
	}
	if p.Shown != nil {
		return nil
	}
	return first
}

func hasEmpty(f *ir.Func) bool {
	empty := func(v *ir.Value) bool { return v.Type.Shape.NumElems().Is(0) }
	return slices.ContainsFunc(f.Params, empty) || slices.ContainsFunc(f.Body, empty)
}

// exampleSizes yields example sizes of a magnitude, with a different number for each name: first primes, so that
// nothing is divisible by chance, in both orders of the names; then numbers with several factors of 2, as networks
// need, and their successors.
func exampleSizes(names []string, scale int) iter.Seq[map[string]int] {
	next := func(n int) int {
		if scale > 1 {
			return nextPrime(n)
		}
		return n
	}
	halves := func(i int) int { return (scale/manyHalves + 1 + i) * manyHalves }
	return func(yield func(map[string]int) bool) {
		up, down := make(map[string]int, len(names)), make(map[string]int, len(names))
		for i, n := 0, scale; i < len(names); i, n = i+1, next(n) {
			down[names[len(names)-1-i]], up[names[i]] = n, n
		}
		if !yield(down) || !yield(up) || scale <= smallScale {
			return
		}
		for more := range 2 {
			sizes := make(map[string]int, len(names))
			for i, name := range names {
				sizes[name] = halves(i) + more
			}
			if !yield(sizes) {
				return
			}
		}
	}
}

const manyHalves = 480

func nextPrime(n int) int {
	for n++; ; n++ {
		prime := true
		for d := 2; d*d <= n && prime; d++ {
			prime = n%d != 0
		}
		if prime {
			return n
		}
	}
}

// RowMajor returns placeholders for row-major inputs of some sizes. They have no memory, because nothing reads them.
func (p *Program) RowMajor(sizes map[string]int) ([]*tensor.Tensor, error) {
	ins := make([]*tensor.Tensor, p.Inputs)
	for i, in := range p.Func.Params[:p.Inputs] {
		shape, err := in.Type.Shape.Bind(sizes)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", in.Name(), err)
		}
		extents, _ := shape.Ints()
		ins[i] = tensor.Over(in.Type.DType, layout.RowMajor(extents...), nil)
	}
	return ins, nil
}

// Others returns plans for other sizes that may need other kernels than a binding: sizes of one along a named axis of a
// product (a batch of one), which turn it into sums of rows, and other lengths of reduced lines.
func (p *Program) Others(bound *Binding) []*plan.Plan {
	var plans []*plan.Plan
	add := func(sizes map[string]int) {
		f, err := p.Func.Bind(sizes)
		if err != nil {
			return
		}
		if b, err := p.compileBound(f, sizes, nil, nil); err == nil {
			plans = append(plans, b.Plan)
		}
	}
	if slices.ContainsFunc(p.Func.Body, func(v *ir.Value) bool { return v.Op.IsProduct() || v.Attr.Conv != nil }) {
		for _, name := range p.Sizes {
			sizes := maps.Clone(bound.Sizes)
			sizes[name] = 1
			add(sizes)
		}
	}
	along := func(v *ir.Value) bool { return v.Op.Info().Kind == ir.Reduce || v.Op.Info().Kind == ir.Scan }
	if len(p.Sizes) == 0 || !slices.ContainsFunc(p.Func.Body, along) {
		return plans
	}
	for _, n := range []int{ir.ReduceLeast, 4 * ir.ReduceChunk, 4*ir.ReduceChunk + 1} {
		sizes := map[string]int{}
		for _, name := range p.Sizes {
			sizes[name] = n
		}
		add(sizes)
	}
	return plans
}
