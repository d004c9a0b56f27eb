package passes

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestLowerKeepsMeaning compares every pass with the definition: the graph
// still evaluates to the same bits after each rewrite, and so does the plan.
func TestLowerKeepsMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{})
		text := f.String()
		want, err := ir.Eval(f, inputs)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		noFuse := rapid.Bool().Draw(t, "nofuse")
		s := &State{Func: f.Clone(), noFuse: noFuse}
		for _, p := range Default {
			if err := s.run(p); err != nil {
				t.Fatalf("%s: %v\n%s", p.Name, err, text)
			}
			if err := s.verify(p); err != nil {
				t.Fatalf("%s: %v\n%s\nfrom\n%s", p.Name, err, s, text)
			}
			if s.Plan == nil {
				got, err := ir.Eval(s.Func, inputs)
				if err != nil {
					t.Fatalf("%s: %v\n%s\nfrom\n%s", p.Name, err, s, text)
				}
				sameBits(t, want, got, p.Name+"\n"+s.String()+"from\n"+text)
			}
		}
		sameBits(t, want, interpret(s.Plan, inputs), "plan\n"+s.String()+"from\n"+text)
	})
}

// sameBits fails unless the arrays are equal, any NaN equal to any other.
func sameBits(t *rapid.T, want, got []ir.Array, text string) {
	require.Equal(t, len(want), len(got), text)
	for i := range want {
		require.Equal(t, want[i].Shape, got[i].Shape, text)
		for k := range want[i].Data {
			w, g := want[i].Data[k], got[i].Data[k]
			if w != g && !(isNaN(want[i].DType, w) && isNaN(got[i].DType, g)) {
				t.Fatalf("result %d element %d: want %x, got %x\n%s", i, k, w, g, text)
			}
		}
	}
}

func isNaN(dt ir.DType, bits uint64) bool {
	switch dt {
	case ir.Float32:
		return math.IsNaN(float64(math.Float32frombits(uint32(bits))))
	case ir.Float64:
		return math.IsNaN(math.Float64frombits(bits))
	}
	return false
}

// parse reads a graph or fails.
func parse(t testing.TB, text string) *ir.Func {
	f, err := ir.Parse(text)
	require.NoError(t, err)
	return f
}

func lower(t testing.TB, text string, o Options) *ir.Plan {
	o.Verify = true
	p, err := Lower(parse(t, text), o)
	require.NoError(t, err)
	return p
}

func copies(p *ir.Plan) int {
	return len(slices.DeleteFunc(slices.Clone(p.Ledger), func(d ir.Decision) bool { return d.Kind != ir.Copied }))
}

const chain5 = `func chain(%a: f32[1000], %b: f32[1000], %c: f32[1000]) {
  %0 = mul %a, %b : f32[1000]
  %1 = add %0, %c : f32[1000]
  %2 = mul %1, %a : f32[1000]
  %3 = abs %c : f32[1000]
  %4 = const 1 : f32[]
  %5 = add %3, %4 : f32[1000]
  %6 = div %b, %5 : f32[1000]
  %7 = sub %2, %6 : f32[1000]
  return %7
}
`

func TestChainIsOneKernel(t *testing.T) {
	p := lower(t, chain5, Options{})
	require.Len(t, p.Steps, 1)
	require.Zero(t, p.Arena)
	require.Zero(t, copies(p))
	require.Len(t, lower(t, chain5, Options{NoFuse: true}).Steps, 7)
}

// TestNoCopyWhereStridesDo lowers graphs whose views are all affine on the axes
// of some common loop nest.
func TestNoCopyWhereStridesDo(t *testing.T) {
	cases := map[string]string{
		"transposed and flattened": `func f(%x: f32[4,3], %y: f32[12]) {
  %0 = permute %x axes=[1,0] : f32[3,4]
  %1 = reshape %0 : f32[12]
  %2 = add %1, %y : f32[12]
  return %2
}`,
		"views stacked on views": `func f(%x: f32[6,8], %y: f32[2,3]) {
  %0 = slice %x axis=0 begin=5 step=-2 : f32[3,8]
  %1 = permute %0 axes=[1,0] : f32[8,3]
  %2 = slice %1 axis=0 begin=1 step=4 : f32[2,3]
  %3 = flip %2 axes=[1] : f32[2,3]
  %4 = add %3, %y : f32[2,3]
  return %4
}`,
		"a view of a computed value": `func f(%x: f32[4,3], %y: f32[4,3]) {
  %0 = add %x, %y : f32[4,3]
  %1 = permute %0 axes=[1,0] : f32[3,4]
  %2 = exp %1 : f32[3,4]
  return %2
}`,
		"diagonal and broadcast": `func f(%x: f32[4,4], %y: f32[5,4]) {
  %0 = diagonal %x axes=[0,1] k=0 : f32[4]
  %1 = mul %y, %0 : f32[5,4]
  return %1
}`,
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			p := lower(t, text, Options{})
			require.Zero(t, copies(p), p.String())
			require.Len(t, p.Steps, 1)
			require.Zero(t, p.Arena)
		})
	}
}

func TestCopyHasItsReason(t *testing.T) {
	// The cuts 3 and 4 are no divisors of each other.
	p := lower(t, `func f(%x: f32[4,3], %y: f32[3,4]) {
  %0 = permute %x axes=[1,0] : f32[3,4]
  %1 = reshape %0 : f32[12]
  %2 = permute %y axes=[1,0] : f32[4,3]
  %3 = reshape %2 : f32[12]
  %4 = add %1, %3 : f32[12]
  return %4
}`, Options{})
	require.Equal(t, 1, copies(p))
	for _, d := range p.Ledger {
		if d.Kind == ir.Copied {
			require.Contains(t, d.Reason, "no view")
			require.Equal(t, 96, d.Bytes)
		}
	}
}

func TestExpensiveValueIsNotRecomputed(t *testing.T) {
	text := `func f(%x: f32[3], %y: f32[100,3]) {
  %0 = exp %x : f32[3]
  %1 = mul %y, %0 : f32[100,3]
  return %1
}`
	p := lower(t, text, Options{})
	require.Len(t, p.Steps, 2)
	p = lower(t, `func f(%x: f32[3], %y: f32[100,3]) {
  %0 = neg %x : f32[3]
  %1 = mul %y, %0 : f32[100,3]
  return %1
}`, Options{})
	require.Len(t, p.Steps, 1)
}

func TestSiblingsShareOneLoop(t *testing.T) {
	p := lower(t, `func f(%a: f32[9], %b: f32[9]) {
  %0 = add %a, %b : f32[9]
  %1 = sub %a, %b : f32[9]
  return %0, %1
}`, Options{})
	require.Len(t, p.Steps, 1)
	require.Len(t, p.Steps[0].Kernel.Out, 2)
}

func TestPassOrder(t *testing.T) {
	place := map[string]int{}
	for i, p := range Default {
		for _, o := range p.After {
			at, ok := place[o.Pass]
			require.True(t, ok && at < i, "%s comes after %s: %s", p.Name, o.Pass, o.Why)
			require.NotEmpty(t, o.Why)
		}
		place[p.Name] = i
	}
}

func TestLimitSplitsGroup(t *testing.T) {
	// 20 inputs summed: more pointers than a kernel has.
	f := &ir.Func{Name: "wide"}
	var sum *ir.Value
	for i := range 20 {
		x := f.Param(string(rune('a'+i)), ir.Type{DType: ir.Float32, Shape: ir.ShapeOf(8)}, nil)
		if sum == nil {
			sum = x
			continue
		}
		var err error
		sum, err = f.Add(ir.OpAdd, ir.Attr{}, ir.Pos{}, sum, x)
		require.NoError(t, err)
	}
	f.Results = []*ir.Value{sum}
	p, err := Lower(f, Options{Verify: true})
	require.NoError(t, err)
	require.Greater(t, len(p.Steps), 1)
	for _, s := range p.Steps {
		require.NoError(t, s.Kernel.Verify())
	}
}

func BenchmarkLower(b *testing.B) {
	f := parse(b, chain5)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Lower(f.Clone(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
