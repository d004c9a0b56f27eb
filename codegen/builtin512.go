package codegen

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The built-in kernels that are also made for AVX-512: those that this makes faster by more than a tenth. Measured with operands
// in the first-level cache of a Sapphire Rapids (SR), or on an Emerald Rapids (ER):
//
//   - Elementary functions and reductions of them are mostly arithmetic: 1.2 to 2.1 times as fast (SR).
//   - Sums of float32 and float64 values that the kernel computes first: 1.1 to 1.6 times as fast (SR). Sums of plain
//     elements: 0.8 of the time (ER, 256 KiB in the second-level cache).
//   - Sums of rows of bfloat16: 0.74 of the time (ER). Those of float16, and sums of columns, gain nothing.
//   - Products, by instructions for significands and exponents: 0.41 to 0.57 of the time (ER).
//   - Sums of columns: 0.5 to 0.9 of the time, distances of rows 0.61 (ER).
//   - Minima and maxima of float32 and float64: 0.65 to 0.75 of the time (ER).
//   - Kernels of several operations on floats are the parts of tilings, whose operands are in the cache. The chain of W2
//     took 0.84 of the time as a tiling (SR).
//   - Tilings whose last part rounds, bounds or converts float32 to bytes or 16 bits: 0.75 to 0.92 of the time (ER), for a
//     mix of sound, alpha blending and gradients of pictures.
//   - Kernels of little else than roots or divisions gain nothing: the time of these is the same for each element.
//   - Reductions of several rows together wait for memory.
//   - Single arithmetic operations on float32 and float64: 0.5 of the time (ER, first-level cache). A bound call of a + b for
//     1,000 elements takes 0.70 of the time, calls of tilings for as many 0.87 to 1.
//   - Conversions of int64 to float32, and of floats to 64-bit integers, for which AVX2 has no instruction: 0.2 to 0.3 of
//     the time (ER, second-level cache); conversions to float64 gain nothing.
//   - Other single operations, loads, stores and conversions gain only in the first-level cache. Their assembly would take
//     another 2 MB.

// elementaryCost is the least cost of an elementary function in the table of ops.
const elementaryCost = 32

// boundByDivisions are the composed ops that spend their time in roots and divisions.
var boundByDivisions = []ir.Op{ir.OpRsqrt, ir.OpMod, ir.OpFloorDiv, ir.OpSoftsign}

// arithmetic are the operations that most formulas are made of.
var arithmetic = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpNeg, ir.OpAbs}

// BuiltinAVX512 reports whether a built-in kernel is also made for AVX-512.
func BuiltinAVX512(c kernel.Code) bool {
	body, ok := c.(*kernel.Kernel)
	reduces := false
	if m, isMicro := c.(*kernel.Micro); isMicro {
		if m.Kind == kernel.Dot || MultipliesHalves(m) || m.Kind == kernel.DotWindows || m.Kind == kernel.DotLeftWindows || m.Kind == kernel.ReduceColumns && m.Op == ir.OpAdd {
			return true
		}
		body, ok = m.Body, m.Kind == kernel.Reduce && !isStream(m)
		reduces = ok && (reducesBy(m, ir.OpAdd) || len(body.Body) == 0 && reducesBy(m, ir.OpMin, ir.OpMax))
		if ok && scales(body) {
			reduces = len(m.Combine) > 1 // the levels of a product above the first have few elements
		}
	}
	if !ok {
		return false
	}
	_, isMicro := c.(*kernel.Micro)
	joined := !isMicro && len(body.Body) > 1 && (joinsFloats(body) || storesSamples(body))
	single := !isMicro && len(body.Body) == 1 && (slices.Contains(arithmetic, body.Body[0].Op) && onFloats(body) || convertsLong(body))
	return single || joined || slices.ContainsFunc(body.Body, isElementary) || reduces && onFloats(body)
}

// MultipliesHalves reports whether a built-in kernel is made for AVX-512 with and without VNNI. Without it a Skylake takes 0.77 of the
// time of AVX2: VPMADDWD and VPADDD on twice the elements, on two ports of three.
func MultipliesHalves(c kernel.Code) bool {
	m, ok := c.(*kernel.Micro)
	return ok && (m.Kind == kernel.DotHalves || m.Kind == kernel.DotBytes)
}

// joinsFloats reports whether a kernel of several ops computes floats: one value, or the factors of a product. Kernels that add
// or compare 16-bit floats in float32, such as sums of columns, do not count.
func joinsFloats(k *kernel.Kernel) bool {
	to, first := k.OutType(0), k.Body[0]
	combines := len(k.Body) == 2 && first.Op == ir.OpCast && ir.SetOf(ir.Float16, ir.BFloat16).Has(k.In[first.Args[0]].DType) &&
		to == ir.Float32 && slices.Contains([]ir.Op{ir.OpAdd, ir.OpMax}, k.Body[1].Op)
	return ir.Floats.Has(to) && (len(k.Out) == 1 || scales(k)) && !combines
}

// storesSamples reports whether a kernel computes samples in float32.
func storesSamples(k *kernel.Kernel) bool {
	return len(k.Out) == 1 && k.In[0].DType == ir.Float32 && slices.Contains(sampleTypes, k.OutType(0))
}

// convertsLong reports whether a kernel of one op converts int64 to float32, or floats to 64-bit integers.
func convertsLong(k *kernel.Kernel) bool {
	long, from, to := ir.SetOf(ir.Int64, ir.Uint64), k.In[0].DType, k.OutType(0)
	return k.Body[0].Op == ir.OpCast && (from == ir.Int64 && to == ir.Float32 || ir.SetOf(ir.Float32, ir.Float64).Has(from) && long.Has(to))
}

// scales reports whether a kernel computes significands or exponents.
func scales(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Body, func(in kernel.Inst) bool { return in.Op == ir.OpSignificand || in.Op == ir.OpExponent })
}

// reducesBy reports whether all outputs are combined by some ops.
func reducesBy(m *kernel.Micro, ops ...ir.Op) bool {
	return !slices.ContainsFunc(m.Combine, func(by ir.Op) bool { return !slices.Contains(ops, by) })
}

func isElementary(in kernel.Inst) bool { return ir.Floats.Has(in.DType) && isLong(in.Op) }

// isLong reports whether an op takes many instructions.
func isLong(op ir.Op) bool {
	info := op.Info()
	return info.Kind == ir.Composed && info.Cost >= elementaryCost && !slices.Contains(boundByDivisions, op)
}

// onFloats reports whether all values are of float32, float64 or bfloat16.
func onFloats(k *kernel.Kernel) bool {
	for r := range len(k.In) + len(k.Body) {
		if d := k.DType(kernel.Ref(r)); d != ir.Float32 && d != ir.Float64 && d != ir.BFloat16 {
			return false
		}
	}
	return true
}
