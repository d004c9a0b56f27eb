package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// The micro-kernels that sort. Sort orders whole lines. Of a long line, Order orders chunks and
// Merge merges the results, two by two. A chunk in order is a run: the keys of its elements, which
// are unsigned numbers that are less where the element comes before, and their places in what the
// run is made of. Elements of one key keep their order.
//
// Of elements of four bytes or less, a run has words: in the upper half the key, and in the lower
// half the place, or the bits of the element where no places are asked for.

var (
	sortOps  = lineOps(func(op *ir.OpInfo) bool { return op.Sorts })
	runTypes = ir.SetOf(Word, ir.Uint64)
)

// Word is the type of words, and Place that of places beside keys.
const (
	Word  = ir.Int64
	Place = ir.Uint32
)

// RunTypes returns the types of a run of elements of a type: Word, or those of keys and places. The
// first one is the type of Merge.
func RunTypes(d ir.DType) []ir.DType {
	if d.Size() < 8 {
		return runOf(Word)
	}
	return runOf(ir.Uint64)
}

// runOf returns the types of a run whose first one is that of words or of keys.
func runOf(first ir.DType) []ir.DType {
	if first == Word {
		return []ir.DType{Word}
	}
	return []ir.DType{first, Place}
}

// runArgs appends the arguments that a run is.
func runArgs(args []Arg, run []ir.DType, of Arg) []Arg {
	for _, of.DType = range run {
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

// sortLimits bounds the length of a line: places are in 32 bits of a word.
func sortLimits(*Micro) []Limit { return []Limit{{Dim: Field0 + 2, Most: math.MaxInt32}} }

// orderArgs are a line, its run, and memory to work in.
func orderArgs(m *Micro) []Arg {
	length := Field0 + 1
	work := Arg{DType: ir.Int64, Out: true, Work: true, Outer: One, Inner: length}
	args := []Arg{{DType: m.Type, Outer: Rows, Inner: length, Across: Field0}}
	return append(runArgs(args, RunTypes(m.Type), Arg{Out: true, Outer: Rows, Inner: Cols}), work, work)
}

func orderLimits(*Micro) []Limit { return []Limit{{Dim: Field0 + 1, Most: math.MaxInt32}} }

// mergeArgs are the two runs, which of the blocks of the merged run each row is, and those blocks.
func mergeArgs(m *Micro) []Arg {
	run := runOf(m.Type)
	args := runArgs(nil, run, Arg{Outer: One, Inner: Field0 + 1})
	args = append(args, Arg{DType: ir.Int64, Outer: Rows, Inner: One})
	return runArgs(args, run, Arg{Out: true, Outer: Rows, Inner: Cols})
}

func mergeLimits(*Micro) []Limit {
	return []Limit{{Dim: Field0, Most: math.MaxInt32}, {Dim: Field0 + 1, Most: math.MaxInt32}, {Dim: Field0 + 2, Least: 1, Most: math.MaxInt32}, {Dim: Field0 + 3, Most: math.MaxInt32}}
}

// MergedFrom returns the first of cols elements of a merged run of some length that are block at
// of it, or panics with an ir.IndexError.
func MergedFrom(at int64, cols, length, block int) int {
	blocks := 0
	if cols <= length {
		blocks = (length-cols)/block + 1
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
				key, low := sortKey(m.Type, line[place], op.Descending), uint64(place)
				if m.Type.Size() == 8 {
					b.Set(1, r, c, key)
					b.Set(2, r, c, low)
					continue
				}
				if !op.Places {
					low = line[place] & (1<<(8*m.Type.Size()) - 1)
				}
				b.Set(1, r, c, key<<32|low)
			}
		}
	}
}

// sortKey returns the key of an element: all ones for a NaN, which comes last.
func sortKey(d ir.DType, e uint64, down bool) uint64 {
	all := uint64(math.MaxUint64) >> (64 - 8*d.Size())
	sign := all ^ all>>1
	e &= all
	switch {
	case ir.IsNaN(d, e):
		return all
	case ir.Floats.Has(d) && e == sign: // -0 is +0
		e = sign
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

// mergeMeaning merges from the beginning on, up to the elements that a row has.
func mergeMeaning(m *Micro, _ *Kernel) Reference {
	last, shift := 0, 32 // the argument with places, and where keys begin
	if m.Type != Word {
		last, shift = 1, 0
	}
	return func(_ ir.Arithmetic, b Block) {
		length, far := b.Field(1), uint64(b.Field(3))
		run := min(b.Field(0), length)
		for r := range b.Rows() {
			from := MergedFrom(int64(b.Get(last+1, r, 0)), b.Cols(), length, b.Field(2))
			i, j := 0, run
			for c := -from; c < b.Cols(); c++ {
				next, places := &i, uint64(0)
				if i == run || j < length && b.Get(0, 0, j)>>shift < b.Get(0, 0, i)>>shift {
					next, places = &j, far
				}
				if c >= 0 && last > 0 {
					b.Set(3, r, c, b.Get(0, 0, *next))
					b.Set(4, r, c, uint64(uint32(b.Get(1, 0, *next)+places)))
				} else if c >= 0 {
					b.Set(2, r, c, b.Get(0, 0, *next)+places)
				}
				*next++
			}
		}
	}
}
