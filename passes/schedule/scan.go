package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Prefix scans: what the strategies for them share. A line is scanned in chunks of
// ir.FoldChunk elements, as ir.ScanLine says. The state of a line is its running value
// in the chunk, which begins as the identity, and its carry: the combined last running
// values of the chunks before, in ir.PartialType. States are in scratch.
//
// An exclusive scan of n elements is an inclusive one of the first n-1, stored one
// further on, behind the result of no elements.

// prefixScan is a step that scans the rows or the columns of its last two axes, inside
// loops over the other axes.
type prefixScan struct {
	*target
	*Draft
	by          ir.Op
	dtype       ir.DType
	wide        ir.DType // of carries
	axis        int      // 0: along the rows' axis, 1: along the columns'
	n           int      // elements of a line that are combined
	exclusive   bool
	loops       []nest.Loop // over the outer axes
	rows, cols  int
	elems       int
	step        *plan.Step
	x, y        matrix // the first element combined, and where its result is
	head        matrix // if exclusive: the result of no elements
	packed      bool   // the elements of a row of the operand are apart
	nonTemporal bool   // results are stored past the caches

	identity  matrix // the running value of no elements
	noCarry   matrix // the carry of no chunks
	missing   string
	signature string // of the kernel that computes most elements
}

// newPrefixScan returns the scan of a step, or why it is none.
func newPrefixScan(t *target, s *plan.Step) (p *prefixScan, why string) {
	role, axis := s.Kind()
	switch {
	case role != plan.Scan && role != plan.ScanExclusive:
		return nil, "no axis is scanned"
	case len(s.In) != 1 || len(s.Out) != 1 || len(s.Body.Body) > 0:
		return nil, "the body computes something"
	case s.Out[0].Combine.ScannedBy() == ir.OpInvalid:
		return nil, "no scan combines by " + s.Out[0].Combine.String()
	case s.In[0].Panel != nil || s.In[0].Index != 0 || s.Out[0].Panel != nil || s.Out[0].Index != 0:
		return nil, "an operand is not affine"
	}
	by, d := s.Out[0].Combine, s.Body.In[0].DType
	p = &prefixScan{target: t, Draft: newDraft(t, s), step: s, by: by, dtype: d, wide: ir.PartialType(by, d), rows: 1, elems: 1}
	p.x, p.y = matrix{slot: 0, offset: s.In[0].Offset}, matrix{slot: 1, offset: s.Out[0].Offset}
	last := len(s.Axes) - 1
	for k, a := range s.Axes {
		p.elems *= a.Extent
		in, out := s.In[0].Strides[k], s.Out[0].Strides[k]
		if a.Extent == 1 {
			in, out = 0, 0
		}
		switch k {
		case last:
			p.cols, p.x.col, p.y.col = a.Extent, in, out
		case last - 1:
			p.rows, p.x.row, p.y.row = a.Extent, in, out
		default:
			p.loops = append(p.loops, nest.Loop{Extent: nest.Fixed(a.Extent), Tile: 1})
			p.x.strides, p.y.strides = append(p.x.strides, in), append(p.y.strides, out)
		}
	}
	p.axis, p.n, p.exclusive = axis-last+1, s.Axes[axis].Extent, role == plan.ScanExclusive
	if p.axis < 0 {
		return nil, "the scanned axis is outside the rows"
	}
	if p.cols > 1 && p.y.col != 1 {
		return nil, "the results of a row are apart"
	}
	if p.head = p.y; p.exclusive {
		p.n--
		p.y = p.y.at(1-p.axis, p.axis)
	}
	p.packed = p.cols > 1 && p.x.col != 1
	p.nonTemporal = p.storesPastCaches(s.Out[0].Buffer)
	bits, _ := by.Info().Identity(d)
	p.identity = matrix{slot: p.table(d, bits, 1), col: 1}
	bits, _ = by.Info().Identity(p.wide)
	p.noCarry = matrix{slot: p.table(p.wide, bits, 1), col: 1}
	return p, ""
}

// storesPastCaches reports whether the results are stored past the caches: many, which
// no step reads, whose rows begin where lines of the caches do, as a part of such a
// line goes to memory alone.
func (p *prefixScan) storesPastCaches(buffer int) bool {
	size, from := p.dtype.Size(), p.NonTemporalFrom
	if p.Blocks > 0 {
		from = 1
	}
	ragged := p.Blocks == 0 && p.rows > 1 && p.y.row*size%cacheLine != 0
	engine, ok := p.lib.Engine(kernel.StreamKernel().Signature())
	return ok && engine == "avx2" && !p.packed && !ragged && p.elems*size >= from &&
		p.buffers[buffer].Kind != plan.ScratchBuffer && !p.read[buffer]
}

// finish returns the draft with the nests of the scan, or the kernel that is missing.
// compute is the kernel that computes most elements.
func (p *prefixScan) finish(compute *kernel.Kernel) (*Draft, string) {
	if p.missing != "" {
		return nil, "no kernel is registered for " + p.missing
	}
	sig := compute.Signature()
	engine, _ := p.lib.Engine(sig)
	p.Choice = nest.Choice{Kernel: sig, Engine: engine, Kernels: 1, Cost: p.work(p.step)}
	if p.packed {
		p.Choice.Packed = []int{0}
	}
	if p.nonTemporal {
		p.Choice.Streamed = []int{1}
	}
	return p.Draft, ""
}

// state reserves n elements that belong to lines, one each.
func (p *prefixScan) state(d ir.DType, n int) matrix {
	return matrix{slot: p.scratch(d, n), row: 1, col: 1}
}

// tile reserves rows of so many elements. A cache line is between two of them: rows a
// power of two apart would be in few sets of the cache.
func (p *prefixScan) tile(rows, cols int) matrix {
	line := cacheLine / p.dtype.Size()
	row := (cols+line-1)/line*line + line
	return matrix{slot: p.scratch(p.dtype, rows*row), row: row, col: 1}
}
