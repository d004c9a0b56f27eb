//go:build amd64 && !purego

package lines

import (
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Reductions of rows for AVX2: built-in kernels combine the rows of the table where they are, two or
// four at a time. Rows of a large table are prefetched.

func init() {
	var list []abi.Kernel
	for _, m := range kernel.LineKernels() {
		if m.Kind == kernel.GatherReduce {
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: gatherReduceRows(m)})
		}
	}
	abi.Register(abi.ABI1, abi.AVX2, list)
}

// gatherReduceRows returns the function that reduces rows by their indices: wide ones by kernels, if
// there are.
func gatherReduceRows(m *kernel.Micro) func(*abi.Frame) {
	other, size, by := gatherReduceOf(m), m.Type.Size(), m.Op.Info().By
	kernels := sync.OnceValue(func() (k [2]func(*abi.Frame)) {
		k[0], _ = abi.Lookup(abi.AVX2, combinerOf(by, m.Type))
		k[1], _ = abi.Lookup(abi.AVX2, combinerOfFour(by, m.Type))
		return k
	})
	return func(f *abi.Frame) {
		k := kernels()
		if f.Cols < wideRow || k[0] == nil {
			other(f)
			return
		}
		g := gathered{f: f, two: k[0], four: k[1], bytes: f.Cols * size, table: f.Ptr[0], work: f.Ptr[3],
			tableStep: f.Step[0], workStep: f.Step[3], extent: f.Step[4], length: f.Step[5], across: f.Step[6]}
		g.rows()
	}
}

// combinerOfFour returns the signature of the kernel that combines the elements of four operands, two and two.
func combinerOfFour(by ir.Op, d ir.DType) string {
	u := kernel.Operand{DType: d}
	b := kernel.NewBuilder(u, u, u, u)
	b.Store(b.Op(by, b.Op(by, 0, 1), b.Op(by, 2, 3)))
	k, _ := b.Kernel().Canonical()
	return k.Signature()
}

// gathered is a call, and the rows of the table that the current row of the output is made of.
type gathered struct {
	f                    *abi.Frame
	two, four            func(*abi.Frame) // combine rows; four may be nil
	table, indices, work unsafe.Pointer
	tableStep, workStep  int
	bytes                int // of a row
	extent, length       int
	across               int // bytes from index to index
	lanes                int // how many rows the rows of the table are combined to first: row i goes to row i%lanes
	ahead                prefetching
}

// prefetching is the lane whose rows are prefetched next: some rows before it is computed.
type prefetching struct {
	lines     int            // of each row, 0 if none is prefetched
	row, lane int            // of the output
	rows      int            // of the output
	indices   unsafe.Pointer // of the first row of the output
	step      int            // bytes to those of the next one
}

// rowsAhead is how many rows before its reduction a row is prefetched.
const rowsAhead = 12

// rows computes each row of the output, with the frame of the call, which it restores.
func (g *gathered) rows() {
	f := g.f
	call := *f
	defer func() { *f = call }()
	g.lanes = 1
	for g.lanes < ir.ReduceLanes && (4*g.lanes < g.length || g.length > ir.ReduceLanes) {
		g.lanes *= 2
	}
	if max(g.tableStep, -g.tableStep) >= farBytes/max(1, g.extent) {
		g.ahead = prefetching{lines: min((g.bytes-1)/cacheLine+1, prefetchedLines), rows: call.Rows, indices: call.Ptr[1], step: call.Step[1]}
		for range 1 + rowsAhead*g.lanes/g.length {
			g.prefetch()
		}
	}
	f.Step[0], f.Step[1], f.Step[2] = g.workStep, g.workStep, g.workStep
	for r := range call.Rows {
		g.indices = unsafe.Add(call.Ptr[1], r*call.Step[1])
		g.reduce(unsafe.Add(call.Ptr[2], r*call.Step[2]))
	}
}

// reduce stores what ir.ReduceRow gives of all rows: first of the rows of each lane, or of four lanes each,
// which are rows of the memory to work in then, or the result.
func (g *gathered) reduce(to unsafe.Pointer) {
	g.f.Rows = 1
	for b := range g.lanes {
		g.prefetch()
		switch {
		case g.lanes == 1:
			g.combine(0, to)
		case g.lanes == ir.ReduceLanes:
			g.chain(b, g.lane(b))
		default:
			g.combine(b, g.lane(b))
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

// lane returns the row that a lane has in the memory to work in.
func (g *gathered) lane(b int) unsafe.Pointer { return unsafe.Add(g.work, b*g.workStep) }

// chain combines the rows of a lane in their order.
func (g *gathered) chain(b int, to unsafe.Pointer) {
	row := g.row(b)
	if b+ir.ReduceLanes >= g.length {
		g.copy(row, to)
	}
	for i := b + ir.ReduceLanes; i < g.length; i += ir.ReduceLanes {
		g.add(row, g.row(i), to)
		row = to
	}
}

// combine combines rows b, b+n, b+2n and b+3n, n being how many lanes are left, as far as there are such:
// those that are 2n apart first.
func (g *gathered) combine(b int, to unsafe.Pointer) {
	n, first := g.lanes, g.row(b)
	switch left := g.length - b; {
	case left <= n:
		g.copy(first, to)
	case left <= 2*n:
		g.add(first, g.row(b+n), to)
	case left <= 3*n:
		g.add(first, g.row(b+2*n), to)
		g.add(to, g.row(b+n), to)
	case g.four == nil:
		g.add(first, g.row(b+2*n), to)
		g.add(g.row(b+n), g.row(b+3*n), g.lane(b+n))
		g.add(to, g.lane(b+n), to)
	default:
		p := &g.f.Ptr
		p[0], p[1], p[2], p[3], p[4] = first, g.row(b+2*n), g.row(b+n), g.row(b+3*n), to
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
	return unsafe.Add(g.table, index[int64](g.indices, g.across, i, g.extent)*g.tableStep)
}

// copy stores a row as it is.
func (g *gathered) copy(row, to unsafe.Pointer) {
	copy(unsafe.Slice((*byte)(to), g.bytes), unsafe.Slice((*byte)(row), g.bytes))
}

// add combines two rows.
func (g *gathered) add(a, b, to unsafe.Pointer) {
	p := &g.f.Ptr
	p[0], p[1], p[2] = a, b, to
	g.two(g.f)
}

// prefetchRows prefetches so many cache lines of each of n rows. Indices may be any numbers: a prefetch never
// faults.
//
//go:noescape
func prefetchRows(table, index unsafe.Pointer, tableStep, across, n, lines int)
