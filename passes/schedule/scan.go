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
