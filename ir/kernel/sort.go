package kernel

import (
	"math"
	"sort"

	"github.com/stridefuse/stridefuse/ir"
)

// The micro-kernels that sort. Sort sorts whole lines. For a long line, Order sorts chunks, each of which becomes a run, and Merge
// computes blocks of the merged runs. Equal elements keep their order.
//
// A run of elements stores their keys: unsigned numbers in the order of the elements, different if the bits are different. A run
// of places stores words of a key and, in the lower half, the position in the chunk; for 8-byte elements it stores the
// keys and as many positions. These keys are the same for equal elements.

var sortOps = lineOps(func(op *ir.OpInfo) bool { return op.Sorts })

// Word is the type of words, and Place the type of positions beside keys.
const (
	Word  = ir.Int64
	Place = ir.Uint32
)

// RunTypes returns the types of a run: that of keys or words, and that of positions beside keys if there are any.
func RunTypes(op ir.Op, d ir.DType) []ir.DType {
	switch wide, places := d.Size() == 8, op.Info().Places; {
	case wide && places:
		return []ir.DType{ir.Uint64, Place}
	case wide:
		return []ir.DType{ir.Uint64}
	case places:
		return []ir.DType{Word}
	}
	return []ir.DType{ir.Uint32}
}

// runArgs appends the arguments of a run.
func runArgs(args []Arg, m *Micro, of Arg) []Arg {
	for _, of.DType = range RunTypes(m.Op, m.Type) {
		args = append(args, of)
	}
	return args
}

func sortArgs(m *Micro) []Arg {
	length := Field0 + 2
	work := Arg{DType: ir.Int64, Out: true, Work: true, Outer: One, Inner: length}
	return []Arg{{DType: m.Type, Outer: Rows, Inner: length, Across: Field0},
		{DType: ir.LineType(m.Op, m.Type), Out: true, Outer: Rows, Inner: Cols, Across: Field0 + 1}, work, work}
}

// sortLimits bounds the length of a line: positions have 32 bits of a word.
func sortLimits(*Micro) []Limit { return []Limit{{Extent: Field0 + 2, Most: math.MaxInt32}} }

// sortFit reports whether a line has as many elements as are stored.
func sortFit(_, cols int, fields []int) bool { return cols <= fields[2] }

// orderArgs are a line, its run, and scratch memory.
func orderArgs(m *Micro) []Arg {
	length := Field0 + 1
	work := Arg{DType: ir.Int64, Out: true, Work: true, Outer: One, Inner: length}
	args := []Arg{{DType: m.Type, Outer: Rows, Inner: length, Across: Field0}}
	return append(runArgs(args, m, Arg{Out: true, Outer: Rows, Inner: Cols}), work, work)
}

func orderLimits(*Micro) []Limit { return []Limit{{Extent: Field0 + 1, Most: math.MaxInt32}} }

// orderFit is sortFit.
func orderFit(_, cols int, fields []int) bool { return cols <= fields[1] }

// The fields of Merge: the bytes between stored elements; the number of elements of all runs, of each run, and of the part of the
// line that each run is made of; the number of elements of a block; the number of bounds of runs that fit into the scratch
// memory.
const (
	mergeAcross = Field0 + iota
	mergeElems
	mergeRun
	mergeSpan
	mergeBlock
	mergeBounds
)

// mergeArgs are all runs of a line, the number of the block of each row, the blocks, and scratch memory.
func mergeArgs(m *Micro) []Arg {
	args := runArgs(nil, m, Arg{Outer: One, Inner: mergeElems})
	work := Arg{DType: ir.Int64, Out: true, Work: true, Outer: One, Inner: Cols}
	bounds := work
	bounds.Inner = mergeBounds
	return append(args, Arg{DType: ir.Int64, Outer: Rows, Inner: One},
		Arg{DType: ir.LineType(m.Op, m.Type), Out: true, Outer: Rows, Inner: Cols, Across: mergeAcross}, work, work, work, bounds)
}

func mergeLimits(*Micro) []Limit {
	return []Limit{{Extent: mergeElems, Most: math.MaxInt32}, {Extent: mergeRun, Least: 1, Most: math.MaxInt32}, {Extent: mergeSpan, Most: math.MaxInt32},
		{Extent: mergeBlock, Least: 1, Most: math.MaxInt32}, {Extent: mergeBounds, Most: math.MaxInt32}}
}

// mergeFit reports whether the line has as many elements as are stored, and whether the bounds of its runs fit into memory.
func mergeFit(_, cols int, fields []int) bool {
	f := func(e Extent) int { return fields[e-Field0] }
	return cols <= f(mergeElems) && MergeBounds(f(mergeElems), f(mergeRun)) <= f(mergeBounds)
}

// MergeBounds returns the number of bounds of runs that Merge works with: five for each run.
func MergeBounds(elems, run int) int { return 5 * ((elems-1)/run + 1) }

// MergedFrom returns the start of block number at of a merged line of elems elements. It panics with an ir.IndexError if cols
// elements from there on pass the end of the line.
func MergedFrom(at int64, cols, elems, block int) int {
	blocks := 0
	if cols <= elems {
		blocks = (elems-cols)/block + 1
	}
	return ir.LineIndex(at, blocks) * block
}

func sortMeaning(m *Micro, _ *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		line := make([]uint64, b.Field(2))
		for r := range b.Rows() {
			for c := range line {
				line[c] = b.Get(0, r, c)
			}
			for c, e := range m.Op.Info().Line(f, m.Op, m.Type, [][]uint64{line})[:b.Cols()] {
				b.Set(1, r, c, e)
			}
		}
	}
}

func orderMeaning(m *Micro, _ *Kernel) Reference {
	op := m.Op.Info()
	return func(_ ir.Arithmetic, b Block) {
		line := make([]uint64, b.Field(1))
		for r := range b.Rows() {
			for c := range line {
				line[c] = b.Get(0, r, c)
			}
			for c, place := range ir.Places(m.Type, line, op.Descending)[:b.Cols()] {
				switch e := line[place]; {
				case !op.Places:
					b.Set(1, r, c, exactKey(m.Type, e, op.Descending))
				case m.Type.Size() == 8:
					b.Set(1, r, c, sortKey(m.Type, e, op.Descending))
					b.Set(2, r, c, uint64(place))
				default:
					b.Set(1, r, c, sortKey(m.Type, e, op.Descending)<<32|uint64(place))
				}
			}
		}
	}
}

// signOf returns the mask of all bits of a type, and that of its first bit.
func signOf(d ir.DType) (all, sign uint64) {
	all = uint64(math.MaxUint64) >> (64 - 8*d.Size())
	return all, all ^ all>>1
}

// sortKey returns the key of an element. It is all ones for a NaN, which comes last.
func sortKey(d ir.DType, e uint64, down bool) uint64 {
	all, sign := signOf(d)
	switch e &= all; {
	case ir.IsNaN(d, e):
		return all
	case ir.Floats.Has(d) && e == sign: // -0 is +0
		e = 0
	}
	return bitsKey(d, e, down)
}

// bitsKey orders the bits of all elements but NaNs.
func bitsKey(d ir.DType, e uint64, down bool) uint64 {
	all, sign := signOf(d)
	switch {
	case ir.Floats.Has(d) && e&sign != 0:
		e ^= all
	case ir.Floats.Has(d) || ir.Signed.Has(d) || d == ir.Fixed16x16:
		e ^= sign
	}
	if down {
		e ^= all
	}
	return e
}

// exactKey returns the key of the bits of an element. Keys of NaNs come last; in bitsKey those of one sign come first.
func exactKey(d ir.DType, e uint64, down bool) uint64 {
	all, sign := signOf(d)
	key := bitsKey(d, e&all, down)
	if ir.Floats.Has(d) {
		key -= sign - 1 - ir.FromFloat(d, math.Inf(1)) // the number of NaNs of each sign
	}
	return key & all
}

// elementOf returns the bits of the element of an exact key.
func elementOf(d ir.DType, key uint64, down bool) uint64 {
	all, sign := signOf(d)
	if ir.Floats.Has(d) {
		key += sign - 1 - ir.FromFloat(d, math.Inf(1))
	}
	if down {
		key = ^key
	}
	switch key &= all; {
	case ir.Floats.Has(d) && key&sign == 0:
		key ^= all
	case ir.Floats.Has(d) || ir.Signed.Has(d) || d == ir.Fixed16x16:
		key ^= sign
	}
	return ir.Wrap(d, int64(key))
}

// mergeMeaning orders the elements of all runs.
func mergeMeaning(m *Micro, _ *Kernel) Reference {
	op, run := m.Op.Info(), len(RunTypes(m.Op, m.Type))
	type merged struct{ key, low, order uint64 }
	return func(_ ir.Arithmetic, b Block) {
		all := make([]merged, b.Field(1))
		for i := range all {
			e, far := merged{key: b.Get(0, 0, i)}, uint64(i/b.Field(2)*b.Field(3))
			switch {
			case !op.Places:
				e.low = elementOf(m.Type, e.key, op.Descending)
				e.order = sortKey(m.Type, e.low, op.Descending)
			case run == 2:
				e.order, e.low = e.key, uint64(uint32(b.Get(1, 0, i)+far))
			default:
				e.order, e.low = e.key>>32, uint64(uint32(e.key+far))
			}
			all[i] = e
		}
		sort.SliceStable(all, func(i, j int) bool { return all[i].order < all[j].order })
		for r := range b.Rows() {
			from := MergedFrom(int64(b.Get(run, r, 0)), b.Cols(), len(all), b.Field(4))
			for c := range b.Cols() {
				b.Set(run+1, r, c, all[from+c].low)
			}
		}
	}
}
