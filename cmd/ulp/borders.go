package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// borders returns, as points between branches, the constants that an op's expansions compare with or clamp to. So the
// branches of a new expansion are tried without an edit here.
func borders(op ir.Op, dt ir.DType) []float64 {
	found := map[float64]bool{}
	for _, fast := range tiers(op, dt) {
		for _, x := range compared(op, dt, fast) {
			for _, p := range []float64{x, -x, x / 2, 2 * x, math.Sqrt(math.Abs(x)), 1 / x} {
				if p = fromBits(dt, toBits(dt, p)); p == p && !math.IsInf(p, 0) {
					found[p] = true
				}
			}
		}
	}
	out := make([]float64, 0, len(found))
	for p := range found {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func compared(op ir.Op, dt ir.DType, fast bool) []float64 {
	k := expansion(op, dt, fast)
	var out []float64
	for _, in := range k.Body {
		switch in.Op {
		case ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe, ir.OpMin, ir.OpMax, ir.OpSelect, ir.OpUnlikely:
			for _, a := range in.Args[:in.Arity()] {
				if c := k.Inst(a); c != nil && c.Op == ir.OpConst && c.DType != ir.Bool {
					out = append(out, asFloat(c.DType, c.Bits))
				}
			}
		}
	}
	return out
}

func expansion(op ir.Op, dt ir.DType, fast bool) *kernel.Kernel {
	operands := slices.Repeat([]kernel.Operand{{DType: dt}}, op.Info().Arity)
	k, err := kernel.SingleOp(op, ir.Invalid, operands...)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return elementary.Expand(k.InTier(fast))
}

// asFloat interprets integers as the bits of a float of their size: expansions often compare these where the sign is
// known.
func asFloat(dt ir.DType, b uint64) float64 {
	if dt.Size() == 4 {
		return fromBits(ir.Float32, b)
	}
	return fromBits(ir.Float64, b)
}

// tiers returns the settings of fast for which an op has an expansion of its own.
func tiers(op ir.Op, dt ir.DType) []bool {
	if !op.Info().Fast.Has(dt) {
		return []bool{false}
	}
	return []bool{false, true}
}

// besideBorders draws elements near the points of borders.
func besideBorders(op ir.Op) stratum {
	at := map[ir.DType][]float64{}
	for dt := range formats {
		at[dt] = borders(op, dt)
	}
	return func(r *rand.Rand, dt ir.DType) float64 {
		if len(at[dt]) == 0 {
			return anything(r, dt)
		}
		p := at[dt][r.IntN(len(at[dt]))]
		if r.IntN(2) == 0 {
			return fromOrdinal(dt, ordinal(dt, p)+r.Int64N(9)-4)
		}
		return beside(r, dt, p)
	}
}
