package main

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// full makes TestTable measure everything, which takes hours.
var full = flag.Bool("full", false, "measure in full and compare all hashes, of every engine too")

// simple are composed ops with one or two roundings, which are right by construction.
var simple = map[ir.Op]bool{
	ir.OpGt: true, ir.OpGe: true, ir.OpSign: true, ir.OpReciprocal: true, ir.OpSquare: true, ir.OpClip: true,
	ir.OpIsNaN: true, ir.OpIsInf: true, ir.OpIsFinite: true,
	ir.OpSignificand: true, ir.OpExponent: true, ir.OpLdexp: true,
}

// TestEveryFunctionIsMeasured finds functions that someone forgot.
func TestEveryFunctionIsMeasured(t *testing.T) {
	listed := map[ir.Op]bool{}
	for _, f := range functions {
		require.False(t, listed[f.op], "%s is there twice", f.name())
		listed[f.op] = true
	}
	for _, op := range ir.Ops() {
		if op.Info().Kind == ir.Composed && op.Info().Domain&ir.Floats != 0 && !simple[op] {
			require.True(t, listed[op], "%s is not measured: it belongs into functions and the oracle", op)
		}
	}
}

// TestTable compares every function with its row and with the promised bound: on samples, or completely with -full.
func TestTable(t *testing.T) {
	committed := committedTable(t)
	s := settings{n: 1500, workers: runtime.GOMAXPROCS(0), subset: true, table: committed}
	if *full {
		s.n, s.subset = 0, false
	}
	for i := range functions {
		f := &functions[i]
		for _, dt := range dtypes {
			t.Run(f.name()+" "+dt.Text(), func(t *testing.T) { s.check(t, committed, f, dt) })
		}
	}
}

func (s settings) check(t *testing.T, committed table, f *function, dt ir.DType) {
	if dt == ir.Float32 && !*full {
		s.n *= 8 // no oracle for each
	}
	ms, err := s.measure(t.Context(), f, dt)
	require.NoError(t, err)
	for _, m := range ms {
		r, ok := committed.find(f.op, dt, m.fast)
		require.True(t, ok, "not in the table: go run ./cmd/ulp -op %s -update", f.name())
		require.LessOrEqual(t, r.max, f.bound(dt, m.fast), "%s tier", tierName(m.fast))
		require.LessOrEqual(t, roundedUp(m.max), r.bound(), m.report(f))
		for on := range abi.Best() + 1 {
			got, err := s.hash(t.Context(), f, dt, m.fast, on, quickHashed)
			require.NoError(t, err)
			require.Equal(t, r.quick, got, "other bits than when the table was made: go run ./cmd/ulp -op %s -update", f.name())
		}
		if *full {
			require.Equal(t, r.max, roundedUp(m.max), m.report(f))
			for on := range abi.Best() + 1 {
				got, err := s.fullHash(t.Context(), f, r, on)
				require.NoError(t, err)
				require.Equal(t, r.hash, got)
			}
			if f.sweeps(dt) {
				drops, err := s.drops(t.Context(), f, m.fast)
				require.NoError(t, err)
				require.Equal(t, r.drops, drops)
			}
		}
	}
	for _, r := range committed {
		if r.op == f.op && r.dtype == dt {
			require.Contains(t, tiers(f.op, dt), r.fast, "the table has a tier that the function has not")
		}
	}
}

// TestShape checks one chunk of many: ranges and symmetries hold, and neighbours are in the wrong order at most as
// often as the table says.
func TestShape(t *testing.T) {
	committed := committedTable(t)
	for i := range functions {
		f := &functions[i]
		if _, ok := shapes[f.op]; !ok {
			continue
		}
		for _, fast := range tiers(f.op, ir.Float32) {
			n, err := checkShape(t.Context(), f, fast, assembly(), runtime.GOMAXPROCS(0), 1021, quiet)
			require.NoError(t, err)
			require.Zero(t, n.differ, "%s %s: other bits on another engine", f.name(), tierName(fast))
			require.Zero(t, n.others, "%s %s: beyond the range or not symmetric", f.name(), tierName(fast))
			if r, _ := committed.find(f.op, ir.Float32, fast); r.drops >= 0 {
				require.LessOrEqual(t, int64(n.drops), r.drops, f.name())
			}
		}
	}
}

// TestTableText reads back what is written.
func TestTableText(t *testing.T) {
	text, err := os.ReadFile("../../" + tableFile)
	require.NoError(t, err)
	require.Equal(t, string(text), committedTable(t).String())
	_, err = parseTable("exp f32 default 0.5 0x1p0")
	require.ErrorContains(t, err, "5 fields")
	_, err = parseTable("exp f32 default 0.5 zero 1 0 0 -")
	require.Error(t, err)
}

// TestDocumentation holds package graph's documentation to the table.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../" + docFile)
	require.NoError(t, err)
	want, err := document(committedTable(t))
	require.NoError(t, err)
	require.Equal(t, want, string(text), "go run ./cmd/ulp -op sqrt -update writes it")
}

func committedTable(t *testing.T) table {
	out, err := readTable("../../" + tableFile)
	require.NoError(t, err)
	return out
}

// TestStrata draws elements from where the strata say.
func TestStrata(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dt := range dtypes {
		for range 1000 {
			require.InDelta(t, 0, values(-3, 3)(r, dt), 3)
			require.InDelta(t, 1, around(1)(r, dt), 0.02)
			require.InDelta(t, 1, onePlus(r, dt)-0.5, 0.5)
			x := bits(-2, 8)(r, dt)
			require.True(t, -2 <= x && x <= 8)
			require.Less(t, math.Abs(subnormal(r, dt)), math.Ldexp(1, formats[dt].Least+formats[dt].Bits+1))
			x = multiples(math.Pi, 1<<20)(r, dt)
			require.InDelta(t, math.Round(x/math.Pi), x/math.Pi, math.Abs(x)*0.03)
		}
		for _, x := range []float64{0, 1, -1, math.Inf(1), math.Inf(-1), math.Ldexp(1, formats[dt].Least)} {
			require.Equal(t, x, fromOrdinal(dt, ordinal(dt, x)))
		}
		require.Equal(t, math.Ldexp(1, formats[dt].Least), fromOrdinal(dt, 1))
	}
}

// TestBorders finds where expansions branch.
func TestBorders(t *testing.T) {
	require.Contains(t, borders(ir.OpExp, ir.Float64), 710.0)
	require.Contains(t, borders(ir.OpExp, ir.Float64), -746.0)
	require.Empty(t, borders(ir.OpSqrt, ir.Float64))
}

// TestWrongKernels measures functions against the reference of other functions.
func TestWrongKernels(t *testing.T) {
	s := settings{n: 1000, workers: 1, subset: true}
	for _, c := range []struct {
		name string
		node func(graph.Node) graph.Node
		want float64 // at least
	}{
		{"exp", func(x graph.Node) graph.Node { return x.Exp().Mul(1 + 0x1p-21) }, 4},
		{"exp", func(x graph.Node) graph.Node { return x.Neg().Exp() }, 1e6},
		{"sqrt", func(x graph.Node) graph.Node { return x.Abs().Sqrt() }, math.Inf(1)},  // no NaN
		{"sqrt", func(x graph.Node) graph.Node { return x.Sqrt().Add(0) }, math.Inf(1)}, // no -0
	} {
		f, err := chosen(c.name)
		require.NoError(t, err)
		wrong := *f[0]
		wrong.node = func(x, _ graph.Node) graph.Node { return c.node(x) }
		for _, dt := range dtypes {
			ms, err := s.measure(t.Context(), &wrong, dt)
			require.NoError(t, err)
			require.GreaterOrEqual(t, ms[0].max, c.want, ms[0].report(&wrong))
		}
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-op exq":           `no function is called ["exq"]`,
		"-n five":           "invalid value",
		"-op exp -type f16": "",
	} {
		err := run(t.Context(), strings.Fields(args))
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// FuzzEngines compares assembly and Go loops on any pair of elements and their neighbours.
func FuzzEngines(f *testing.F) {
	f.Add(uint8(0), uint64(0x3ff0000000000000), uint64(1))
	for i := range functions {
		f.Add(uint8(i), uint64(0x40490fdb3f800000), uint64(0x7fefffffffffffff))
	}
	f.Fuzz(func(t *testing.T, which uint8, x, y uint64) {
		fn := &functions[int(which)%len(functions)]
		sameBits[float32](t, fn, x, y)
		sameBits[float64](t, fn, x, y)
	})
}

func sameBits[T float](t *testing.T, f *function, x, y uint64) {
	src := source[T]{chunks: 1, fill: func(_ int, xs, ys []T) int {
		const n = 67 // eight vectors and a tail
		for i := range n {
			xs[i] = T(fromBits(dtypeOf[T](), x+uint64(i)*0x10001))
			ys[i] = T(fromBits(dtypeOf[T](), y^uint64(i)*0x100000001))
		}
		return n
	}}
	for _, fast := range tiers(f.op, dtypeOf[T]()) {
		want, err := hashResults(t.Context(), f, fast, abi.Portable, src, 1, quiet)
		require.NoError(t, err)
		for on := abi.AVX2; on <= abi.Best(); on++ {
			got, err := hashResults(t.Context(), f, fast, on, src, 1, quiet)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s %s %s on %s", f.name(), dtypeOf[T]().Text(), tierName(fast), on)
		}
	}
}
