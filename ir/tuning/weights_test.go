package tuning_test

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin"
	"github.com/stridefuse/stridefuse/runtime/lines"
)

// BenchmarkWeights measures the weights of costs on this machine, by built-in kernels on
// blocks in the first-level cache, and reports each in additions of an element, beside what
// Machine has. One addition of float32 with the reading and writing of its operands
// is LoadWork+1 by definition, which is the measure of all others.
//
//	go test ./ir/tuning -run '^$' -bench Weights
func BenchmarkWeights(b *testing.B) {
	if abi.Best() == abi.Portable {
		b.Skip("the weights are those of assembly")
	}
	builtin.Register()
	lines.Register()
	m := tuning.Default(1)
	const rows, cols = 32, 48 // 6 KiB, as a register of a tiling
	add := func(b *testing.B) float64 {
		return nanos(b, rows, cols, "kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }")
	}
	addition := func(b *testing.B) float64 { return add(b) / (m.LoadWork + 1) }
	report := func(name string, was float64, of func(b *testing.B) float64) {
		b.Run(name, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				ratios = append(ratios, of(b)/addition(b))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "additions")
			b.ReportMetric(was, "now")
		})
	}
	report("StageWork", m.StageWork, func(b *testing.B) float64 { return nanos(b, rows, cols, "pack u32") })
	report("TilingWork", m.TilingWork, func(b *testing.B) float64 {
		two := nanos(b, rows, cols, "kernel (u0:f32, u1:f32) { t0 = mul u0 u1; store t0 }") + nanos(b, rows, cols, "kernel (s0:f32, u1:f32) { t0 = add s0 u1; store t0 }")
		return two - nanos(b, rows, cols, "kernel (u0:f32, u1:f32, s2:f32) { t0 = mul u0 u1; t1 = add s2 t0; store t1 }")
	})
	report("LookupWork", m.LookupWork, func(b *testing.B) float64 { return nanos(b, 1, rows*cols, "lookup u32") })
	const sum = "reduce [add] kernel (u0:f32) { store u0 }"
	report("StridedByte", m.StridedByte, func(b *testing.B) float64 { return nanos(b, cols, rows, "transpose u32") / 4 })
	report("EmptyVector", m.EmptyVector, func(b *testing.B) float64 {
		return nanos(b, rows*cols/3, 3, sum) - nanos(b, 1, rows*cols/2, sum)
	})
	report("RowWork", m.RowWork, func(b *testing.B) float64 {
		const neg = "kernel (u0:f32) { t0 = neg u0; store t0 }"
		return 8 * (nanos(b, rows*cols/8, 8, neg) - nanos(b, 1, rows*cols, neg))
	})
}

// nanos returns how long a kernel takes for an element of a block whose rows are dense, and
// whose operands that are read across are a row apart.
func nanos(b *testing.B, rows, cols int, signature string) float64 {
	code, err := kernel.ParseCode(signature)
	require.NoError(b, err)
	fn, ok := abi.Lookup(min(abi.Best(), abi.AVX2), signature)
	if !ok { // it is written in Go
		fn, ok = abi.Lookup(abi.Portable, signature)
	}
	require.True(b, ok, signature)
	f := &abi.Frame{Rows: rows, Cols: cols}
	for i, a := range code.Args() {
		memory := make([]float32, rows*cols+64)
		f.Ptr[i] = unsafe.Pointer(&memory[0])
		switch {
		case a.Inner == kernel.One:
			f.Step[i] = 4
		case a.Outer == kernel.Cols: // transposed
			f.Step[i] = 4
		case a.Across != kernel.One: // packed
			f.Step[i] = 4
		default:
			f.Step[i] = 4 * cols
		}
	}
	for _, a := range code.Args() {
		switch at := code.FieldAt(int(a.Across) - int(kernel.Field0)); {
		case a.Across == kernel.One:
		case a.Outer == kernel.Cols:
			f.Step[at] = 4 * cols
		default:
			f.Step[at] = a.DType.Size() * rows
		}
	}
	best := time.Duration(1 << 62)
	for range 7 {
		const calls = 200
		start := time.Now()
		for range calls {
			fn(f)
		}
		best = min(best, time.Since(start)/calls)
	}
	return float64(best) / float64(rows*cols)
}
