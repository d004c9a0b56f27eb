package graph

import (
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/passes"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Plans of batches. Where the first axis of inputs and outputs is a batch, all numbers of rows that
// have as many bits are one class: the passes make its plan once, for the most rows, and it is resized
// for each number: see passes.Batch.

// planned is the plan of a program, in two parts: what is made once of constants, and the rest.
type planned struct {
	sizes map[string]int // that the passes were given
	once  *plan.Plan     // or nil
	kept  []*Tensor      // the results of once
	rest  *plan.Plan
}

// classes are the classes of sizes that a program has met. The lock of its plans guards them.
type classes struct {
	batch  string // the size that counts the rows, "" if there is none
	looked bool   // for it
	known  map[string]*class
}

// class is a plan for all numbers of rows with as many bits, and for one number for each other size.
type class struct {
	planned
	batch *passes.Batch // of the rest; nil if it is none
}

const (
	leastRows   = 16      // each number below has a plan of its own, as products have loops for few rows
	mostBytes   = 4 << 20 // of inputs and outputs: a run over more takes much longer than the passes
	mostClasses = 64
)

// plan makes the plan for the sizes that the graph f is bound to. It may take f over. layouts is as for
// compile. The caller has the lock of the plans.
func (p *Program) plan(f *ir.Func, sizes map[string]int, layouts []*layout.Layout) (planned, error) {
	if c := p.classOf(f, sizes, layouts); c != nil {
		pl := c.planned
		if pl.rest = c.batch.Resize(sizes[p.classes.batch]); pl.rest != nil {
			return pl, nil
		}
	}
	return p.lowered(f, sizes, layouts)
}

// lowered makes the plan by the passes. It takes f over.
func (p *Program) lowered(f *ir.Func, sizes map[string]int, layouts []*layout.Layout) (planned, error) {
	for i, l := range layouts {
		if l != nil {
			in := f.Params[i]
			attr := *in.Attr
			attr.At, in.Attr = l, &attr
		}
	}
	pl := planned{sizes: sizes}
	whole, err := passes.Lower(f, p.options)
	if err != nil {
		return pl, err
	}
	var params []int
	if pl.once, params, pl.rest, err = passes.Split(whole, p.options.Frozen); err == nil && pl.once != nil {
		pl.kept, err = p.keep(pl.once, params)
	}
	return pl, err
}

// classOf returns the class of the sizes that f is bound to, nil if there is none.
func (p *Program) classOf(f *ir.Func, sizes map[string]int, layouts []*layout.Layout) *class {
	c := &p.classes
	if !c.looked {
		c.looked, c.known = true, map[string]*class{}
		if at := slices.IndexFunc(p.sizes, func(name string) bool { return passes.BatchName(p.fn, name) }); at >= 0 {
			c.batch = p.sizes[at]
		}
	}
	rows := sizes[c.batch]
	if rows < leastRows || slices.ContainsFunc(layouts, func(l *layout.Layout) bool { return l != nil }) || p.bytesOf(f) > mostBytes {
		return nil
	}
	key := make([]byte, 0, 64)
	for _, name := range p.sizes {
		n := sizes[name]
		if name == c.batch {
			n = bits.Len(uint(rows))
		}
		key = append(strconv.AppendInt(key, int64(n), 10), ' ')
	}
	known := c.known[string(key)]
	if known == nil {
		known = p.newClass(sizes, 1<<bits.Len(uint(rows))-1)
		if known == nil {
			c.batch = "" // for good: the passes mix its rows
			return nil
		}
		if len(c.known) >= mostClasses {
			clear(c.known)
		}
		c.known[string(key)] = known
	}
	return known
}

// newClass makes the plan of a class with at most so many rows. It returns nil if there is none.
func (p *Program) newClass(sizes map[string]int, rows int) *class {
	sizes = maps.Clone(sizes)
	sizes[p.classes.batch] = rows
	f, err := p.fn.Bind(sizes)
	if err != nil {
		return nil
	}
	var c class
	if c.planned, err = p.lowered(f, sizes, nil); err != nil {
		return nil
	}
	if c.batch = passes.BatchOf(p.fn, p.classes.batch, c.rest, rows); c.batch == nil {
		return nil
	}
	return &c
}

// resized returns what the passes made for a binding as its plan, nil if that is not possible.
func (p *Program) resized(rest *plan.Plan, b *binding) *plan.Plan {
	for name, rows := range b.passed {
		if rows != b.sizes[name] {
			batch := passes.BatchOf(p.fn, name, rest, rows)
			if batch == nil {
				return nil
			}
			return batch.Resize(b.sizes[name])
		}
	}
	return rest
}

// bytesOf returns how many bytes the inputs and outputs have together for the sizes that f is bound to.
func (p *Program) bytesOf(f *ir.Func) (all int) {
	for _, v := range slices.Concat(f.Params[:len(p.inputs)], f.Results) {
		n, _ := v.Type.Shape.NumElems().Int()
		all += n * v.Type.DType.Size()
	}
	return all
}
