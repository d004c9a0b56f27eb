package schedule

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// stage says how an operand of an elementwise step is laid out for the calls: where it
// is, or in local memory.
type stage uint8

// The stages.
const (
	direct          stage = iota
	packed                // its tile is copied row by row
	packedAcross          // its tile is copied column by column
	transposedBlock       // its block is transposed, for all tiles
	repeated              // its tile is one row again and again: for joined rows
	filled                // its tile is one element a row again and again
	constant              // it is a table of one element
	nonTemporal           // an output: its tile is copied out past the caches
)

// once reports whether an operand is staged once for all rows of a block.
func (e *elementwise) once(i int) bool {
	switch e.stages[i] {
	case packed, repeated, filled:
		return e.ops[i].row == 0
	}
	return false
}

// stageWork returns what staging costs for each index, in additions.
func (e *elementwise) stageWork(i int) float64 {
	if e.once(i) {
		return 0
	}
	switch e.stages[i] {
	case direct, repeated, constant:
		return 0
	case packed, transposedBlock:
		return e.StageWork
	case packedAcross:
		return 2 * e.StageWork
	case filled:
		return e.StageWork / 2
	case nonTemporal: // memory is not read before it is written
		return -1
	}
	panic("BUG: schedule: there is no such stage")
}

// pack stages the operands that are apart along the columns, tile by tile. It says why
// if there is no kernel for one.
func (e *elementwise) pack() (why string) {
	for i := range e.step.In {
		o := &e.ops[i]
		if e.stages[i] != direct {
			continue
		}
		switch o.class {
		case strided:
			e.stages[i] = packed
		case transposed:
			e.stages[i] = packedAcross
		}
		if why = e.checkStage(i); why != "" {
			return why
		}
	}
	return ""
}

// checkStage says why an operand cannot be staged: there is no kernel for it.
func (e *elementwise) checkStage(i int) string {
	for _, k := range e.stageKernels(i) {
		if _, ok := e.lib.Engine(k.Signature()); !ok {
			return "no kernel is registered for " + k.Signature()
		}
	}
	return ""
}

// stageKernels returns the kernels that stage an operand.
func (e *elementwise) stageKernels(i int) []kernel.Code {
	o := &e.ops[i]
	switch e.stages[i] {
	case direct, constant:
		return nil
	case packed:
		return []kernel.Code{packKernel(o.dtype)}
	case packedAcross, transposedBlock:
		return []kernel.Code{transposeKernel(o.dtype)}
	case repeated:
		return []kernel.Code{packKernel(o.dtype), copyKernel(o.dtype, false)}
	case filled:
		return []kernel.Code{copyKernel(o.dtype, true)}
	case nonTemporal:
		return []kernel.Code{streamKernel()}
	}
	panic("BUG: schedule: there is no such stage")
}

// stageBlock returns the calls that stage a block, and notes where the operands are
// then.
func (e *elementwise) stageBlock(block *walk) (items []nest.Item) {
	for i := range e.ops {
		if e.stages[i] != transposedBlock {
			continue
		}
		// Lines are a cache line longer than they need be: a power of two apart, they
		// would fall into few sets of the cache.
		size := e.ops[i].size()
		line := ((e.blockCols*size+cacheLine-1)&^(cacheLine-1) + cacheLine) / size
		to := e.tileView(i, e.blockRows*line, line, block.depth())
		items = append(items, e.transpose(i, block, &to))
		e.at[i] = to
	}
	return items
}

// stageTile returns the calls that stage a tile: those that do it once for all rows,
// and those for each tile.
func (e *elementwise) stageTile(columns, tile *walk) (once, each []nest.Item) {
	for i := range e.ops {
		switch e.stages[i] {
		case direct, transposedBlock:
			continue
		case constant:
			b := &e.buffers[e.step.In[i].Buffer]
			e.at[i] = view{slot: e.draft.table(b.DType, b.Bits, e.tileCols), strides: make([]int, len(e.step.Axes))}
			continue
		}
		line, lines, at := e.tileCols, e.tileRows, tile
		if e.once(i) {
			at = columns
			if e.stages[i] != repeated {
				line, lines = 0, 1
			}
		}
		to := e.tileView(i, lines*e.tileCols, line, tile.depth())
		items := e.copyIn(i, at, &to)
		if e.once(i) {
			once = append(once, items...)
		} else {
			each = append(each, items...)
		}
		e.at[i] = to
	}
	return once, each
}

// tileView returns local memory for an operand, whose lines are so far apart.
func (e *elementwise) tileView(i, elems, line, from int) view {
	v := view{slot: e.draft.scratch(e.ops[i].dtype, elems), strides: make([]int, len(e.step.Axes)), from: from}
	v.strides[e.row], v.strides[e.col] = line, 1
	return v
}

// copyIn returns the calls that copy a tile of an operand to local memory.
func (e *elementwise) copyIn(i int, w *walk, to *view) []nest.Item {
	o := &e.ops[i]
	rows := w.size[e.row]
	if e.once(i) {
		rows = nest.Fixed(1)
	}
	args := []nest.Arg{w.arg(&e.at[i], e.row), w.arg(to, e.row)}
	across := nest.Fixed(o.col * o.size())
	switch e.stages[i] {
	case packed:
		return []nest.Item{call(packKernel(o.dtype), rows, w.size[e.col], args, across)}
	case packedAcross:
		return []nest.Item{e.transpose(i, w, to)}
	case repeated:
		first := call(packKernel(o.dtype), rows, w.size[e.col], args, across)
		return append([]nest.Item{first}, e.repeat(o.dtype, w, to)...)
	case filled:
		return []nest.Item{call(copyKernel(o.dtype, true), rows, w.size[e.col], args)}
	case nonTemporal:
		return nil
	}
	panic("BUG: schedule: a stage without a copy")
}

// transpose returns the call that copies an operand column by column.
func (e *elementwise) transpose(i int, w *walk, to *view) nest.Item {
	return transposeCall(&e.ops[i], w.size[e.row], w.size[e.col], w.arg(&e.at[i], e.col), w.arg(to, e.row))
}

// transposeCall returns the call that copies a block column by column. The lines of from
// are its columns, those of into its rows.
func transposeCall(o *operand, rows, cols nest.Size, from, into nest.Arg) nest.Item {
	across := o.row
	if across == -1 && rows.Loop < 0 { // the last row first: then the kernel reads vectors
		from.Offset += (rows.N - 1) * across
		into.Offset += (rows.N - 1) * into.Step
		across, into.Step = 1, -into.Step
	}
	return call(transposeKernel(o.dtype), rows, cols, []nest.Arg{from, into}, nest.Fixed(across*o.size()))
}

// repeat returns the calls that copy the first row of a dense tile to all others.
func (e *elementwise) repeat(d ir.DType, w *walk, tile *view) (items []nest.Item) {
	total := e.tileRows * e.tileCols
	for done := e.tileCols; done < total; done *= 2 {
		from, to := *tile, *tile
		to.offset += done
		args := []nest.Arg{w.arg(&from, e.row), w.arg(&to, e.row)}
		items = append(items, call(copyKernel(d, false), nest.Fixed(1), nest.Fixed(min(done, total-done)), args))
	}
	return items
}

// storeTile returns the calls that copy tiles of outputs out past the caches.
func (e *elementwise) storeTile(w *walk) (items []nest.Item) {
	for i := range e.step.Out {
		k := len(e.step.In) + i
		if e.stages[k] != nonTemporal {
			continue
		}
		to := viewOf(k, &e.step.Out[i].Access)
		args := []nest.Arg{w.arg(&e.at[k], e.row), w.arg(&to, e.row)}
		items = append(items, call(streamKernel(), w.size[e.row], times(w.size[e.col], e.ops[k].size()), args))
	}
	return items
}

// packKernel returns the kernel that copies elements of a type that are apart.
func packKernel(d ir.DType) kernel.Code {
	return &kernel.Micro{Row: kernel.Pack, Type: kernel.BitsType(d)}
}

// The kernels that copy, made once.
var (
	streamKernel   = sync.OnceValue(kernel.StreamKernel)
	copyKernels    sync.Map // by kernel.Operand
	transposeTypes sync.Map // by ir.DType
)

// copyKernel returns the kernel that copies elements of a type, or one element a row to
// all columns.
func copyKernel(d ir.DType, splat bool) *kernel.Kernel {
	o := kernel.Operand{DType: d, Splat: splat}
	if k, ok := copyKernels.Load(o); ok {
		return k.(*kernel.Kernel)
	}
	k, err := kernel.SingleOp(ir.OpCopy, ir.Invalid, o)
	if err != nil {
		panic("BUG: schedule: no copy of " + d.String())
	}
	copyKernels.Store(o, k)
	return k
}

// transposeKernel returns the kernel that transposes elements of a type.
func transposeKernel(d ir.DType) *kernel.Kernel {
	d = kernel.TransposeType(d.Size())
	if k, ok := transposeTypes.Load(d); ok {
		return k.(*kernel.Kernel)
	}
	k := kernel.TransposeKernel(d)
	transposeTypes.Store(d, k)
	return k
}
