package avo_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/amd64"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func single(t testing.TB, op ir.Op, given ir.DType, operands ...kernel.Operand) *kernel.Kernel {
	k, err := kernel.SingleOp(op, given, operands...)
	require.NoError(t, err)
	return k
}

// chain is (a*b+c)*a - b/(|c|+1), the body that is compared with g++.
func chain() *kernel.Kernel {
	f := kernel.Operand{DType: ir.Float32}
	b := kernel.NewBuilder(f, f, f)
	x := b.Op(ir.OpMul, b.Op(ir.OpAdd, b.Op(ir.OpMul, 0, 1), 2), 0)
	y := b.Op(ir.OpDiv, 1, b.Op(ir.OpAdd, b.Op(ir.OpAbs, 2), b.Float(ir.Float32, 1)))
	b.Store(b.Op(ir.OpSub, x, y))
	k, _ := b.Kernel().Canonical()
	return k
}

// TestGolden pins the assembly of kernels whose instructions matter.
func TestGolden(t *testing.T) {
	f, s := kernel.Operand{DType: ir.Float32}, kernel.Operand{DType: ir.Float32, Splat: true}
	d, i, u := kernel.Operand{DType: ir.Float64}, kernel.Operand{DType: ir.Int64}, kernel.Operand{DType: ir.Uint8}
	for name, k := range map[string]kernel.Code{
		"add_f32":       single(t, ir.OpAdd, ir.Invalid, f, f),
		"chain_f32":     chain(),
		"max_splat":     single(t, ir.OpMax, ir.Invalid, f, s),
		"exp_f32":       single(t, ir.OpExp, ir.Invalid, f),
		"lt_f64":        single(t, ir.OpLt, ir.Invalid, d, d),
		"floordiv_i64":  single(t, ir.OpFloorDiv, ir.Invalid, i, i),
		"add_u8":        single(t, ir.OpAdd, ir.Invalid, u, u),
		"dot_i64":       &kernel.Micro{Kind: kernel.Dot, Type: ir.Int64}, // the shortest
		"transpose_i64": &kernel.Micro{Kind: kernel.Transpose, Type: ir.Int64},
		"sum_f32":       &kernel.Micro{Kind: kernel.Reduce, Combine: []ir.Op{ir.OpAdd}, Body: &kernel.Kernel{In: []kernel.Operand{f}, Out: []kernel.Ref{0}}},
	} {
		golden(t, avo.AVX2, name, k)
	}
	for name, k := range map[string]kernel.Code{
		"exp_f32": single(t, ir.OpExp, ir.Invalid, f),   // constants by broadcast
		"lt_f64":  single(t, ir.OpLt, ir.Invalid, d, d), // masks of two widths
		"add_u8":  single(t, ir.OpAdd, ir.Invalid, u, u),
	} {
		golden(t, avo.AVX512, name+avo.AVX512.Suffix(), k)
	}
}

// TestGoldenInterleaved pins the assembly of kernels that deinterleave or interleave operands. They are
// made for AVX2 alone.
func TestGoldenInterleaved(t *testing.T) {
	for name, text := range map[string]string{
		"deinterleaved":     "kernel ((u0 u1):f32) { t0 = mul u0 u1; store t0 }",
		"interleaved_pairs": "kernel (u0:f32, u1:f32) { t0 = neg u1; store (u0 t0) }",
	} {
		k, err := kernel.ParseKernel(text)
		require.NoError(t, err)
		golden(t, avo.AVX2, name, k)
		require.False(t, avo.AVX512.Emits(k))
	}
}

func golden(t *testing.T, target codegen.Target, name string, k kernel.Code) {
	t.Run(name, func(t *testing.T) {
		got, err := target.Assemble("kernels", []kernel.Code{k})
		require.NoError(t, err)
		path := filepath.Join("testdata", name+".s.golden")
		if *update {
			require.NoError(t, os.WriteFile(path, got, 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}

// TestChainLoop counts what the loop of the chain does for each vector: loads,
// 7 arithmetic instructions and a store, and nothing else.
func TestChainLoop(t *testing.T) {
	asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{chain()})
	require.NoError(t, err)
	loop := regexp.MustCompile(`(?s)loop:\n(.*?)\n\n`).FindStringSubmatch(string(asm))[1]
	require.Equal(t, 2*(3+7+1)+3, len(strings.Split(loop, "\n")), loop)
}

// TestHalfLoop counts what the loop of a product of float16 does on AVX-512 for each of two vectors: two loads that convert, a
// product, a conversion and a store, which takes the 16-bit elements as the conversion leaves them.
func TestHalfLoop(t *testing.T) {
	k, err := kernel.ParseCode("kernel (u0:f16, u1:f16) { t0 = mul u0 u1; store t0 }")
	require.NoError(t, err)
	asm, err := avo.AVX512.Assemble("kernels", []kernel.Code{k})
	require.NoError(t, err)
	loop := regexp.MustCompile(`(?s)loop:\n(.*?)\n\n`).FindStringSubmatch(string(asm))[1]
	require.Equal(t, 2*(2+1+1+1)+3, len(strings.Split(loop, "\n")), loop)
}

// TestColumnReductionLoop counts what a kernel of distances does for each element of two
// vectors of lines: a splat, six arithmetic instructions and a step.
func TestColumnReductionLoop(t *testing.T) {
	k, err := kernel.ParseCode("reduce_columns add kernel (s0:f32, u1:f32) { t0 = sub s0 u1; t1 = mul t0 t0; store t1 }")
	require.NoError(t, err)
	asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{k})
	require.NoError(t, err)
	loop := regexp.MustCompile(`(?s)lane30:\n(.*?)\n\n`).FindStringSubmatch(string(asm))[1]
	require.Equal(t, 1+2*3+4, len(strings.Split(loop, "\n")), loop)
}

// TestReductionLoops counts the instructions of a loop: a sum adds each of four vectors from memory; the
// greatest element takes for each of two vectors two loads, two maxima, and a comparison and an or for NaN; that of squares three
// instructions for each of two vectors; a count a comparison with memory, a
// mask and an addition for each of four; the greatest element's place takes four loads, two comparisons and two ors
// for NaN, three maxima, and a comparison, a maximum, a choice and a step of the block for all four; two rows with their greatest
// elements take for each row those but the step, and an and of signs for each vector; the place of a greatest square takes for each of
// two vectors a load and a square, a comparison, two choices and an addition of the index, a comparison, an or and a minimum for NaN, and the
// index for both.
func TestReductionLoops(t *testing.T) {
	for _, x := range []struct {
		kernel string
		want   int
	}{
		{"reduce [add] kernel (u0:f32) { store u0 }", 4 + 3},
		{"reduce [max] kernel (u0:f32) { store u0 }", 4*(2+2+2) + 3},
		{"reduce [max] kernel (u0:f32) { t0 = mul u0 u0; store t0 }", 2*5 + 3},
		{"reduce [add] kernel (s0:f32, u1:f32) { t0 = lt s0 u1; t1 = cast:i32 t0; store t1 }", 4*3 + 3},
		{"reduce [argmax] kernel (u0:f32) { store u0 }", 4 + 4 + 3 + 4 + 3},
		{"reduce [argmax, argmax, max, max] kernel (u0:f32, u1:f32) { store u0 u1 u0 u1 }", 2*(4+4+4+3+3) + 1 + 3},
		{"reduce [argmax] kernel (u0:f32) { t0 = mul u0 u0; store t0 }", 2*9 + 2 + 3},
	} {
		k, err := kernel.ParseCode(x.kernel)
		require.NoError(t, err)
		asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{k})
		require.NoError(t, err)
		loop := regexp.MustCompile(`(?s)\nloop8?:\n(.*?JL[ES] +loop)8?\n`).FindStringSubmatch(string(asm))[1]
		require.Len(t, regexp.MustCompile(`(?m)^\t`).FindAllString(loop, -1), x.want, loop)
	}
}

// TestDotLoop counts what the loop of a whole tile of a product does for each
// pair: the loads of two vectors and six elements, a prefetch, 12 multiplications and a step;
// and for every four pairs a step, and the counter.
func TestDotLoop(t *testing.T) {
	for _, d := range []ir.DType{ir.Float32, ir.Float64} {
		asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{&kernel.Micro{Kind: kernel.Dot, Type: d}})
		require.NoError(t, err)
		loop := regexp.MustCompile(`(?s)full6Loop:\n(.*?)\n\n`).FindStringSubmatch(string(asm))[1]
		require.Equal(t, 4*(2+6+1+12+1)+1+2, len(strings.Split(loop, "\n")), loop)
	}
}

// TestWideDotLoop counts what the loop of a whole tile of two vectors for AVX-512 does for each pair: the loads and prefetches of
// two vectors, the loads of twelve elements, 24 multiplications, and four steps and counts. If the rows of A are packed, two pairs
// have a prefetch and five steps and counts.
func TestWideDotLoop(t *testing.T) {
	t.Parallel()
	for _, d := range []ir.DType{ir.Float32, ir.Float64} {
		asm, err := avo.AVX512.Assemble("kernels", []kernel.Code{&kernel.Micro{Kind: kernel.Dot, Type: d}})
		require.NoError(t, err)
		loop := regexp.MustCompile(`(?s)wide12Pair:\n(.*?)JNE`).FindStringSubmatch(string(asm))[1]
		require.Equal(t, 2+2+12+24+4, strings.Count(loop, "\n"), loop)
		loop = regexp.MustCompile(`(?s)wide12Loop:\n(.*?)JGE`).FindStringSubmatch(string(asm))[1]
		require.Equal(t, 2*(2+2+12+24)+1+5, strings.Count(loop, "\n"), loop)
	}
}

// TestTransposedDotLoop counts what the loop over blocks of 16 rows and pairs does: 32 loads of half a row, 48 shuffles, and 16
// multiplications for each column of B.
func TestTransposedDotLoop(t *testing.T) {
	t.Parallel()
	asm, err := avo.AVX512.Assemble("kernels", []kernel.Code{&kernel.Micro{Kind: kernel.Dot, Type: ir.Float32}})
	require.NoError(t, err)
	loop := regexp.MustCompile(`(?s)narrowTransposedLoop:\n(.*?)CMPQ`).FindStringSubmatch(string(asm))[1]
	require.Equal(t, 32+48, strings.Count(loop, "\n"), loop)
	for columns, together := range map[string]int{"": 8, "4": 4, "2": 2, "1": 1} {
		begin := "narrowTransposedColumns" + columns + ":\n"
		if columns == "" {
			begin = `narrowTransposedColumns7\n`
		}
		part := regexp.MustCompile(`(?s)` + begin + `(.*?)(JMP|\n\n)`).FindStringSubmatch(string(asm))[1]
		require.Equal(t, 16*together, strings.Count(part, "VFMADD231PS"), part)
	}
	asm, err = avo.AVX512.Assemble("kernels", []kernel.Code{&kernel.Micro{Kind: kernel.Dot, Type: ir.Float64}})
	require.NoError(t, err)
	require.NotContains(t, string(asm), "Transposed")
}

// TestDeterministic assembles twice.
func TestDeterministic(t *testing.T) {
	ks := singleOps(false)[:300]
	a, err := avo.AVX2.Assemble("kernels", ks)
	require.NoError(t, err)
	b, err := avo.AVX2.Assemble("kernels", ks)
	require.NoError(t, err)
	require.Equal(t, a, b)
}

var vectorRegister = regexp.MustCompile(`\b[XYZ](\d+)\b`)

// TestPressure emits bodies of any pressure: every one is emitted, in sixteen
// registers. That only AVX2 instructions are used, the emitter checks itself.
func TestPressure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapes[rapid.IntRange(0, len(shapes)-1).Draw(t, "shape")]
		seed := rapid.Uint64().Draw(t, "seed")
		s.ops = rapid.IntRange(1, 96).Draw(t, "ops")
		s.late = rapid.Bool().Draw(t, "late")
		k := randomKernel(s, rand.New(rand.NewPCG(seed, 0)).IntN)
		if k.Verify() != nil {
			t.Skip("beyond the limits of a kernel")
		}
		asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{k})
		require.NoError(t, err)
		for _, m := range vectorRegister.FindAllStringSubmatch(string(asm), -1) {
			n, _ := strconv.Atoi(m[1])
			require.Less(t, n, 16)
			require.NotEqual(t, 'Z', m[0][0])
		}
	})
}

func BenchmarkAssemble(b *testing.B) {
	ks := singleOps(true)
	for b.Loop() {
		_, err := avo.AVX2.Assemble("kernels", ks)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(ks)), "us/kernel")
}

// rare is a chain of 10 operations with a special case of 200 where |x| > 1e6.
func rare(d ir.DType, with bool) *kernel.Kernel {
	b := kernel.NewBuilder(kernel.Operand{DType: d})
	sum, slow := kernel.Ref(0), kernel.Ref(0)
	for i := range 10 {
		sum = b.Op(ir.OpFMA, sum, 0, b.Float(d, float64(i)))
	}
	for i := range 100 {
		slow = b.Op(ir.OpFMA, b.Op(ir.OpSqrt, slow), 0, b.Float(d, float64(i)))
	}
	if with {
		sum = b.Op(ir.OpUnlikely, b.Op(ir.OpLt, b.Float(d, 1e6), b.Op(ir.OpAbs, 0)), slow, sum)
	}
	b.Store(sum)
	k, _ := elementary.Expand(b.Kernel()).Canonical()
	return k
}

// TestCold counts what a special case costs the loop: for each 8 elements
// the absolute value and the comparison in one vector or two, those brought
// together, the test and the jump.
func TestCold(t *testing.T) {
	for d, more := range map[ir.DType]int{ir.Float32: 4, ir.Float64: 7} {
		without, err := amd64.AVX2().Count(rare(d, false))
		require.NoError(t, err)
		with, err := amd64.AVX2().Count(rare(d, true))
		require.NoError(t, err)
		require.Equal(t, without+float64(more), with, "%s", d)
	}
}

// TestColdTail has the tail test only the lanes of its columns: beyond them
// elements are 0, for which this condition is true.
func TestColdTail(t *testing.T) {
	for d, spread := range map[ir.DType]int{ir.Float32: 4, ir.Float64: 8} {
		b := kernel.NewBuilder(kernel.Operand{DType: d})
		b.Store(b.Op(ir.OpUnlikely, b.Op(ir.OpLt, 0, b.Float(d, 1e-30)), b.Op(ir.OpSqrt, b.Op(ir.OpSqrt, 0)), 0))
		k, _ := b.Kernel().Canonical()
		asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{k})
		require.NoError(t, err)
		loop, tail, ok := strings.Cut(string(asm), "tail:")
		require.True(t, ok)
		require.Regexp(t, `VPTEST\s+(Y\d+), `, loop)
		mask := regexp.MustCompile(fmt.Sprintf(`masks<>\+64\(SB\), DX\s+VMOVUPS\s+\(DX\)\(CX\*%d\), (Y\d+)`, spread)).FindStringSubmatch(tail)
		require.NotNil(t, mask, "%s", asm)
		test := regexp.MustCompile(`VPTEST\s+(Y\d+), (Y\d+)`).FindStringSubmatch(tail)
		require.Contains(t, test[1:], mask[1])
		require.NotEqual(t, test[1], test[2])
	}
}

// TestClippedIsNotWrapped: a float that becomes an integer of 8 or 16 bits is clipped to its numbers, so it has no bits above.
// What is clipped to other numbers is wrapped.
func TestClippedIsNotWrapped(t *testing.T) {
	for _, target := range []codegen.Target{avo.AVX2, avo.AVX512} {
		for _, d := range []ir.DType{ir.Int8, ir.Int16} {
			clips := single(t, ir.OpCast, d, kernel.Operand{DType: ir.Float32})
			asm, err := target.Assemble("kernels", []kernel.Code{clips})
			require.NoError(t, err)
			require.NotContains(t, string(asm), "VPSLLD")
		}
	}
	beyond := kernel.NewBuilder(kernel.Operand{DType: ir.Int32})
	beyond.Store(beyond.Cast(ir.Int16, beyond.Op(ir.OpMin, beyond.Op(ir.OpMax, 0, beyond.Int(ir.Int32, -1<<15)), beyond.Int(ir.Int32, 1<<15))))
	for _, wraps := range []kernel.Code{single(t, ir.OpCast, ir.Int16, kernel.Operand{DType: ir.Uint32}), beyond.Kernel()} {
		asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{wraps})
		require.NoError(t, err)
		require.Contains(t, string(asm), "VPSLLD")
	}
}
