package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestCanonical checks that the signature of a kernel depends on what it
// computes alone: not on the order of its operands and instructions, nor on
// that of commuting arguments; and that order says where operands went.
func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t)
		canon, order := k.Canonical()
		require.NoError(t, canon.Verify())
		require.Len(t, canon.In, len(order))
		for i, from := range order {
			require.Equal(t, k.In[from], canon.In[i])
		}
		again, err := kernel.ParseKernel(canon.Signature())
		require.NoError(t, err)
		twice, same := again.Canonical()
		require.Equal(t, canon.Signature(), twice.Signature(), "canonical twice")
		require.True(t, slices.IsSorted(same), "canonical operands stay in order")
		requireSameValues(t, k, canon, order)

		clear(order) // callers own it
		kept, sameOrder := k.Canonical()
		require.Equal(t, canon.Signature(), kept.Signature())
		for i, from := range sameOrder {
			require.Equal(t, k.In[from], canon.In[i])
		}

		shuffled := shuffle(rapidOrder{t}, k)
		other, otherOrder := shuffled.Canonical()
		require.Equal(t, canon.Signature(), other.Signature(), "%s\n%s", k, shuffled)
		requireSameValues(t, shuffled, other, otherOrder)
	})
}

// requireSameValues checks that a kernel and its canonical form compute the
// same elements, all NaNs being equal.
func requireSameValues(t *rapid.T, k, canon *kernel.Kernel, order []int) {
	in := make([]uint64, len(k.In))
	for i, o := range k.In {
		in[i] = irtest.Element(t, o.DType)
	}
	permuted := make([]uint64, len(order))
	for i, from := range order {
		permuted[i] = in[from]
	}
	want, got := elementary.Expand(k).Eval(in), elementary.Expand(canon).Eval(permuted)
	if bitcasts(k) {
		return // shows which NaN it was, and commuting may choose another
	}
	for i, r := range k.Out {
		array := func(bits uint64) []eval.Array { return []eval.Array{{DType: k.DType(r), Data: []uint64{bits}}} }
		require.Empty(t, irtest.Diff(array(want[i]), array(got[i])))
	}
}

func bitcasts(k *kernel.Kernel) bool {
	return slices.ContainsFunc(k.Body, func(in kernel.Inst) bool { return in.Op == ir.OpBitcast })
}

// order makes the choices of shuffle.
type order interface {
	Perm(n int) []int
	IntN(n int) int
}

// rapidOrder lets rapid choose.
type rapidOrder struct{ t *rapid.T }

func (o rapidOrder) Perm(n int) []int { return rapid.Permutation(numbers(n)).Draw(o.t, "operands") }
func (o rapidOrder) IntN(n int) int   { return rapid.IntRange(0, n-1).Draw(o.t, "choice") }

// shuffle returns k with operands and instructions in another order, some
// commuting arguments exchanged and some instructions repeated.
func shuffle(o order, k *kernel.Kernel) *kernel.Kernel {
	n := len(k.In)
	at := make([]kernel.Ref, n+len(k.Body))
	placed := make([]bool, len(at))
	out := &kernel.Kernel{In: make([]kernel.Operand, n)}
	for to, from := range o.Perm(n) {
		out.In[to], at[from], placed[from] = k.In[from], kernel.Ref(to), true
	}
	place := func(j int) {
		in := k.Body[j]
		for i := range in.Arity() {
			in.Args[i] = at[in.Args[i]]
		}
		if in.Op.Info().Commutative && o.IntN(2) == 1 {
			in.Args[0], in.Args[1] = in.Args[1], in.Args[0]
		}
		at[n+j], placed[n+j] = kernel.Ref(n+len(out.Body)), true
		out.Body = append(out.Body, in)
	}
	for slices.Contains(placed, false) {
		ready, done := []int{}, []int{}
		for j, in := range k.Body {
			unknown := func(a kernel.Ref) bool { return !placed[a] }
			if placed[n+j] {
				done = append(done, j)
			} else if !slices.ContainsFunc(in.Args[:in.Arity()], unknown) {
				ready = append(ready, j)
			}
		}
		if len(done) > 0 && o.IntN(8) == 0 {
			place(done[o.IntN(len(done))]) // readers from here on read the repetition
			continue
		}
		place(ready[o.IntN(len(ready))])
	}
	for _, r := range k.Out {
		out.Out = append(out.Out, at[r])
	}
	return out
}

func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestCanonicalTies holds bodies of few ops on operands of one type and class,
// where much looks alike, against shuffles of themselves.
func TestCanonicalTies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ops := []ir.Op{ir.OpAdd, ir.OpMul, ir.OpSub, ir.OpMax, ir.OpNeg}
	const bodies = 20_000
	differ := 0
	for range bodies {
		k := &kernel.Kernel{In: make([]kernel.Operand, 1+r.IntN(6))}
		for i := range k.In {
			k.In[i].DType = ir.Float32
		}
		some := ops[:1+r.IntN(len(ops))]
		for range 1 + r.IntN(12) {
			in := kernel.Inst{Op: some[r.IntN(len(some))], DType: ir.Float32}
			for i := range in.Arity() {
				in.Args[i] = kernel.Ref(r.IntN(len(k.In) + len(k.Body)))
			}
			k.Body = append(k.Body, in)
		}
		for range 1 + r.IntN(2) {
			k.Out = append(k.Out, kernel.Ref(len(k.In)+r.IntN(len(k.Body))))
		}
		want, _ := k.Canonical()
		for range 4 {
			got, _ := shuffle(r, k).Canonical()
			if got.Signature() != want.Signature() {
				differ++
				t.Logf("%s\n%s\n%s", k, want.Signature(), got.Signature())
				break
			}
		}
	}
	require.Zero(t, differ, "of %d", bodies)
}

func TestCanonicalForms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{ // the second reader of a tie follows the first
			"kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = add u1 u0; t2 = sub t0 t1; store t2 }",
			"kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = add u0 u1; t2 = sub t0 t1; store t2 }",
		}, { // repetitions go
			"kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = mul u1 u0; t2 = neg t0; t3 = neg t1; t4 = sub t2 t3; store t4 }",
			"kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = neg t0; t2 = sub t1 t1; store t2 }",
		}, { // a choice between products decides the sums, which pair them up
			"kernel (u0:f32, u1:f32, u2:f32, u3:f32) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = add t0 t1; t3 = max u3 u0; t4 = max u1 u2; t5 = mul t3 t4; t6 = sub t2 t5; store t6 }",
			"kernel (u0:f32, u1:f32, u2:f32, u3:f32) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = add t0 t1; t3 = max u0 u3; t4 = max u1 u2; t5 = mul t3 t4; t6 = sub t2 t5; store t6 }",
		},
	} {
		k, err := kernel.ParseKernel(c.text)
		require.NoError(t, err)
		got, _ := k.Canonical()
		r := rand.New(rand.NewPCG(3, 4))
		for range 50 {
			other, _ := shuffle(r, k).Canonical()
			require.Equal(t, got.Signature(), other.Signature())
		}
		require.Equal(t, c.want, got.Signature())
	}
}

// TestSignature checks that asking for the signature of any kernel does not
// make it canonical.
func TestSignature(t *testing.T) {
	k, err := kernel.ParseKernel("kernel (u0:f32, s1:f32) { t0 = neg s1; t1 = sub t0 u0; store t1 }")
	require.NoError(t, err)
	require.Equal(t, k.String(), k.Signature())
	canon, order := k.Canonical()
	require.Equal(t, []int{1, 0}, order)
	require.Equal(t, "kernel (s0:f32, u1:f32) { t0 = neg s0; t1 = sub t0 u1; store t1 }", canon.Signature())
}

func BenchmarkCanonical(b *testing.B) {
	for name, body := range map[string]string{
		"7 ops":  "(u0:f32, s1:f32, u2:f32, s3:f32) { t0 = sub u0 s1; t1 = mul t0 t0; t2 = add t1 u2; t3 = sqrt t2; t4 = div t0 t3; t5 = mul t4 s3; t6 = tanh t5; store t6 }",
		"7 ties": "(u0:f32, u1:f32, u2:f32, u3:f32) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = add t0 t1; t3 = add u0 u1; t4 = add u2 u3; t5 = mul t3 t4; t6 = sub t2 t5; store t6 }",
		"1 op":   "(u0:f32, u1:f32) { t0 = add u0 u1; store t0 }",
	} {
		k, err := kernel.ParseKernel("kernel " + body)
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.Canonical()
			}
		})
	}
}

// TestKeptFormsStay: kernels that are made twice have one order of operands.
func TestKeptFormsStay(t *testing.T) {
	for _, carries := range []bool{false, true} {
		first, order := kernel.RowsKernel(ir.OpAdd, ir.Float32, carries)
		want := slices.Clone(order)
		again, order := kernel.RowsKernel(ir.OpAdd, ir.Float32, carries)
		require.Equal(t, want, order)
		require.Same(t, first, again)
	}
}
