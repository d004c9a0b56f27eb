// Package lines holds the micro-kernels that are written by hand, because their control flow depends on data: places, gather,
// gather_reduce, ragged, scatter, the sorts, search, leaves, recurrence, window_quantile, nth and rescan. Memory bounds their time. Each has a
// version in Go for every engine. Gathers, parts of sorts, places, searches, walks through trees, and the sums of floats of
// gather_reduce and ragged also have assembly for AVX2; places, searches and those sums have assembly for AVX-512 too. NEON has assembly of
// gathers. On AVX2 the rest of gather_reduce, ragged and scatter combines rows with built-in kernels, and on NEON all that
// has no weights. Register makes the kernels known.
package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// An index outside its line causes a panic with an ir.IndexError, which becomes the error of the run.

// Register makes the kernels known to all plans that are linked from then on.
func Register() {
	var list []abi.Kernel
	all := kernel.LineKernels()
	for _, m := range all {
		list = append(list, abi.Kernel{Sig: m.Signature(), Fn: lineFunction(m)})
	}
	abi.RegisterBuiltin(abi.Portable, list)
	registerAssembly(all)
}

// lineFunction returns the function of a micro-kernel. Generic functions that return functions are not inlined: otherwise each
// of their calls would be compiled once more.
func lineFunction(m *kernel.Micro) func(*abi.Frame) {
	switch m.Kind {
	case kernel.Places:
		return bestPlaces(m, portableFinders)
	case kernel.Gather:
		return map[ir.DType]func(*abi.Frame){ir.Uint8: gather[uint8], ir.Uint16: gather[uint16], ir.Uint32: gather[uint32], ir.Int64: gather[uint64]}[m.Type]
	case kernel.GatherReduce:
		return gatherReduceOf(m)
	case kernel.Ragged:
		return raggedOf(m)
	case kernel.Scatter:
		if m.Op.MovesBits() {
			return map[ir.DType]func(*abi.Frame){ir.Uint8: store[uint8], ir.Uint16: store[uint16], ir.Uint32: store[uint32], ir.Int64: store[uint64]}[m.Type]
		}
		return scatterOf[int64](m)
	case kernel.ScatterBytes:
		return scatterOf[uint8](m)
	case kernel.Sort:
		return sortOf(m, portableSorters)
	case kernel.Order:
		return orderOf(m, portableSorters)
	case kernel.Merge:
		return mergeOf(m, portableSorters)
	case kernel.Search:
		return searchOf(m, vectorSearch{})
	case kernel.Leaves:
		return map[ir.DType]func(*abi.Frame){ir.Int32: leaves[int32], ir.Int64: leaves[int64]}[m.Type]
	case kernel.Recurrence:
		return typed(m.Type, recurrence[uint8], recurrence[uint32], recurrence[uint64], recurrence[float32], recurrence[float64])
	case kernel.WindowQuantile:
		return windowQuantileOf(m, portableSorters)
	case kernel.Nth:
		return nthOf(m, portableSorters)
	case kernel.Rescan:
		return map[ir.DType]func(*abi.Frame){ir.Float32: rescan[float32], ir.Float64: rescan[float64]}[m.Type]
	}
	panic("BUG: lines: no function of " + m.Signature())
}

// typed returns the function for a type that is computed in itself. Signed integers have the function of unsigned ones.
func typed(d ir.DType, u8, u32, u64, f32, f64 func(*abi.Frame)) func(*abi.Frame) {
	fn := map[ir.DType]func(*abi.Frame){ir.Int32: u32, ir.Int64: u64, ir.Uint8: u8, ir.Uint32: u32, ir.Uint64: u64, ir.Float32: f32, ir.Float64: f64}[d]
	if fn == nil {
		panic("BUG: lines: no line kernel of " + d.String())
	}
	return fn
}

// position is the type of an index.
type position interface{ int64 | uint8 }

// lineIndex returns index r of those at p, or panics if it is not below the extent.
func lineIndex[I position](p unsafe.Pointer, step, r, extent int) int {
	return ir.LineIndex(int64(*(*I)(unsafe.Add(p, r*step))), extent)
}

// gather copies rows by their indices.
func gather[T any](f *abi.Frame) {
	n, extent, table, index, out := f.Cols, f.Step[3], f.Ptr[0], f.Ptr[1], f.Ptr[2]
	if n == 1 && f.Step[0] == sizeOf[T]() && f.Step[2] == sizeOf[T]() && f.Step[1] == sizeOf[int64]() {
		gatherElements[T](unsafe.Slice((*T)(out), f.Rows), table, extent, unsafe.Slice((*int64)(index), f.Rows))
		return
	}
	for r := range f.Rows {
		from := unsafe.Add(table, lineIndex[int64](index, f.Step[1], r, extent)*f.Step[0])
		to := unsafe.Add(out, r*f.Step[2])
		if n == 1 {
			*(*T)(to) = *(*T)(from)
			continue
		}
		copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
	}
}

// gatherElements copies elements by their indices if all are contiguous. Emerald Rapids: 0.4 of the time of the general loop.
func gatherElements[T any](out []T, table unsafe.Pointer, extent int, index []int64) {
	for r, i := range index[:len(out)] {
		if uint64(i) >= uint64(extent) {
			outside(i, extent)
		}
		out[r] = *(*T)(unsafe.Add(table, int(i)*sizeOf[T]()))
	}
}

// store stores rows by their indices.
func store[T any](f *abi.Frame) {
	n, extent, index, in, out := f.Cols, f.Step[3], f.Ptr[0], f.Ptr[1], f.Ptr[2]
	if n == 1 && f.Step[1] == sizeOf[T]() && f.Step[2] == sizeOf[T]() && f.Step[0] == sizeOf[int64]() {
		storeElements[T](unsafe.Slice((*T)(in), f.Rows), out, extent, unsafe.Slice((*int64)(index), f.Rows))
		return
	}
	for r := range f.Rows {
		to := unsafe.Add(out, lineIndex[int64](index, f.Step[0], r, extent)*f.Step[2])
		from := unsafe.Add(in, r*f.Step[1])
		copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
	}
}

// storeElements stores elements by their indices if all are contiguous.
func storeElements[T any](in []T, out unsafe.Pointer, extent int, index []int64) {
	for r, i := range index[:len(in)] {
		if uint64(i) >= uint64(extent) {
			outside(i, extent)
		}
		*(*T)(unsafe.Add(out, int(i)*sizeOf[T]())) = in[r]
	}
}

// outside panics with an ir.IndexError. It is a separate function because inlined it would take registers of the loops.
func outside(index int64, extent int) { panic(&ir.IndexError{Index: index, Extent: extent}) }

func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// number is a type in which elements are computed. One function serves signed and unsigned integers, as their sums and products
// have the same bits. For minima and maxima see combiner.
type number interface {
	uint8 | uint32 | uint64 | float32 | float64
}
