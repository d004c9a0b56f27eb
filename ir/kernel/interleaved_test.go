package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

func TestInterleavedText(t *testing.T) {
	for _, text := range []string{
		"kernel ((u0 u1):f32, s2:f32) { t0 = mul u0 s2; t1 = mul u1 s2; store (t0 t1) }",
		"kernel (u0:f32, (u1 u2 u3):u8) { t0 = cast:f32 u2; t1 = add t0 u0; store t1 }",
		"kernel ((u0 u1 u2 u3):f64) { store u0 (u3 u2 u1) u2 }",
	} {
		k, err := kernel.ParseKernel(text)
		require.NoError(t, err, text)
		require.Equal(t, text, k.String())
		irtest.RequireInGrammar(t, text)
	}
	for text, want := range map[string]string{
		"kernel ((u0):f32) { store u0 }":                                  "operand 0 is not the next member of an interleave group",
		"kernel ((u0 s1):f32) { store u0 }":                               "operand 1 cannot be interleaved",
		"kernel ((u0 u1):f16) { store u0 }":                               "operand 0 cannot be interleaved: a splat, or of float16",
		"kernel ((u0 u2):f32) { store u0 }":                               "operand u2, want u1 or s1",
		"kernel ((u0 u1 u2 u3 u4):f32) { store u0 }":                      "more than 4 members of an interleave group",
		"kernel (u0:f32) { store (u0) }":                                  "operand 1 is not the next member of an interleave group",
		"kernel (u0:f32, u1:i32) { store (u0 u1) }":                       "operand 3 cannot be interleaved",
		"kernel (u0:f32) { store (u0 u0 }":                                "want a value",
		"reduce [add] kernel ((u0 u1):f32) { t0 = mul u0 u1; store t0 }":  "reduce takes no interleaved operands",
		"reduce [add] kernel (u0:f32, u1:f32) { store u0 (u1 u0) }":       "reduce takes no interleaved operands",
		"reduce_columns add kernel ((u0 u1):f32) { t0 = mul u0 u1; store": "want a value",
	} {
		_, err := kernel.ParseCode(text)
		require.ErrorContains(t, err, want, text)
	}
}

// TestInterleavedArgs checks what arguments a call has, and its meaning.
func TestInterleavedArgs(t *testing.T) {
	k, err := kernel.ParseKernel("kernel (s0:i32, (u1 u2 u3):i32, u4:i32) { t0 = sub u1 u3; t1 = mul t0 s0; store u4 (t1 u2) }")
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 1, 1, 2, 3, 4, 4}, k.ArgsOf())
	require.Equal(t, 4, k.Pointers())
	var each []int
	args := k.Args()
	for i := range args {
		each = append(each, args[i].Each())
	}
	require.Equal(t, []int{1, 3, 1, 1, 2}, each)
	b := &blockOfInts{cols: 2, args: [][]uint64{{10}, {7, 8, 2, 100, 50, 40}, {1, 2}, make([]uint64, 2), make([]uint64, 4)}}
	kernel.ReferenceOf(k, elementary.Expand)(ir.Defined, b)
	require.Equal(t, [][]uint64{{1, 2}, {50, 8, 600, 50}}, b.args[3:])
}

// blockOfInts is one row.
type blockOfInts struct {
	cols int
	args [][]uint64
}

func (b *blockOfInts) Rows() int                          { return 1 }
func (b *blockOfInts) Cols() int                          { return b.cols }
func (b *blockOfInts) Field(int) int                      { return 0 }
func (b *blockOfInts) Get(arg, _, inner int) uint64       { return b.args[arg][inner] }
func (b *blockOfInts) Set(arg, _, inner int, bits uint64) { b.args[arg][inner] = bits }

// TestInterleave checks that a body has one signature with interleaved operands, whatever the order of its operands.
func TestInterleave(t *testing.T) {
	k, err := kernel.ParseKernel("kernel (u0:f32, u1:f32, u2:f32, u3:f32, u4:f32) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = sub t0 t1; t3 = mul u0 u2; t4 = mul u1 u3; t5 = add t3 t4; t6 = mul t5 u4; store t2 t6 }")
	require.NoError(t, err)
	groups := [][]int{{0, 3}, {1, 2}, {-1, 4, -1}, {5, 6}}
	const want = "kernel ((u0 u1):f32, (u2 u3):f32, (u4 u5 u6):f32) { t0 = mul u0 u2; t1 = mul u1 u3; t2 = sub t0 t1; t3 = mul u0 u3; t4 = mul u1 u2; t5 = add t3 t4; t6 = mul t5 u5; store (t2 t6) }"
	form, _ := k.Interleave(groups...)
	text := form.Signature()
	again, err := kernel.ParseKernel(text)
	require.NoError(t, err)
	again, order := again.Canonical()
	require.Equal(t, text, again.Signature())
	require.Len(t, order, 7)
	other, err := kernel.ParseKernel(want)
	require.NoError(t, err)
	other, _ = other.Canonical()
	require.Equal(t, text, other.Signature())
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		perm := rng.Perm(5)
		in := make([]kernel.Ref, 5) // where operand i is
		for to, from := range perm {
			in[from] = kernel.Ref(to)
		}
		b := kernel.NewBuilder(k.In...)
		value := append([]kernel.Ref(nil), in...)
		for _, inst := range k.Body {
			x, y := value[inst.Args[0]], value[inst.Args[1]]
			if inst.Op.Info().Commutative && rng.IntN(2) == 0 {
				x, y = y, x
			}
			value = append(value, b.Op(inst.Op, x, y))
		}
		for _, r := range k.Out {
			b.Store(value[r])
		}
		var moved [][]int
		for _, group := range groups[:3] {
			var a []int
			for _, i := range group {
				if i >= 0 {
					i = int(in[i])
				}
				a = append(a, i)
			}
			moved = append(moved, a)
		}
		rng.Shuffle(3, func(i, j int) { moved[i], moved[j] = moved[j], moved[i] })
		got, order := b.Kernel().Interleave(append(moved, groups[3])...)
		require.Equal(t, text, got.Signature())
		for i, from := range order { // the members of each group are those given
			c := got.In[i].Member
			require.True(t, slices.ContainsFunc(moved, func(a []int) bool { return len(a) == int(c.Of) && a[c.At] == from }))
		}
	}
}
