package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Ragged rows: the micro-kernel Ragged, which is written by hand. A call combines some rows. Its second argument is the offsets of
// all rows; the call checks the first and the last.

// raggedOps are the ops on ragged rows.
var raggedOps = lineOps(func(op *ir.OpInfo) bool { return op.Ragged })

func raggedArgs(m *Micro) []Arg {
	args := []Arg{{DType: m.Type, Outer: Field0, Inner: Cols}, {DType: ir.Int64, Outer: Field0 + 1, Inner: One},
		{DType: ir.Int64, Outer: Rows, Inner: One}, {DType: ir.Int64, Outer: Rows, Inner: One}}
	if m.Op.Info().Weighted {
		args = append(args, Arg{DType: ir.Int64, Outer: Field0 + 2, Inner: One}, Arg{DType: m.Type, Outer: Field0 + 2, Inner: One})
	}
	return append(args, Arg{DType: m.Type, Out: true, Outer: Rows, Inner: Cols})
}

func raggedLimits(*Micro) []Limit {
	return []Limit{{Extent: Field0 + 1, Least: 1, Most: math.MaxInt}, {Extent: Field0 + 3, Least: 1, Most: math.MaxInt}}
}

func raggedMeaning(m *Micro, _ *Kernel) Reference {
	by, products := m.Op.Info().By, m.Op.Info().Weighted
	return func(f ir.Arithmetic, b Block) {
		offsets, extent := b.Field(1), b.Field(0)
		count, out := extent, 4
		if products {
			count, out = b.Field(2), 6
		}
		ir.CheckOffsets(int64(b.Get(1, 0, 0)), int64(b.Get(1, offsets-1, 0)), offsets-1, count)
		for r := range b.Rows() {
			begin, end := int64(b.Get(2, r, 0)), int64(b.Get(3, r, 0))
			ir.CheckRow(begin, end, count)
			for c := range b.Cols() {
				sum := ir.EmptyReduction(by, m.Type)
				for i := int(begin); i < int(end); i++ {
					var e uint64
					if products {
						e = b.Get(0, ir.LineIndex(int64(b.Get(4, i, 0)), extent), c)
						e = f.Combine(ir.OpMul, m.Type, e, b.Get(5, i, 0))
					} else {
						e = b.Get(0, i, c)
					}
					sum = f.Combine(by, m.Type, sum, e)
				}
				b.Set(out, r, c, sum)
			}
		}
	}
}
