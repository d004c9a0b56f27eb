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
// four at a time, and the caches are asked for rows of a large table ahead.

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

// gathered are the rows of a table that a row of the output is made of.
type gathered struct {
	f                    *abi.Frame
	two, four            func(*abi.Frame) // combine rows; four may be nil
	table, indices, work unsafe.Pointer
	tableStep, workStep  int
	bytes                int // of a row
	extent, length       int
	across               int            // bytes from index to index
	later                unsafe.Pointer // the indices of a later row of the output
	lines                int            // how many lines the caches are asked for of each row that those say
}

// askedRows is how many rows ahead of their reduction rows are asked for at least.
const askedRows = 12

// rows computes each row of the output, with the frame of the call, which it restores.
func (g *gathered) rows() {
	f, lines := g.f, 0
	call := *f
	defer func() { *f = call }()
	if max(g.tableStep, -g.tableStep) >= farBytes/max(1, g.extent) {
		lines = min((g.bytes-1)/cacheLine+1, askedLines)
	}
	f.Step[0], f.Step[1], f.Step[2] = g.workStep, g.workStep, g.workStep
	ahead := 1 + askedRows/g.length
	for r := range call.Rows {
		g.indices = unsafe.Add(call.Ptr[1], r*call.Step[1])
		if g.lines = 0; r+ahead < call.Rows {
			g.later, g.lines = unsafe.Add(g.indices, ahead*call.Step[1]), lines
		}
		g.reduce(unsafe.Add(call.Ptr[2], r*call.Step[2]))
	}
}

// reduce stores what ir.ReduceRow gives of all rows. Lanes that are left are rows of the memory to
// work in.
func (g *gathered) reduce(to unsafe.Pointer) {
	lanes := 1
	g.f.Rows = 1
	if g.length > ir.ReduceLanes {
		lanes = ir.ReduceLanes
		for b := range lanes {
			g.lane(b, g.lanes(b))
		}
	} else {
		for 4*lanes < g.length {
			lanes *= 2
		}
		for b := range lanes {
			out := g.lanes(b)
			if lanes == 1 {
				out = to
			}
			g.combine(b, lanes, out)
		}
	}
	for half := lanes / 2; half > 0; half /= 2 {
		out := g.work
		if half == 1 {
			out = to
		}
		g.f.Rows = half
		g.add(g.work, g.lanes(half), out)
	}
}

// lanes returns the row that a lane has in the memory to work in.
func (g *gathered) lanes(b int) unsafe.Pointer { return unsafe.Add(g.work, b*g.workStep) }

// lane combines the rows of a lane in their order.
func (g *gathered) lane(b int, to unsafe.Pointer) {
	g.ask(b, ir.ReduceLanes)
	row := g.row(b)
	if b+ir.ReduceLanes >= g.length {
		copy(unsafe.Slice((*byte)(to), g.bytes), unsafe.Slice((*byte)(row), g.bytes))
	}
	for i := b + ir.ReduceLanes; i < g.length; i += ir.ReduceLanes {
		g.add(row, g.row(i), to)
		row = to
	}
}

// combine combines rows b, b+n, b+2n and b+3n, as far as there are such, as lanes are: those that are 2n
// apart first.
func (g *gathered) combine(b, n int, to unsafe.Pointer) {
	g.ask(b, n)
	first := g.row(b)
	switch left := g.length - b; {
	case left <= n:
		copy(unsafe.Slice((*byte)(to), g.bytes), unsafe.Slice((*byte)(first), g.bytes))
	case left <= 2*n:
		g.add(first, g.row(b+n), to)
	case left <= 3*n:
		g.add(first, g.row(b+2*n), to)
		g.add(to, g.row(b+n), to)
	case g.four == nil:
		g.add(first, g.row(b+2*n), to)
		g.add(g.row(b+n), g.row(b+3*n), g.lanes(b+n))
		g.add(to, g.lanes(b+n), to)
	default:
		p := &g.f.Ptr
		p[0], p[1], p[2], p[3], p[4] = first, g.row(b+2*n), g.row(b+n), g.row(b+3*n), to
		g.four(g.f)
	}
}

// ask asks the caches for each n-th row of a later row of the output, from row b on.
func (g *gathered) ask(b, n int) {
	if g.lines > 0 {
		askRows(g.table, unsafe.Add(g.later, b*g.across), g.tableStep, n*g.across, (g.length-b+n-1)/n, g.lines)
	}
}

// row returns the row of the table that index i says.
func (g *gathered) row(i int) unsafe.Pointer {
	return unsafe.Add(g.table, index[int64](g.indices, g.across, i, g.extent)*g.tableStep)
}

// add combines two rows.
func (g *gathered) add(a, b, to unsafe.Pointer) {
	p := &g.f.Ptr
	p[0], p[1], p[2] = a, b, to
	g.two(g.f)
}

// askRows asks the caches for so many lines of n rows. Indices may be any numbers: a prefetch reads
// nothing.
//
//go:noescape
func askRows(table, index unsafe.Pointer, tableStep, across, n, lines int)
