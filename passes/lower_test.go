package passes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/rewrite"
	"pgregory.net/rapid"
)

// TestLowerKeepsMeaning lowers random graphs. After each pass the graph, and in the end the plan, must evaluate to
// the same bits as before. The test counts the cases that the random graphs reach, and fails if one is never reached.
func TestLowerKeepsMeaning(t *testing.T) {
	reached := map[string]int{}
	check := func(t *rapid.T, cfg irtest.Config, small bool) {
		f, inputs := irtest.Func(t, cfg)
		text := f.String()
		want, err := eval.Eval(f, inputs)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		noFuse := rapid.IntRange(0, 7).Draw(t, "nofuse") == 7
		frozen := make([]bool, len(inputs))
		for i := range frozen {
			frozen[i] = rapid.IntRange(0, 3).Draw(t, "frozen") == 3
		}
		s := newState(f.Clone(), Options{NoFuse: noFuse, Eager: small || rapid.Bool().Draw(t, "eager"), Frozen: frozen, Sized: rapid.Bool().Draw(t, "sized")}) // more programs that unroll and split loops are in graph.TestNarrowAxes and TestTorus
		for _, p := range Default {
			if err := run(s, p, machine(small)); err != nil {
				t.Fatalf("%s: %v\n%s", p.Name, err, text)
			}
			if err := verify(s, p); err != nil {
				t.Fatalf("%s: %v\n%s\nfrom\n%s", p.Name, err, s, text)
			}
			if s.Plan == nil {
				got, err := eval.Eval(s.Func, inputs)
				if err != nil {
					t.Fatalf("%s: %v\n%s\nfrom\n%s", p.Name, err, s, text)
				}
				sameBits(t, want, got, p.Name+"\n"+s.String()+"from\n"+text)
			}
			if p.Name == "simplify" {
				again := &State{State: rewrite.State{Func: s.Func.Clone()}}
				require.NoError(t, rewrite.Simplify(&again.State))
				require.Equal(t, s.Func.String(), again.Func.String(), "simplify is not done after one run, from\n%s", text)
			}
		}
		sameBits(t, want, planned(t, s.Plan, inputs), "plan\n"+s.String()+"from\n"+text)
		checkLedger(t, s.Plan)
		count(reached, s)
		if splits(t, s.Plan, frozen, inputs, want) {
			reached["split"]++
		}
	}
	for tries := 0; tries < 3 || reached["group split by a limit"] == 0 && tries < 300; tries++ { // about 1 of 100 graphs has one
		rapid.Check(t, func(t *rapid.T) {
			check(t, irtest.Config{Layouts: true, Reductions: true, Products: 12}, rapid.Bool().Draw(t, "small"))
		})
	}
	few := ir.SetOf(ir.Float32, ir.Int32)                                          // so that most pairs of values can be multiplied
	for tries := 0; tries < 2 || reached["overlap"] == 0 && tries < 200; tries++ { // about 2 of 100 graphs have an overlap
		rapid.Check(t, func(t *rapid.T) { check(t, irtest.Config{Layouts: true, Products: 2, DTypes: few}, true) })
	}
	for _, what := range []string{"kernel of four ops", "refined access", "group split by a limit", "temporary", "place used again", "value computed again", "copy", "product", "product in panels", "overlap", "split"} {
		require.Positive(t, reached[what], "no random graph had a %s: %v", what, reached)
	}
}

// TestReduceChunksOfText lowers texts that contain reduce_chunks with extents for which rewrite.Reductions never
// makes one.
func TestReduceChunksOfText(t *testing.T) {
	for _, c := range []struct{ in, by, out string }{
		{"f32[4,1]", "add", "f32[4]"}, {"f32[1]", "max", "f32[]"}, {"f32[0,4]", "mul", "f32[0]"}, {"f32[0,1]", "min", "f32[0]"}, {"bool[2,1]", "or", "bool[2]"},
		{"i32[3,1]", "argmax", "i32[3]"}, {"f32[4,2]", "add", "f32[4]"}, {"f32[2,3000]", "add", "f32[3,2]"}, {"f32[0,3000]", "add", "f32[3,0]"},
	} {
		text := fmt.Sprintf("func f(%%x: %s) {\n  %%0 = reduce_chunks %%x by=%s : %s\n  return %%0\n}\n", c.in, c.by, c.out)
		f, err := ir.Parse(text)
		require.NoError(t, err, text)
		x := eval.Array{DType: f.Params[0].Type.DType, Shape: rewrite.Extents(f.Params[0])}
		for i := range rewrite.Size(f.Params[0].Type.Shape) {
			x.Data = append(x.Data, uint64(i+5)%2)
		}
		want, err := eval.Eval(f, []eval.Array{x})
		require.NoError(t, err)
		p, err := Lower(f, Options{Verify: true})
		require.NoError(t, err, text)
		got, err := eval.Plan(p, []eval.Array{x})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), text)
	}
}

// TestJoinOfOneTemporary lowers a concat of one temporary with itself. The step stores the temporary, which dies
// there, three times, so it must not run in place.
func TestJoinOfOneTemporary(t *testing.T) {
	_, err := Lower(parse(t, `func f(%p0: i32[1,8], %p1: i32[8,1]) {
  %0 = dot %p0, %p1 : i32[1,1]
  %1 = concat %0, %0, %0 axis=0 : i32[3,1]
  %2 = permute %1 axes=[1,0] : i32[1,3]
  %3 = dot %1, %2 : i32[3,3]
  return %3
}`), Options{Verify: true})
	require.NoError(t, err)
}

// splits splits a plan. It checks that the two halves compute the same results, and reports whether there are two.
func splits(t *rapid.T, p *plan.Plan, frozen []bool, inputs, want []eval.Array) bool {
	once, params, rest, err := Split(p)
	require.NoError(t, err)
	if once == nil {
		require.Same(t, p, rest)
		return false
	}
	require.NoError(t, rest.Verify())
	require.NoError(t, once.Verify())
	var ins []eval.Array
	for _, i := range params {
		require.True(t, frozen[i])
		ins = append(ins, inputs[i])
	}
	made := planned(t, once, ins)
	sameBits(t, want, planned(t, rest, slices.Concat(inputs, made)), once.String()+rest.String())
	return true
}

// count counts the cases that a lowered graph has reached.
func count(reached map[string]int, s *State) {
	has := func(what string, is bool) {
		if is {
			reached[what]++
		}
	}
	temps := 0
	for _, b := range s.Plan.Buffers {
		if b.Kind == plan.TempBuffer {
			temps += (b.Size()*b.DType.Size() + 63) / 64 * 64
		}
	}
	has("temporary", temps > 0)
	has("place used again", temps > s.Plan.Arena)
	for _, v := range s.Func.Body {
		has("refined access", v.Op == ir.OpAccess && !slices.Equal(v.Attr.At.Shape, rewrite.Extents(v)))
	}
	for _, d := range s.Plan.Ledger {
		has("value computed again", d.Kind == plan.Recomputed)
		has("copy", d.Kind == plan.Copied)
	}
	for _, step := range s.Plan.Steps {
		has("kernel of four ops", len(step.Body.Body) >= 4)
		has("product", step.Contracts())
		has("product in panels", step.Contracts() && step.In[1].Panel != nil)
	}
	for _, d := range s.Plan.Ledger {
		has("overlap", d.Reason == overlapReason)
		has("group split by a limit", strings.HasSuffix(d.Reason, "as one kernel takes"))
	}
}

// checkLedger checks that the ledger has an entry for each copy of each run.
func checkLedger(t *rapid.T, p *plan.Plan) {
	copied, ran := 0, map[string]bool{} // keyed by the copied operand: the steps of a tile may copy it in two parts
	for _, d := range p.Ledger {
		if (d.Kind == plan.Copied || d.Op == ir.OpCopy) && d.Step >= 0 {
			copied++
		}
	}
	for _, s := range p.Steps {
		for i, in := range s.Body.Body {
			if in.Op == ir.OpCopy && !s.Once && p.Buffers[s.In[0].Buffer].Kind != plan.ConstBuffer { // the rest of a panel is filled, not copied
				ran[fmt.Sprint(s.Pos, i, s.Body.Signature())] = true
			}
		}
	}
	require.GreaterOrEqual(t, copied, len(ran), p.String()) // a kernel merges two copies of one value
}

// sameBits fails unless the arrays have equal bits. All NaNs count as equal.
func sameBits(t *rapid.T, want, got []eval.Array, text string) {
	require.Equal(t, len(want), len(got), text)
	for i := range want {
		require.Equal(t, want[i].Shape, got[i].Shape, text)
		for k := range want[i].Data {
			w, g := want[i].Data[k], got[i].Data[k]
			if w != g && !(ir.IsNaN(want[i].DType, w) && ir.IsNaN(got[i].DType, g)) {
				t.Fatalf("result %d element %d: want %x, got %x\n%s", i, k, w, g, text)
			}
		}
	}
}

// parse parses a graph.
func parse(t testing.TB, text string) *ir.Func {
	f, err := ir.Parse(text)
	require.NoError(t, err)
	return f
}

func lower(t testing.TB, text string, o Options) *plan.Plan {
	o.Verify = true
	p, err := Lower(parse(t, text), o)
	require.NoError(t, err)
	return p
}

func copies(p *plan.Plan) int {
	return len(slices.DeleteFunc(slices.Clone(p.Ledger), func(d plan.Decision) bool { return d.Kind != plan.Copied }))
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

// TestNoCopyWhereStridesDo lowers graphs whose views can all be written as strides of one loop nest. The plans must
// contain no copy.
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

func TestAccessIsNoView(t *testing.T) {
	_, err := Lower(parse(t, `func f(%p: i32[2,2]) {
  %0 = neg %p                : i32[2,2]
  %1 = access %0 {4}:{1}+0   : i32[4]
  return %1
}`), Options{})
	require.ErrorContains(t, err, "access: only the views pass makes accesses")
}

// TestRuleMadeConstants checks that a constant made by a rule is merged with an equal one of the graph.
func TestRuleMadeConstants(t *testing.T) {
	p := lower(t, `func f(%x: f32[4]) {
  %0 = const 4     : f32[]
  %1 = div %x, %0  : f32[4]
  %2 = const 0.25  : f32[]
  %3 = mul %x, %2  : f32[4]
  %4 = add %1, %3  : f32[4]
  return %4
}`, Options{})
	require.Len(t, p.Steps[0].Body.Body, 2, p.String())
}

// TestSharedWithinAView checks that a value is not stored if two values read it, but only below a single view.
func TestSharedWithinAView(t *testing.T) {
	p := lower(t, `func f(%x: f32[4,3]) {
  %0 = tanh %x                : f32[4,3]
  %1 = mul %0, %0             : f32[4,3]
  %2 = sqrt %0                : f32[4,3]
  %3 = add %1, %2             : f32[4,3]
  %4 = permute %3 axes=[1,0]  : f32[3,4]
  return %4
}`, Options{})
	require.Len(t, p.Steps, 1, p.String())
}

// TestStridedParam checks that a param with strides of its own counts in the choice of the loop nest, whether it is
// read directly or through views.
func TestStridedParam(t *testing.T) {
	p := lower(t, `func f(%x: f32[3,2], %p: f32[2,3] {2,3}:{1,2}+0) {
  %0 = permute %x axes=[1,0] : f32[2,3]
  %1 = reshape %0            : f32[3,2]
  %2 = reshape %1            : f32[2,3]
  %3 = const 1               : f32[]
  %4 = add %2, %3            : f32[2,3]
  %5 = add %4, %p            : f32[2,3]
  %6 = permute %p axes=[1,0] : f32[3,2]
  %7 = reshape %6            : f32[2,3]
  %8 = mul %5, %7            : f32[2,3]
  return %8
}`, Options{})
	require.Zero(t, copies(p))
}

// TestOneElement checks that scalars remain splats in a shape of one element, so that the limits of a kernel do not
// depend on the size.
func TestOneElement(t *testing.T) {
	f := &ir.Func{Name: "one"}
	sum := f.Param("x", ir.Type{DType: ir.Float32, Shape: ir.ShapeOf(1)}, nil)
	for i := range 15 {
		s := f.Param(string(rune('a'+i)), ir.Type{DType: ir.Float32}, nil)
		var err error
		sum, err = f.Add(ir.OpAdd, ir.Attr{}, ir.Pos{}, sum, s)
		require.NoError(t, err)
	}
	f.Results = []*ir.Value{sum}
	p, err := Lower(f, Options{Verify: true})
	require.NoError(t, err)
	require.Len(t, p.Steps, 1)
	require.NoError(t, p.Steps[0].Body.Verify())
	require.Equal(t, 2, p.Steps[0].Body.Pointers())
}

func TestCopyHasItsReason(t *testing.T) {
	// The axes are cut at 3 and at 4, and neither divides the other.
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
		if d.Kind == plan.Copied {
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
	require.Len(t, p.Steps[0].Body.Out, 2)
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
	// The sum of 20 inputs needs more pointers than a kernel has.
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
		require.NoError(t, s.Body.Verify())
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

// planned evaluates a plan.
func planned(t require.TestingT, p *plan.Plan, inputs []eval.Array) []eval.Array {
	out, err := eval.Plan(p, inputs)
	require.NoError(t, err, p.String())
	return out
}

// machine returns the default machine, or one that divides even small programs.
func machine(small bool) *tuning.Machine {
	if small {
		return irtest.Machine(2)
	}
	return tuning.Default(1)
}

// TestLedgerOfPackedRows multiplies a frozen matrix whose rows a group computes in each run. So each run packs it,
// though it never changes.
func TestLedgerOfPackedRows(t *testing.T) {
	p, err := Lower(parse(t, `func f(%x: i32[2,2]) {
  %0 = dot %x, %x : i32[2,2]
  %1 = cast %0 : f32[2,2]
  %2 = dot %1, %1 : f32[2,2]
  %3 = copy %2 : f32[2,2]
  %4 = slice %3 axis=0 begin=0 step=1 : f32[1,2]
  %5 = slice %3 axis=0 begin=1 step=1 : f32[1,2]
  %6 = add %4, %5 : f32[1,2]
  return %6
}`), Options{Verify: true, Eager: true, Frozen: []bool{true}, Machine: machine(true)})
	require.NoError(t, err)
	require.Equal(t, 2, copies(p), "one copy is the graph's, one packs:\n%s", p)
}

// TestLedgerOfPanels: the panels of a right operand are one copy, of all its columns, though a step of its own packs the last, partial one.
func TestLedgerOfPanels(t *testing.T) {
	p, err := Lower(parse(t, `func f(%x: i32[1024,512], %y: i32[512,203]) {
  %0 = dot %x, %y : i32[1024,203]
  return %0
}`), Options{Verify: true, Machine: tuning.Default(1)})
	require.NoError(t, err)
	var packed []plan.Decision
	for _, d := range p.Ledger {
		if d.Kind == plan.Copied {
			packed = append(packed, d)
		}
	}
	require.Len(t, packed, 1, p.String())
	require.Len(t, p.Steps, 3, "two pack:\n%s", p)
	require.Equal(t, 2*4*512*203, packed[0].Bytes)
	require.Contains(t, packed[0].Reason, fmt.Sprintf("into panels of %d,", p.Steps[2].In[1].Panel.Size))
}
