package program

import (
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
)

// Plans of batches. If the first axis of inputs and outputs is a batch, all numbers of rows with the same number of
// bits are one class. The passes make the plan of a class once, for its most rows, and it is resized for each number of
// rows: see passes.Batch.

// classes holds the classes of sizes that a program has met. The lock of the cache guards it.
type classes struct {
	batch  string // name of the size that counts the rows, "" if there is none
	looked bool   // whether batch has been determined
	known  map[string]*class
}

// class is a plan for all numbers of rows with the same number of bits, and for one value of each other size.
type class struct {
	planned
	batch *passes.Batch // the resizable plan, or nil if there is none
}

const (
	leastRows   = 16      // each smaller number has its own plan, because products have special loops for few rows
	mostBytes   = 8 << 20 // bytes of inputs and outputs of the most rows; beyond, a run takes much longer than the passes
	mostClasses = 64
)

// ofClass returns the plan for some sizes, resized from the plan of their class, if there is one. The caller holds the
// lock of the cache.
func (p *Program) ofClass(sizes map[string]int, layouts []*layout.Layout) (pl planned, ok bool) {
	c := &p.classes
	if !c.looked {
		c.looked = true
		if at := slices.IndexFunc(p.Sizes, func(name string) bool { return passes.BatchName(p.Func, name) }); at >= 0 {
			c.batch = p.Sizes[at]
		}
	}
	rows := sizes[c.batch]
	if c.batch == "" || rows < leastRows || slices.ContainsFunc(layouts, func(l *layout.Layout) bool { return l != nil }) {
		return pl, false
	}
	var space [64]byte
	key := space[:0]
	for _, name := range p.Sizes {
		n := sizes[name]
		if name == c.batch {
			n = bits.Len(uint(rows))
		}
		key = append(strconv.AppendInt(key, int64(n), 10), ' ')
	}
	known := c.known[string(key)]
	if known == nil {
		if len(c.known) >= mostClasses {
			clear(c.known)
		}
		if c.known == nil {
			c.known = map[string]*class{}
		}
		known = p.newClass(sizes, bits.Len(uint(rows)))
		c.known[string(key)] = known
	}
	if known.batch == nil {
		return pl, false
	}
	pl = known.planned
	pl.rest = known.batch.Resize(rows)
	return pl, pl.rest != nil
}

// newClass makes the plan of the class of row numbers with n bits. It checks that the graph fits the least and the
// greatest of them. All numbers between then fit too, because the graph's conditions are linear in the size.
func (p *Program) newClass(sizes map[string]int, n int) *class {
	of := func(rows int) (*ir.Func, map[string]int, error) {
		own := maps.Clone(sizes)
		own[p.classes.batch] = rows
		f, err := p.Func.Bind(own)
		return f, own, err
	}
	if _, _, err := of(1 << (n - 1)); err != nil {
		return &class{}
	}
	most := 1<<n - 1
	f, own, err := of(most)
	if err != nil || p.bytesOf(f) > mostBytes {
		return &class{}
	}
	pl, err := p.plan(f, own, nil)
	if err != nil {
		return &class{}
	}
	batch := passes.BatchOf(p.Func, p.classes.batch, pl.rest, most)
	if batch == nil {
		return &class{}
	}
	pl.groups = schedule.OfSizes()
	return &class{pl, batch}
}

// bytesOf returns the total bytes of inputs and outputs for the sizes that f is bound to.
func (p *Program) bytesOf(f *ir.Func) (all int) {
	for _, v := range slices.Concat(f.Params[:p.Inputs], f.Results) {
		n, _ := v.Type.Shape.NumElems().Int()
		all += n * v.Type.DType.Size()
	}
	return all
}
