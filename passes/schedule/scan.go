package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The strategies for prefix scans share the scan of a chunk. A line is scanned in chunks of ir.ReduceChunk elements, as
// ir.ScanLine says. The state of a line is its running value in the chunk, which begins as the identity, and its carry: the
// combined last running values of the chunks before, in ir.PartialType. States are in local memory. A scan in order has no
// carries: its running value, of ir.RunType, goes on from chunk to chunk.
//
// An exclusive scan of n elements is an inclusive one of the first n-1, stored one further on, behind the result of no elements.

// prefixScan is a step that scans its columns, which are the last axis, or its rows: any other axis. If it scans its columns,
// the axis before is the rows.
type prefixScan struct {
	t           *target
	draft       *Draft
	step        *plan.Step
	row, col    int // axes
	by          ir.Op
	dtype, wide ir.DType // of elements and of carries
	state       ir.DType // of running values
	n           int      // elements of a line that are combined
	work        float64
	exclusive   bool
	inOrder     bool
	rescans     bool // a chunk may be scanned again
	in          operand
	x, y        view // the elements that are combined, and their results
	head        view // the results of no elements, if exclusive
	packed      bool // the operand's elements are apart along the columns
	nonTemporal bool // results are stored past the caches

	identity view    // the running value of no elements
	noCarry  view    // the carry of no chunks
	missing  *string // why there is no draft: a kernel that the library lacks
}

// newPrefixScan returns the scan of a step, or why it is none. The scanned axis must be the last one, or, without columns,
// another one.
func newPrefixScan(t *target, s *plan.Step, columns bool) (p *prefixScan, why string) {
	axis, last := s.Along(), len(s.Axes)-1
	switch {
	case !s.Scans():
		return nil, "no axis is scanned"
	case last < 1:
		return nil, "there are no rows and columns"
	case columns != (axis == last):
		return nil, "another axis is scanned"
	case len(s.In) != 1 || len(s.Out) != 1 || len(s.Body.Body) > 0:
		return nil, "the body computes something"
	case s.Out[0].Combine.ScannedBy() == ir.OpInvalid:
		return nil, "no scan combines by " + s.Out[0].Combine.String()
	}
	row := axis
	if columns {
		row = last - 1
	}
	by, d := s.Out[0].Combine, s.Body.In[0].DType
	p = &prefixScan{t: t, step: s, row: row, col: last,
		by: by, dtype: d, wide: ir.PartialType(by, d), state: ir.RunType(by, d), n: s.Axes[axis].Extent,
		exclusive: s.Exclusive(), inOrder: ir.ScansInOrder(by, d)}
	if p.work = t.Work(s); columns {
		p.work = t.ScanWork * float64(elems(s)) * max(1, float64(d.Size())/4)
	}
	p.rescans = ir.RescansChunks(by, d, p.n)
	ops, why := operandsOf(s, p.row, p.col)
	if why != "" {
		return nil, why
	}
	several := s.Axes[p.col].Extent > 1
	if several && ops[1].class != unit {
		return nil, "the results are not contiguous along the columns"
	}
	p.in, p.packed = ops[0], several && ops[0].class != unit
	p.x, p.y = viewOf(0, &s.In[0]), viewOf(1, &s.Out[0].Access)
	if p.head = p.y; p.exclusive {
		if p.n--; p.n > 0 {
			p.y = p.y.move(axis, 1)
		}
	}
	p.nonTemporal = p.pastCaches(ops)
	return p, ""
}

// offer returns the offer of a writer, which gets the scan with a new draft.
func (p *prefixScan) offer(write func(p *prefixScan) (*Draft, string)) offer {
	return offer{least: p.work, draft: func() (*Draft, string) { return write(p.drafting()) }}
}

// drafting returns the scan with a new draft.
func (p *prefixScan) drafting() *prefixScan {
	q := *p
	q.draft, q.missing = newDraft(p.t, p.step), new(string)
	bits, _ := q.by.Info().Identity(q.state)
	q.identity = q.constant(q.state, bits)
	bits, _ = q.by.Info().Identity(q.wide)
	q.noCarry = q.constant(q.wide, bits)
	return &q
}

// carries reports whether lines have carries.
func (p *prefixScan) carries() bool { return p.rescans || p.n > ir.ReduceChunk && !p.inOrder }

// widens reports whether running values are wider than elements.
func (p *prefixScan) widens() bool { return p.state != p.dtype }

// pastCaches reports whether the results are stored past the caches.
func (p *prefixScan) pastCaches(ops []operand) bool {
	out := &elemWriter{t: p.t, step: p.step, row: p.row, col: p.col, ops: ops}
	return !p.t.isPortable(kernel.CopyNT) && !p.packed && out.passCaches(p.t.NonTemporalTileRow) != nil
}

// finish returns the draft, or which kernel is missing. k computes most elements.
func (p *prefixScan) finish(k kernel.Code) (*Draft, string) {
	if *p.missing != "" {
		return nil, *p.missing
	}
	engine, _ := p.t.engine(k)
	p.draft.Choice = nest.Choice{Kernel: k.Signature(), Engine: engine, Kernels: 1, Cost: p.work * p.t.slowdown(engine)}
	if p.packed {
		p.draft.Choice.Packed = []int{0}
	}
	if p.nonTemporal {
		p.draft.Choice.NonTemporal = []int{1}
	}
	return p.draft, ""
}

// constant returns a table of one element.
func (p *prefixScan) constant(d ir.DType, bits uint64) view {
	return p.local(p.draft.table(d, bits, 1), 0, 0)
}

// local returns local memory with the strides of rows and columns.
func (p *prefixScan) local(slot, row, col int) view {
	v := view{slot: slot, strides: make([]int, len(p.step.Axes))}
	v.strides[p.row], v.strides[p.col] = row, col
	return v
}

// tile reserves rows of so many elements. A cache line is between two of them: rows a power of two apart would be in few sets
// of the cache.
func (p *prefixScan) tile(rows, cols int) view {
	line := cacheLine / p.dtype.Size()
	row := roundUp(cols, line) + line
	return p.local(p.draft.scratch(p.dtype, rows*row), row, 1)
}

// The calls that the nests of prefix scans are made of.

// call returns a call on views whose lines are the rows. It notes a kernel that the library lacks.
func (p *prefixScan) call(w *walk, k kernel.Code, rows, cols nest.Size, views []view, fields ...nest.Size) nest.Item {
	p.need(k)
	return call(k, rows, cols, w.args(p.row, views...), fields...)
}

// need notes a kernel that the library lacks.
func (p *prefixScan) need(k kernel.Code) {
	if why := p.t.lacks(k); why != "" {
		*p.missing = why
	}
}

// copyRow returns the copy of a row of elements of a type.
func (p *prefixScan) copyRow(w *walk, d ir.DType, cols nest.Size, from, to view) nest.Item {
	return p.call(w, copyKernel(d, false), nest.Fixed(1), cols, []view{from, to})
}

// castRow returns the conversion of a row of running values to the type of carries.
func (p *prefixScan) castRow(w *walk, cols nest.Size, from, to view) nest.Item {
	if p.wide == p.dtype {
		return p.copyRow(w, p.dtype, cols, from, to)
	}
	return p.call(w, oneOp(ir.OpCast, p.wide, kernel.Operand{DType: p.dtype}), nest.Fixed(1), cols, []view{from, to})
}

// fill returns the stores of one element to all of a block.
func (p *prefixScan) fill(w *walk, d ir.DType, rows, cols nest.Size, element, to view) nest.Item {
	return p.call(w, copyKernel(d, true), rows, cols, []view{element, to})
}

// begin returns the stores of the results of no elements, if the scan is exclusive.
func (p *prefixScan) begin(w *walk, rows, cols nest.Size) []nest.Item {
	if !p.exclusive {
		return nil
	}
	empty := p.constant(p.dtype, ir.EmptyReduction(p.by, p.dtype))
	return []nest.Item{p.fill(w, p.dtype, rows, cols, empty, p.head)}
}

// store returns the stores of a tile, past the caches if results are. That kernel copies bytes.
func (p *prefixScan) store(w *walk, rows, cols nest.Size, tile, to view) nest.Item {
	if !p.nonTemporal {
		return p.call(w, copyKernel(p.dtype, false), rows, cols, []view{tile, to})
	}
	return p.call(w, kernel.CopyNT, rows, times(cols, p.dtype.Size()), []view{tile, to})
}

// pack returns the copy of a block of the operand to rows without gaps. It reads along the columns if they are contiguous.
func (p *prefixScan) pack(w *walk, rows, cols nest.Size, from, to view) nest.Item {
	if p.in.class == transposed {
		p.need(transposeKernel(p.dtype))
		return transposeCall(p.dtype, cols, rows, w.arg(&from, p.col), p.in.row, w.arg(&to, p.row))
	}
	return p.call(w, packKernel(p.dtype), rows, cols, []view{from, to}, from.across(p.col, p.dtype))
}

// again returns the call that scans chunks a second time where ir.Rescan says so, or nothing if no chunk can need that. lines
// is the axis of lines, along the axis of the n elements of a line of x, in the given number of chunks. last is the last
// running value of each chunk, before is the carry into each chunk, and after the carry out of the last one.
func (p *prefixScan) again(w *walk, lines, along int, n, chunks nest.Size, x, last, before, y, after view) []nest.Item {
	if !p.rescans {
		return nil
	}
	k := &kernel.Micro{Kind: kernel.Rescan, Type: p.dtype}
	p.need(k)
	args := w.args(lines, x, last, before, y, after)
	return []nest.Item{call(k, w.size[lines], n, args, x.across(along, p.dtype), nest.Fixed(p.dtype.Size()), y.across(along, p.dtype), chunks)}
}

// scan returns the scan of rows of at most a chunk, without carries, of a given type. run are the running values before and
// next those after.
func (p *prefixScan) scan(w *walk, d ir.DType, rows, cols nest.Size, x, run, y, next view) nest.Item {
	return p.call(w, scanRows(p.by, d, false), rows, cols, []view{x, run, y, next})
}

// scanRows returns the micro-kernel that scans rows, with a carry or without.
func scanRows(by ir.Op, d ir.DType, carry bool) kernel.Code {
	return microKernel(kernel.Micro{Kind: kernel.ScanRows, Op: by, Type: d, Carry: carry})
}

// newAxes returns axes of some extents.
func newAxes(extents ...int) []plan.Axis {
	axes := make([]plan.Axis, len(extents))
	for i, n := range extents {
		axes[i].Extent = n
	}
	return axes
}
