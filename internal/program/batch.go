package program

import (
	"maps"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
)

// Plans of batches. If the first axis of inputs and outputs is a batch, all numbers of rows with the same number of
// bits are one class. The passes make the plan of a class once, for its most rows, and it is resized for each number of
// rows: see passes.Batch. A class lives as long as the binding of one of its sizes.

// class is a plan for all numbers of rows with the same number of bits, and for one value of each other size.
type class struct {
	key string
	planned
	batch *passes.Batch // the resizable plan, or nil if there is none
}

const (
	leastRows = 16      // each smaller number has its own plan, because products have special loops for few rows
	mostBytes = 8 << 20 // bytes of inputs and outputs of the most rows; beyond, a run takes much longer than the passes
)

// classOf returns the class of some sizes, or nil. It makes the class if no binding has it. The caller holds the lock of
// the cache.
func (p *Program) classOf(sizes map[string]int, layouts []*layout.Layout) *class {
	if !p.looked {
		p.looked = true
		if at := slices.IndexFunc(p.Sizes, func(name string) bool { return passes.BatchName(p.Func, name) }); at >= 0 {
			p.batch = p.Sizes[at]
		}
	}
	rows := sizes[p.batch]
	if p.batch == "" || rows < leastRows || slices.ContainsFunc(layouts, func(l *layout.Layout) bool { return l != nil }) {
		return nil
	}
	var space [64]byte
	key := space[:0]
	for _, name := range p.Sizes {
		n := sizes[name]
		if name == p.batch {
			n = passes.MostRows(rows)
		}
		key = append(strconv.AppendInt(key, int64(n), 10), ' ')
	}
	for b := range p.cache.all {
		if b.class != nil && b.class.key == string(key) {
			return b.class
		}
	}
	c := p.newClass(sizes, passes.MostRows(rows))
	c.key = string(key)
	return c
}

// newClass makes the plan of the class of the row numbers with as many bits as most, the greatest of them. It checks that
// the graph fits the least and the greatest. All numbers between then fit too, because the graph's conditions are linear
// in the size.
func (p *Program) newClass(sizes map[string]int, most int) *class {
	of := func(rows int) (*ir.Func, map[string]int, error) {
		own := maps.Clone(sizes)
		own[p.batch] = rows
		f, err := p.Func.Bind(own)
		return f, own, err
	}
	if _, _, err := of(most/2 + 1); err != nil {
		return &class{}
	}
	f, own, err := of(most)
	if err != nil || p.bytesOf(f) > mostBytes {
		return &class{}
	}
	pl, err := p.plan(f, own, nil)
	if err != nil {
		return &class{}
	}
	batch := passes.BatchOf(p.Func, p.batch, pl.rest, most)
	if batch == nil {
		return &class{}
	}
	pl.own = schedule.OfSizes()
	return &class{planned: pl, batch: batch}
}

// bytesOf returns the total bytes of inputs and outputs for the sizes that f is bound to.
func (p *Program) bytesOf(f *ir.Func) (all int) {
	for _, v := range slices.Concat(f.Params[:p.Inputs], f.Results) {
		n, _ := v.Type.Shape.NumElems().Int()
		all += n * v.Type.DType.Size()
	}
	return all
}
