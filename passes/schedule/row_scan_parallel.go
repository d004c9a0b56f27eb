package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Option parallel scans long lines that are fewer than the goroutines, one block of chunks after the other. All goroutines
// compute a block, whose running values stay in a cache until the carries are known:
//
//	for each block, and once more
//	  task: combine the chunks of the block before with their carries,
//	        and scan those of the block apart: running values, and the last ones of each
//	  task: if a chunk of the block before overflows, scan that block again;
//	        scan the last running values, from the carry on: the carries of the chunks behind

// parallel is the offer to do so.
func (p *prefixScan) parallel() (offer, string) {
	switch lines := elems(p.step) / p.step.Axes[p.col].Extent; {
	case p.inOrder:
		return offer{}, "the elements are combined in order"
	case p.t.inGroup:
		return offer{}, severalTasks
	case p.t.InPlace && !p.rescans: // other options store results in place of the elements
		return offer{}, "it stores results of one block before it reads the next one"
	case lines >= p.t.Workers:
		return offer{}, p.t.because("%d lines for %d goroutines, needs fewer", lines, p.t.Workers)
	case p.n <= ir.ReduceChunk, p.work < 4*p.t.WakeWork:
		return offer{}, p.t.because("lines of %d elements, needs more than %d and more work", p.n, ir.ReduceChunk)
	case ir.Chunks(p.n) > p.t.ScanBlocks*p.chunksOfBlock(lines):
		return offer{}, p.t.because("lines of %d chunks, takes at most %d", ir.Chunks(p.n), p.t.ScanBlocks*p.chunksOfBlock(lines))
	}
	return p.offer((*prefixScan).draftParallel), ""
}

// draftParallel returns the draft of the scan.
func (p *prefixScan) draftParallel() (*Draft, string) {
	newParallelScan(p).tasks()
	return p.finish(scanRows(p.by, p.dtype, false))
}

// parallelScan scans lines block by block.
type parallelScan struct {
	s           *prefixScan
	base        *walk // inside the loops over lines
	line, lines int   // the axis of lines, and how many there are
	block, side int   // chunks of a block, and of a call
	lasts       view  // the last running values of the chunks of a line
	behind      view  // the carries before each chunk of a line, and that behind the last one
	last, next  view  // those of a block as carries are, if they are wider, and the carry behind it
	piece       view  // results that are stored past the caches
	dense       view  // the operand, if packed
	bytes       int   // of the buffers so far
}

// chunksOfBlock returns the greatest number of chunks of each line in a block.
func (p *prefixScan) chunksOfBlock(lines int) int {
	return max(1, p.t.ScanParallelBytes/(lines*ir.ReduceChunk*p.dtype.Size()))
}

func newParallelScan(p *prefixScan) *parallelScan {
	l := &parallelScan{s: chunkedLines(p), line: p.row, lines: elems(p.step) / p.step.Axes[p.col].Extent}
	chunks, most := ir.Chunks(p.n), p.chunksOfBlock(l.lines)
	l.side = p.t.ScanRows
	l.block = roundUp((chunks-1)/((chunks-1)/most+1)+1, l.side) // blocks of about the same length
	l.base = newWalk(l.s.step.Axes).cutAll(l.s.row, l.s.col)
	l.lasts, l.behind = l.buffer(l.s.dtype, chunks, 1), l.buffer(l.s.wide, chunks+1, 1)
	if l.next = l.s.local(l.s.draft.scratch(l.s.wide, 1), 1, 1); l.s.wide != l.s.dtype {
		l.last = l.s.local(l.s.draft.scratch(l.s.wide, l.block), 1, 1)
	}
	if l.s.nonTemporal {
		l.piece = l.s.tile(1, ir.ReduceChunk)
	}
	if l.s.packed {
		l.dense = l.s.tile(l.side, ir.ReduceChunk)
	}
	return l
}

// buffer returns a new temporary: for each line, rows of cols elements.
func (l *parallelScan) buffer(d ir.DType, rows, cols int) view {
	apart := rows * cols
	v := l.s.local(l.s.draft.own(l.s.t, plan.Buffer{Kind: plan.TempBuffer, DType: d, Offset: l.bytes}), cols, 1)
	for k := l.s.row - 1; k >= 0; k-- {
		v.strides[k] = apart
		apart *= l.s.step.Axes[k].Extent
	}
	own := &l.s.draft.Own[len(l.s.draft.Own)-1]
	own.Shape = []int{apart}
	l.bytes += roundUp(apart*d.Size(), cacheLine)
	return v
}

// scanBlock is some chunks of each line.
type scanBlock struct {
	first, whole, rest int  // chunk, chunks, elements of the one behind these
	runs               view // the running values
}

// chunks returns the number of chunks.
func (b *scanBlock) chunks() int { return b.whole + min(b.rest, 1) }

// tasks appends the tasks of one block after the other.
func (l *parallelScan) tasks() {
	begin := append(l.s.begin(l.base, nest.Fixed(1), nest.Fixed(1)), l.s.copyRow(l.base, l.s.wide, nest.Fixed(1), l.s.noCarry, l.behind))
	var before scanBlock
	shared := l.bytes // where the running values of every other block begin
	for k := range (ir.Chunks(l.s.n)-1)/l.block + 1 {
		b := scanBlock{first: k * l.block}
		b.whole = min(l.block, l.s.n/ir.ReduceChunk-b.first)
		if b.whole < l.block {
			b.rest = l.s.n % ir.ReduceChunk
		}
		if k%2 == 0 {
			l.bytes = shared
		}
		b.runs = l.buffer(l.s.dtype, l.block, ir.ReduceChunk+cacheLine/l.s.dtype.Size())
		l.task(l.lines*(before.chunks()+b.chunks())*ir.ReduceChunk, l.both(before, b)...)
		l.task(l.lines*b.chunks(), l.base.part(append(append(begin, l.scannedAgain(before)...), l.carried(b)...)))
		begin, before = nil, b
	}
	l.task(l.lines*before.chunks()*ir.ReduceChunk, l.both(before, scanBlock{})...)
	if again := l.scannedAgain(before); again != nil {
		l.task(l.lines, l.base.part(again))
	}
}

// task appends a task, which begins when the tasks before it are complete. It computes elems elements.
func (l *parallelScan) task(elems int, parts ...nest.Nest) {
	if l.s.draft.Elems = append(l.s.draft.Elems, elems); l.s.draft.Parts == nil {
		l.s.draft.Parts = parts
	} else {
		l.s.draft.Then = append(l.s.draft.Then, parts)
	}
}

// both returns the parts that combine one block and scan the next one. An iteration does some of each, so that memory is read
// ahead while results are stored.
func (l *parallelScan) both(last, next scanBlock) (parts []nest.Nest) {
	some := func(chunks, elems int, items func(w *walk) []nest.Item) {
		if chunks > 0 && elems > 0 {
			w := l.base.having(l.s.row, chunks).having(l.s.col, elems).cut(l.s.row, l.side)
			parts = append(parts, w.part(items(w)))
		}
	}
	n := min(last.whole, next.whole)
	some(n, ir.ReduceChunk, func(w *walk) []nest.Item { return append(l.combined(w, last, 0), l.scanned(w, next, 0)...) })
	some(last.whole-n, ir.ReduceChunk, func(w *walk) []nest.Item { return l.combined(w, last, n) })
	some(1, last.rest, func(w *walk) []nest.Item { return l.combined(w, last, last.whole) })
	some(next.whole-n, ir.ReduceChunk, func(w *walk) []nest.Item { return l.scanned(w, next, n) })
	some(1, next.rest, func(w *walk) []nest.Item { return l.scanned(w, next, next.whole) })
	return parts
}

// scanned returns the scan of chunks from number k of a block on, without carries.
func (l *parallelScan) scanned(w *walk, b scanBlock, k int) []nest.Item {
	return l.s.scanChunks(w, l.s.x.move(l.s.row, b.first+k), l.dense, b.runs.move(l.s.row, k), l.lasts.move(l.s.row, b.first+k))
}

// carried returns the scan of the last running values of a block.
func (l *parallelScan) carried(b scanBlock) []nest.Item {
	return l.s.scanLasts(l.base, nest.Fixed(b.chunks()), l.lasts.move(l.s.row, b.first), l.last, l.behind.move(l.s.row, b.first), l.next.inside(l.base))
}

// combined returns the results of chunks from number k of a block on.
func (l *parallelScan) combined(w *walk, b scanBlock, k int) []nest.Item {
	one := w
	if l.s.nonTemporal {
		one = w.cut(l.s.row, 1)
	}
	carry, runs, y := l.behind.move(l.s.row, b.first+k), b.runs.move(l.s.row, k), l.s.y.move(l.s.row, b.first+k)
	return one.wrap(w, l.s.combineChunks(one, carry, runs, l.piece.inside(one), y))
}

// scannedAgain returns the second scan of a block, if there can be one.
func (l *parallelScan) scannedAgain(b scanBlock) []nest.Item {
	n := b.chunks()
	if n == 0 {
		return nil
	}
	from := func(v view) view { return v.move(l.s.row, b.first) }
	all, behind := nest.Fixed(b.whole*ir.ReduceChunk+b.rest), l.behind.move(l.s.row, b.first+n)
	return l.s.again(l.base, l.line, l.s.col, all, nest.Fixed(n), from(l.s.x), from(l.lasts), from(l.behind), from(l.s.y), behind)
}
