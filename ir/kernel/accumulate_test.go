package kernel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

func TestAccumulate(t *testing.T) {
	never, always := func(int) bool { return false }, func(int) bool { return true }
	second := func(i int) bool { return i == 1 }
	for _, c := range []struct {
		body    string
		combine []ir.Op
		rows    int
		repeats func(int) bool
		want    string
		from    []kernel.Source
	}{
		{"kernel (u0:f32) { store u0 }", []ir.Op{ir.OpAdd}, 1, never,
			"kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }", []kernel.Source{{1, 0}, {0, 0}}},
		{"kernel (u0:f32) { store u0 }", []ir.Op{ir.OpAdd}, 3, never,
			"kernel (u0:f32, u1:f32, u2:f32, u3:f32) { t0 = add u0 u1; t1 = add t0 u2; t2 = add t1 u3; store t2 }", nil},
		{"kernel (u0:f32, s1:f32) { t0 = mul u0 s1; store t0 t0 }", []ir.Op{ir.OpInvalid, ir.OpMax}, 1, never,
			"kernel (u0:f32, s1:f32, u2:f32) { t0 = mul u0 s1; t1 = max t0 u2; store t0 t1 }", nil},
		{"kernel (u0:f32, u1:f32) { t0 = sub u0 u1; store t0 }", []ir.Op{ir.OpMin}, 2, second, "", nil},
		{"kernel (u0:f32, u1:f32) { t0 = sub u0 u1; store t0 t0 }", []ir.Op{ir.OpMin, ir.OpInvalid}, 2, always, "none", nil},
	} {
		code, err := kernel.ParseCode(c.body)
		require.NoError(t, err)
		body := code.(*kernel.Kernel)
		k, from := body.Accumulate(c.combine, c.rows, c.repeats)
		if c.want == "none" {
			require.Nil(t, k)
			continue
		}
		require.NoError(t, k.Verify())
		if c.want != "" {
			want, err := kernel.ParseCode(c.want)
			require.NoError(t, err)
			canon, _ := want.(*kernel.Kernel).Canonical()
			require.Equal(t, canon.Signature(), k.Signature())
		}
		if c.from != nil {
			require.Equal(t, c.from, from)
		}
		requireAccumulates(t, body, c.combine, c.rows, c.repeats, k, from)
	}
	for _, op := range []string{"add", "mul", "min", "max"} { // the built-in ones
		for _, d := range []string{"f32", "f64"} {
			text := strings.NewReplacer("BY", op, "T", d).Replace("kernel (u0:T, u1:T, u2:T, u3:T, u4:T) { t0 = BY u0 u1; t1 = BY t0 u2; t2 = BY t1 u3; t3 = BY t2 u4; store t3 }")
			want, err := kernel.ParseCode(text)
			require.NoError(t, err)
			canon, _ := want.(*kernel.Kernel).Canonical()
			in := canon.Body[0]
			b := kernel.NewBuilder(kernel.Operand{DType: in.DType})
			b.Store(0)
			k, _ := b.Kernel().Accumulate([]ir.Op{in.Op}, 4, never)
			require.Equal(t, canon.Signature(), k.Signature())
		}
	}
	wide := make([]kernel.Operand, kernel.MaxPointers-1)
	for i := range wide {
		wide[i].DType = ir.Float32
	}
	b := kernel.NewBuilder(wide...)
	sum := kernel.Ref(0)
	for i := range wide {
		sum = b.Op(ir.OpMul, sum, kernel.Ref(i))
	}
	b.Store(sum)
	k, _ := b.Kernel().Accumulate([]ir.Op{ir.OpAdd}, 1, never)
	require.Nil(t, k, "there are too many operands")
}

// requireAccumulates compares a kernel with the body, evaluated row after row.
func requireAccumulates(t *testing.T, body *kernel.Kernel, combine []ir.Op, rows int, repeats func(int) bool, k *kernel.Kernel, from []kernel.Source) {
	element := func(s kernel.Source) uint64 {
		if s.In < len(body.In) && repeats(s.In) {
			s.Row = 0
		}
		return ir.FromFloat(ir.Float32, 1.5+float64(7*s.In)-float64(3*s.Row))
	}
	acc := make([]uint64, len(combine))
	for o := range acc {
		acc[o] = element(kernel.Source{In: len(body.In) + o})
	}
	for r := range rows {
		var in []uint64
		for i := range body.In {
			in = append(in, element(kernel.Source{In: i, Row: r}))
		}
		for o, v := range body.Eval(in) {
			if op := combine[o]; op == ir.OpInvalid {
				acc[o] = v
			} else {
				acc[o] = op.Info().Ref(ir.Float32, ir.Float32, [3]uint64{acc[o], v})
			}
		}
	}
	var in []uint64
	for _, s := range from {
		in = append(in, element(s))
	}
	require.Equal(t, acc, k.Eval(in))
}
