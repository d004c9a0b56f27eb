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

// Plans of batches. Where the first axis of inputs and outputs is a batch, all numbers of rows that
// have as many bits are one class: the passes make its plan once, for the most rows, and it is resized
// for each number: see passes.Batch.

// classes are the classes of sizes that a program has met. The lock of the cache guards them.
type classes struct {
	batch  string // the size that counts the rows, "" if there is none
	looked bool   // for it
	known  map[string]*class
}

// class is a plan for all numbers of rows with as many bits, and for one number for each other size.
type class struct {
	planned
	batch *passes.Batch // of the rest; nil if there is no such plan
}

const (
	leastRows   = 16      // each number below has a plan of its own, as products have loops for few rows
	mostBytes   = 8 << 20 // of inputs and outputs of the most rows: a run takes much longer than the passes
	mostClasses = 64
)

// ofClass returns the plan for some sizes that is the resized one of their class, if they have one. The
// caller has the lock of the cache.
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

// newClass makes the plan of a class: the numbers of rows that have n bits. The graph fits all of them if it
// fits the least and the greatest: what it requires is linear in the size, so that it is true between two
// numbers of which it is true.
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

// bytesOf returns how many bytes the inputs and outputs have together for the sizes that f is bound to.
func (p *Program) bytesOf(f *ir.Func) (all int) {
	for _, v := range slices.Concat(f.Params[:p.Inputs], f.Results) {
		n, _ := v.Type.Shape.NumElems().Int()
		all += n * v.Type.DType.Size()
	}
	return all
}
