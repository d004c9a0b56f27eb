package kernel

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Lookup, and the micro-kernels of ops on lines, which are written by hand: gather, gather_reduce, scatter, recurrence, rescan, and
// those of leaves.go, nth.go, ragged.go, search.go and sort.go. The lines of gather and scatter run down the columns of a block, so that
// adjacent elements with one index move together.

// scatterOps are the ops with updates.
var scatterOps = lineOps(func(op *ir.OpInfo) bool { return op.Scatters() })

// gatherOps are the ops that combine the elements they gather.
var gatherOps = lineOps(func(op *ir.OpInfo) bool { return op.Gathers() && op.By != ir.OpInvalid })

// combiningOps are the ops that combine updates with the elements at their indices.
var combiningOps = lineOps(func(op *ir.OpInfo) bool { return op.Scatters() && op.By != ir.OpInvalid })

func lineOps(has func(op *ir.OpInfo) bool) (ops []ir.Op) {
	for _, op := range ir.Ops() {
		if op.IsLine() && has(op.Info()) {
			ops = append(ops, op)
		}
	}
	return ops
}

func gatherArgs(m *Micro) []Arg {
	bits := SameSize
	if m.Kind != Gather {
		bits = SameType
	}
	return []Arg{{DType: m.Type, Bits: bits, Outer: Field0, Inner: Cols}, {DType: ir.Int64, Outer: Rows, Inner: One}, {DType: m.Type, Bits: bits, Out: true, Outer: Rows, Inner: Cols}}
}

// GatherRows is the number of rows of gather_reduce's scratch memory: one for each lane of ir.ReduceRow.
const GatherRows = ir.ReduceLanes

func gatherReduceArgs(m *Micro) []Arg {
	args := gatherArgs(m)
	args[1].Inner, args[1].Across = Field0+1, Field0+2
	if m.Op.Info().Weighted {
		args = slices.Insert(args, 2, Arg{DType: m.Type, Outer: Rows, Inner: Field0 + 1, Across: Field0 + 4})
	}
	return append(args, Arg{DType: m.Type, Out: true, Work: true, Outer: Field0 + 3, Inner: Cols})
}

func gatherReduceLimits(*Micro) []Limit {
	return []Limit{{Extent: Field0 + 1, Least: 1, Most: math.MaxInt}, {Field0 + 3, GatherRows, GatherRows, false}}
}

func lookupArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Bits: SameSize, Outer: Rows, Inner: Field0 + 2}, {DType: ir.Uint8, Bits: SameSize, Outer: Rows, Inner: Cols, Across: Field0},
		{DType: m.Type, Bits: SameSize, Out: true, Outer: Rows, Inner: Cols, Across: Field0 + 1}}
}

// Bytes is the number of values of a byte: the entries of a lookup table.
const Bytes = 256

func lookupLimits(*Micro) []Limit { return []Limit{{Field0 + 2, Bytes, Bytes, false}} }

func lookupMeaning(*Micro, *Kernel) Reference {
	return func(_ ir.Arithmetic, b Block) {
		for r := range b.Rows() {
			for c := range b.Cols() {
				b.Set(2, r, c, b.Get(0, r, int(b.Get(1, r, c))))
			}
		}
	}
}

func scatterArgs(m *Micro) []Arg {
	index, bits := ir.Int64, SameType
	if m.Kind == ScatterBytes {
		index = ir.Uint8
	}
	if m.Op.MovesBits() {
		bits = SameSize
	}
	return []Arg{{DType: index, Outer: Rows, Inner: One}, {DType: m.Type, Bits: bits, Outer: Rows, Inner: Cols}, {DType: m.Type, Bits: bits, Out: true, Outer: Field0, Inner: Cols}}
}

// recurrenceArgs are the operands, the elements before the first column, the results and the last results.
func recurrenceArgs(m *Micro) []Arg {
	line, one := Arg{DType: m.Type, Outer: Rows, Inner: Cols}, Arg{DType: m.Type, Outer: Rows, Inner: One}
	args := []Arg{line, line, one, line, one}
	args[0].Across, args[1].Across, args[3].Across = Field0, Field0+1, Field0+2
	args[3].Out, args[4].Out = true, true
	return args
}

// recurrenceLimits requires a column: without one a call does not store the last result.
func recurrenceLimits(*Micro) []Limit { return []Limit{{Extent: Cols, Least: 1, Most: math.MaxInt}} }

func gatherMeaning(*Micro, *Kernel) Reference {
	return func(_ ir.Arithmetic, b Block) {
		for r := range b.Rows() {
			from := ir.LineIndex(int64(b.Get(1, r, 0)), b.Field(0))
			for c := range b.Cols() {
				b.Set(2, r, c, b.Get(0, from, c))
			}
		}
	}
}

func gatherReduceMeaning(m *Micro, _ *Kernel) Reference {
	by, weighted := m.Op.Info().By, m.Op.Info().Weighted
	return func(f ir.Arithmetic, b Block) {
		line, out := make([]uint64, b.Field(1)), 2
		if weighted {
			out = 3
		}
		for r := range b.Rows() {
			for c := range b.Cols() {
				for i := range line {
					line[i] = b.Get(0, ir.LineIndex(int64(b.Get(1, r, i)), b.Field(0)), c)
					if weighted {
						line[i] = f.Combine(ir.OpMul, m.Type, line[i], b.Get(2, r, i))
					}
				}
				b.Set(out, r, c, f.ReduceRow(by, m.Type, line))
			}
		}
	}
}

func scatterMeaning(m *Micro, _ *Kernel) Reference {
	by := m.Op.Info().By
	return func(f ir.Arithmetic, b Block) {
		for r := range b.Rows() {
			to := ir.LineIndex(int64(b.Get(0, r, 0)), b.Field(0))
			for c := range b.Cols() {
				e := b.Get(1, r, c)
				if by != ir.OpInvalid {
					e = f.Combine(by, m.Type, b.Get(2, to, c), e)
				}
				b.Set(2, to, c, e)
			}
		}
	}
}

func recurrenceMeaning(m *Micro, _ *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		if b.Cols() == 0 {
			return
		}
		for r := range b.Rows() {
			y := b.Get(2, r, 0)
			for c := range b.Cols() {
				y = f.Combine(ir.OpAdd, m.Type, f.Combine(ir.OpMul, m.Type, b.Get(1, r, c), y), b.Get(0, r, c))
				b.Set(3, r, c, y)
			}
			b.Set(4, r, 0, y)
		}
	}
}

// rescanArgs are the elements, the last running values of chunks, the carry before each chunk, the results, and the carries after
// the chunks.
func rescanArgs(m *Micro) []Arg {
	wide := ir.PartialType(ir.OpAdd, m.Type)
	return []Arg{{DType: m.Type, Outer: Rows, Inner: Cols, Across: Field0}, {DType: m.Type, Outer: Rows, Inner: Field0 + 3, Across: Field0 + 1},
		{DType: wide, Outer: Rows, Inner: Field0 + 3}, {DType: m.Type, Out: true, Outer: Rows, Inner: Cols, Across: Field0 + 2}, {DType: wide, Out: true, Outer: Rows, Inner: One}}
}

func rescanMeaning(m *Micro, _ *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		chunks := min(b.Field(3), ir.Chunks(b.Cols()))
		if chunks == 0 {
			return
		}
		line := func(arg, r, n int) []uint64 {
			out := make([]uint64, n)
			for i := range out {
				out[i] = b.Get(arg, r, i)
			}
			return out
		}
		for r := range b.Rows() {
			last := line(1, r, chunks)
			if !slices.ContainsFunc(last, func(run uint64) bool { return !ir.IsFinite(m.Type, run) }) {
				continue // the other arguments may be anything
			}
			out := line(3, r, b.Cols())
			b.Set(4, r, 0, f.Rescan(m.Type, line(0, r, b.Cols()), last, line(2, r, chunks), out))
			for c, e := range out {
				b.Set(3, r, c, e)
			}
		}
	}
}

// Written reports whether the functions of a micro-kernel are written by hand, in Go, for all engines. No generator emits such a
// micro-kernel.
func (r MicroKind) Written() bool { return micros[r].written }

// LineKernels returns the micro-kernels that are written by hand, for each of their types.
func LineKernels() []*Micro {
	var all []*Micro
	for _, r := range MicroKinds() {
		if !r.Written() {
			continue
		}
		ops := micros[r].ops
		if len(ops) == 0 {
			ops = []ir.Op{ir.OpInvalid}
		}
		for _, op := range ops {
			for _, d := range r.Types().List() {
				if m := (&Micro{Kind: r, Op: op, Type: d}); m.Verify() == nil {
					all = append(all, m)
				}
			}
		}
	}
	return all
}

// checkScatter returns an error unless elements that are only stored have an integer type of BitsType, and elements that are
// combined have a type that is computed in itself.
func checkScatter(m *Micro) error {
	if m.Op.MovesBits() {
		if !bitTypes.Has(m.Type) {
			return errNoBits
		}
		return nil
	}
	if !m.Type.Native() {
		return errNotNative
	}
	return ir.CheckLine(m.Op, m.Type, ir.Int64, m.Type)
}
