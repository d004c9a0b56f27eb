//go:build (amd64 || arm64) && !purego

package lines

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Reductions of rows by the assembly of built-in kernels, which combine two, four or eight rows of the table in place. On amd64
// rows of a large table are prefetched.

// registerGatherReduce registers the kernels among all that reduce rows.
func registerGatherReduce(all []*kernel.Micro) {
	var list []abi.Kernel
	for _, m := range all {
		if m.Kind == kernel.GatherReduce && !m.Op.Info().Weighted && !isBag(m) {
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: gatherReduceRows(m)})
		}
	}
	abi.RegisterBuiltin(rowEngine, list)
}

// rowKernels combine two, four and eight rows; each is nil if it does not exist.
type rowKernels struct{ two, four, eight func(*abi.Frame) }

// gatherReduceRows returns the function that reduces rows by their indices. It uses kernels for wide rows, if they exist.
func gatherReduceRows(m *kernel.Micro) func(*abi.Frame) {
	op, other, size := m.Op.Info(), gatherReduceOf(m), m.Type.Size()
	at := gatherOut(op)
	kernels := sync.OnceValue(func() rowKernels {
		find := func(rows int) func(*abi.Frame) {
			fn, _ := abi.Lookup(rowEngine, combinerOfRows(op.By, m.Type, rows))
			return fn
		}
		return rowKernels{find(2), find(4), find(8)}
	})
	return func(f *abi.Frame) {
		k := kernels()
		if f.Cols < wideRow || k.two == nil {
			other(f)
			return
		}
		g := gathered{f: f, rowKernels: k, bytes: f.Cols * size, table: f.Ptr[0], work: f.Ptr[at+1], out: at,
			tableStep: f.Step[0], workStep: f.Step[at+1], extent: f.Step[at+2], length: f.Step[at+3], across: f.Step[at+4]}
		g.rows()
	}
}

// combinerOfRows returns the signature of the kernel that combines the elements of several rows in pairs.
func combinerOfRows(by ir.Op, d ir.DType, rows int) string {
	b := kernel.NewBuilder(slices.Repeat([]kernel.Operand{{DType: d}}, rows)...)
	all := make([]kernel.Ref, rows)
	for r := range all {
		all[r] = kernel.Ref(r)
	}
	for ; len(all) > 1; all = all[:len(all)/2] {
		for i := range len(all) / 2 {
			all[i] = b.Op(by, all[2*i], all[2*i+1])
		}
	}
	b.Store(all[0])
	k, _ := b.Kernel().Canonical()
	return k.Signature()
}

// gathered is a call, with the rows of the table that make up the current row of the output.
type gathered struct {
	f *abi.Frame
	rowKernels
	table, indices, work unsafe.Pointer
	tableStep, workStep  int
	out                  int // argument number of the output
	bytes                int // of a row
	extent, length       int
	across               int // bytes from index to index
	lanes                int // rows that the table's rows are first combined into: row i into row i%lanes
	ahead                prefetching
}

// prefetching is the lane whose rows are prefetched next, some rows before it is computed.
type prefetching struct {
	lines     int            // of each row, 0 if none is prefetched
	row, lane int            // of the output
	rows      int            // of the output
	indices   unsafe.Pointer // of the first row of the output
	step      int            // bytes to those of the next one
}

// rowsAhead is the number of rows between the prefetch of a row and its reduction.
const rowsAhead = 12

// rows computes each row of the output. It changes the frame of the call, and restores it at the end.
func (g *gathered) rows() {
	f := g.f
	call := *f
	defer func() { *f = call }()
	g.lanes = 1
	most, far := 4, isFar(g.tableStep, g.extent)
	if g.eight != nil && !far { // prefetched rows are combined a few at a time
		most = 8
	}
	for g.lanes < ir.ReduceLanes && (most*g.lanes < g.length || g.length > ir.ReduceLanes) {
		g.lanes *= 2
	}
	if far {
		g.ahead = prefetching{lines: min((g.bytes-1)/kernel.CacheLine+1, prefetchedLines), rows: call.Rows, indices: call.Ptr[1], step: call.Step[1]}
		for range 1 + rowsAhead*g.lanes/g.length {
			g.prefetch()
		}
	}
	f.Step[0], f.Step[1], f.Step[2] = g.workStep, g.workStep, g.workStep
	for r := range call.Rows {
		g.indices = unsafe.Add(call.Ptr[1], r*call.Step[1])
		g.reduce(unsafe.Add(call.Ptr[g.out], r*call.Step[g.out]))
	}
}

// reduce stores the result of ir.ReduceRow over all rows. It first combines the rows of each lane, or of up to eight lanes at
// once, into rows of the scratch memory, or into the result if that is all.
func (g *gathered) reduce(to unsafe.Pointer) {
	g.f.Rows = 1
	for b := range g.lanes {
		g.prefetch()
		switch {
		case g.lanes == 1:
			g.combine(0, 1, to)
		case g.lanes == ir.ReduceLanes:
			g.chain(b, g.lane(b))
		default:
			g.combine(b, g.lanes, g.lane(b))
		}
	}
	for half := g.lanes / 2; half > 0; half /= 2 {
		out := g.work
		if half == 1 {
			out = to
		}
		g.f.Rows = half
		g.add(g.work, g.lane(half), out)
	}
}

// lane returns the row of a lane in the scratch memory.
func (g *gathered) lane(b int) unsafe.Pointer { return unsafe.Add(g.work, b*g.workStep) }

// chain combines the rows of a lane in order.
func (g *gathered) chain(b int, to unsafe.Pointer) {
	i := b + ir.ReduceLanes
	if i >= g.length {
		g.copy(b, to)
	} else {
		g.add(g.row(b), g.row(i), to)
		i += ir.ReduceLanes
	}
	for ; i < g.length; i += ir.ReduceLanes {
		g.add(to, g.row(i), to)
	}
}

// combine combines the up to eight existing rows b, b+n, b+2n, ..., where n is the number of lanes left. The rows that are
// farthest apart are combined first.
func (g *gathered) combine(b, n int, to unsafe.Pointer) {
	switch left := g.length - b; {
	case left > 7*n:
		p := &g.f.Ptr
		p[0], p[1], p[2], p[3] = g.row(b), g.row(b+4*n), g.row(b+2*n), g.row(b+6*n)
		p[4], p[5], p[6], p[7], p[8] = g.row(b+n), g.row(b+5*n), g.row(b+3*n), g.row(b+7*n), to
		g.eight(g.f)
	case left > 4*n:
		g.combine(b+n, 2*n, g.lane(b+n))
		g.combine(b, 2*n, to)
		g.add(to, g.lane(b+n), to)
	case left <= n:
		g.copy(b, to)
	case left <= 2*n:
		g.add(g.row(b), g.row(b+n), to)
	case left <= 3*n:
		g.add(g.row(b), g.row(b+2*n), to)
		g.add(to, g.row(b+n), to)
	case g.four == nil:
		g.add(g.row(b), g.row(b+2*n), to)
		g.add(g.row(b+n), g.row(b+3*n), g.lane(b+n))
		g.add(to, g.lane(b+n), to)
	default:
		p := &g.f.Ptr
		p[0], p[1], p[2], p[3], p[4] = g.row(b), g.row(b+2*n), g.row(b+n), g.row(b+3*n), to
		g.four(g.f)
	}
}

// prefetch prefetches the rows of the next lane, if there is one.
func (g *gathered) prefetch() {
	a := &g.ahead
	if a.lines == 0 || a.row == a.rows {
		return
	}
	first := unsafe.Add(a.indices, a.row*a.step+a.lane*g.across)
	prefetchRows(g.table, first, g.tableStep, g.lanes*g.across, (g.length-a.lane-1)/g.lanes+1, a.lines)
	if a.lane++; a.lane == g.lanes {
		a.row, a.lane = a.row+1, 0
	}
}

// row returns the row of the table that index i selects, or panics.
func (g *gathered) row(i int) unsafe.Pointer {
	return unsafe.Add(g.table, lineIndex[int64](g.indices, g.across, i, g.extent)*g.tableStep)
}

// copy stores the row that index i selects.
func (g *gathered) copy(i int, to unsafe.Pointer) {
	copy(unsafe.Slice((*byte)(to), g.bytes), unsafe.Slice((*byte)(g.row(i)), g.bytes))
}

// add combines two rows.
func (g *gathered) add(a, b, to unsafe.Pointer) {
	p := &g.f.Ptr
	p[0], p[1], p[2] = a, b, to
	g.two(g.f)
}
