package runtime

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// coverSigs returns the signatures of a body's cover, rows and then tiles.
func coverSigs(t require.TestingT, body *kernel.Kernel, lookup func(abi.Engine, string) (func(*abi.Frame), bool), engines ...abi.Engine) []string {
	k, _ := body.Canonical()
	p := plan.Plan{}
	step := plan.FlatStep{Kernel: k, Extents: []int{1, 100}, Rows: 1, Cols: 100}
	add := func(kind plan.BufferKind, dt ir.DType, splat bool, index int) {
		p.Buffers = append(p.Buffers, plan.Buffer{Kind: kind, DType: dt, Shape: []int{100}, Index: index})
		a := access(len(p.Buffers)-1, 0, 0, 1)
		if splat {
			a.Strides = []int{0, 0}
		}
		step.Operands = append(step.Operands, a)
	}
	for i, in := range k.In {
		add(plan.ParamBuffer, in.DType, in.Splat, i)
	}
	for o, r := range k.Out {
		add(plan.ResultBuffer, k.DType(r), false, o)
	}
	p.Steps = []plan.FlatStep{step}
	l := &Linked{exec: &Executor{}}
	require.NoError(t, l.linkBuffers(p.Buffers, p.Arena))
	_, _, err := l.checkStep(&p.Steps[0], &p.Steps[0])
	require.NoError(t, err)
	kern, order := k.Canonical()
	c, err := coverStep(l.newStep(&p.Steps[0], kern, order, 0), finder{lookup: lookup, engines: engines}, l.buffers)
	require.NoError(t, err)
	var sigs []string
	for j := range c.pieces {
		r := kernel.Ref(len(k.In) + j)
		taken := func(i coverInst) bool { return i.value == r }
		if slices.ContainsFunc(c.rows, taken) || slices.ContainsFunc(c.insts, taken) {
			sigs = append(sigs, c.pieces[j].part.sig)
		}
	}
	require.LessOrEqual(t, len(sigs), c.count()) // there are copies
	return sigs
}

func TestFewestKernels(t *testing.T) {
	bodies := []struct {
		name, body string
		want       []string // the operations of each kernel
	}{
		{"chain of five", fiveOps().String(), []string{"mul add", "mul", "abs add", "div sub"}},
		{"the second argument", "kernel (u0:f32, u1:f32) { t0 = neg u0; t1 = exp t0; t2 = mul u0 u1; t3 = add t1 t2; store t3 }",
			[]string{"neg", "exp", "mul add"}},
		{"a longer branch", "kernel (u0:f32, u1:f32, u2:f32) { t0 = mul u0 u1; t1 = sub u0 u2; t2 = mul t1 u1; t3 = add t0 t2; store t3 }",
			[]string{"sub mul", "mul add"}},
		{"a slow operation", "kernel (u0:f32, u1:f32, u2:f32) { t0 = mul u0 u1; t1 = div u0 u2; t2 = sub t0 t1; store t2 }", []string{"mul", "div sub"}},
		{"a slow operation, first", "kernel (u0:f32, u1:f32, u2:f32) { t0 = div u0 u1; t1 = mul u0 u2; t2 = sub t0 t1; store t2 }", []string{"div sub", "mul"}},
		{"twice in one", "kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = add t0 t0; store t1 }", []string{"mul", "add"}},
		{"read twice", "kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = add t0 u0; t2 = add t0 u1; store t1 t2 }",
			[]string{"mul", "add", "add"}},
		{"stored", "kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = add t0 u0; store t0 t1 }", []string{"mul", "add"}},
		{"one a row", "kernel (u0:f32, s1:f32, s2:f32) { t0 = mul s1 s2; t1 = add t0 u0; t2 = sub t1 s1; store t2 }",
			[]string{"mul", "add", "sub"}},
		{"constants", "kernel (u0:f64) { t0 = const:f64:3ff0000000000000; t1 = mul u0 t0; t2 = add t1 t0; store t2 }", []string{"mul add"}},
		{"equal operands", "kernel (u0:f64) { t0 = mul u0 u0; t1 = sub u0 t0; store t1 }", []string{"mul sub"}},
	}
	for _, b := range bodies {
		for _, on := range []abi.Engine{abi.Portable, abi.AVX2} {
			t.Run(b.name, func(t *testing.T) {
				if on == abi.AVX2 && !abi.HasAVX2() {
					t.Skip("no AVX2")
				}
				k, err := kernel.ParseKernel(b.body)
				require.NoError(t, err)
				got := []string{}
				for _, sig := range coverSigs(t, k, abi.Lookup, on) {
					got = append(got, opsOf(t, sig))
				}
				require.ElementsMatch(t, b.want, got)
			})
		}
	}
}

func opsOf(t *testing.T, sig string) string {
	k := rowsOf(sig)
	names := []string{}
	for _, in := range k.Body {
		names = append(names, in.Op.String())
	}
	return strings.Join(names, " ")
}

// The built-in kernels of several operations are no longer than what is looked for.
func TestLongestPiece(t *testing.T) {
	abi.Lookup(abi.Portable, "") // indexes them
	longest := 0
	for sig := range abi.Registry.Known[abi.Portable] {
		k := rowsOf(sig)
		if k == nil {
			continue
		}
		byName := len(k.Body) == manyRows || strings.Contains(sig, "s1:f64") || len(k.Out) > 1 || // folds down, scans
			strings.Contains(sig, "mul s0 s1") || strings.Contains(sig, "rsqrt") || // norms, with what a cover computes once a row
			strings.Contains(sig, "mul s2 s3") // where the chunk of an element begins
		if !byName {
			longest = max(longest, len(k.Body))
		}
	}
	require.Equal(t, maxPiece, longest)
}

// A kernel of several operations that only the lesser engine has is not taken.
func TestPieceOfLesserEngine(t *testing.T) {
	lookup := func(on abi.Engine, sig string) (func(*abi.Frame), bool) {
		if on == abi.AVX2 && strings.Count(sig, "=") > 1 {
			return nil, false
		}
		return abi.Lookup(abi.Portable, sig)
	}
	require.Len(t, coverSigs(t, fiveOps(), lookup, abi.AVX2, abi.Portable), 7)
	require.Len(t, coverSigs(t, fiveOps(), lookup, abi.Portable), 4)
}

// The choice is the best there is: no way to pair instructions leaves fewer kernels.
func TestFewestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, _ := randomFormula(t).Canonical()
		has := map[string]bool{}
		lookup := func(_ abi.Engine, sig string) (func(*abi.Frame), bool) {
			if strings.Count(sig, "=") == 1 {
				return func(*abi.Frame) {}, true
			}
			if _, ok := has[sig]; !ok {
				has[sig] = rapid.Bool().Draw(t, sig)
			}
			return func(*abi.Frame) {}, has[sig]
		}
		got := len(coverSigs(t, body, lookup, abi.Portable))
		require.Equal(t, fewest(t, body, lookup), got, "%s", body)
	})
}

// fewest counts the kernels of the best cover by trying all.
func fewest(t require.TestingT, k *kernel.Kernel, lookup func(abi.Engine, string) (func(*abi.Frame), bool)) int {
	ins := len(k.In)
	splat := func(r kernel.Ref) bool { return k.Inst(r) == nil && k.In[r].Splat }
	var hoisted []bool
	uses := make([]int, ins+len(k.Body))
	for _, in := range k.Body {
		all := true
		for i, a := range in.Args[:in.Arity()] {
			all = all && (splat(a) || int(a) >= ins && hoisted[int(a)-ins])
			if i == 0 || a != in.Args[0] {
				uses[a]++ // instructions that read it
			}
		}
		hoisted = append(hoisted, all)
	}
	for _, r := range k.Out {
		uses[r] += 2
	}
	type edge struct{ outer, inner int }
	var edges []edge
	for j, in := range k.Body {
		for i, a := range in.Args[:in.Arity()] {
			inner := int(a) - ins
			if inner < 0 || uses[a] != 1 || hoisted[inner] || hoisted[j] || i == 1 && a == in.Args[0] {
				continue
			}
			pair := &kernel.Kernel{}
			operand := func(r kernel.Ref) kernel.Ref {
				o := kernel.Operand{DType: k.DType(r), Splat: splat(r) || int(r) >= ins && hoisted[int(r)-ins]}
				pair.In = append(pair.In, o)
				return kernel.Ref(len(pair.In) - 1)
			}
			first, second := k.Body[inner], in
			for i, a := range first.Args[:first.Arity()] {
				first.Args[i] = operand(a)
			}
			for i, b := range in.Args[:in.Arity()] {
				second.Args[i] = -1
				if b != a {
					second.Args[i] = operand(b)
				}
			}
			for i := range in.Arity() {
				if second.Args[i] < 0 {
					second.Args[i] = kernel.Ref(len(pair.In))
				}
			}
			pair.Body = []kernel.Inst{first, second}
			pair.Out = []kernel.Ref{kernel.Ref(len(pair.In) + 1)}
			require.NoError(t, pair.Verify())
			canon, _ := pair.Canonical()
			if _, ok := lookup(abi.Portable, kernel.CodeOf(canon).Signature()); ok {
				edges = append(edges, edge{j, inner})
			}
		}
	}
	var most func(edges []edge, taken int) int
	most = func(edges []edge, taken int) int {
		if len(edges) == 0 {
			return 0
		}
		e, n := edges[0], most(edges[1:], taken)
		if both := 1<<e.outer | 1<<e.inner; taken&both == 0 {
			n = max(n, 1+most(edges[1:], taken|both))
		}
		return n
	}
	return len(k.Body) - most(edges, 0)
}
