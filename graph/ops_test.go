package graph_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// otherwise lists how a user reaches ops that no method is named after.
var otherwise = map[ir.Op]string{
	ir.OpParam:  "Input and Const",
	ir.OpConst:  "Scalar, and Go numbers as operands",
	ir.OpSelect: "Where",
	ir.OpIota:   "Iota",
	ir.OpConcat: "Concat; Stack, Roll and Pad are made of it",
	ir.OpExtent: "Mean and others divide by it",

	ir.OpWindowQuantile: "Rolling's Quantile and Median",
	ir.OpNth:            "Quantile, Median and others",
}

// TestEveryOpHasAMethod builds each op of the table by the method of its name.
func TestEveryOpHasAMethod(t *testing.T) {
	for _, op := range ir.Ops() {
		method := methodOf(reflect.ValueOf(graph.Node{}), op)
		if op.Info().Internal || otherwise[op] != "" {
			require.False(t, method.IsValid(), "%s has a method now", op)
			continue
		}
		require.True(t, method.IsValid(), "%s has no method", op)
		if !op.IsElementwise() {
			continue
		}
		dt := op.Info().Domain.List()[0]
		x := graph.Input("x", dt, 2)
		args := make([]reflect.Value, method.Type().NumIn())
		for i := range args {
			args[i] = reflect.ValueOf(x)
			if method.Type().In(i) == reflect.TypeFor[graph.DType]() {
				args[i] = reflect.ValueOf(dt)
			}
		}
		if op == ir.OpBitcast {
			x = graph.Input("x", graph.Int32, 2)
			args[0] = reflect.ValueOf(graph.Float32)
		}
		y := methodOf(reflect.ValueOf(x), op).Call(args)[0].Interface().(graph.Node)
		require.NoError(t, y.Err(), op.String())
		require.True(t, strings.HasPrefix(y.String(), op.Method()+": "), y.String())
	}
}

func TestGoNumbers(t *testing.T) {
	type duration int64 // a named type counts as its underlying type
	i, f := graph.Input("i", graph.Int32, 3), f32("f", 3)
	u, b := graph.Input("u", graph.Uint32, 3), graph.Input("b", graph.Bool, 3)
	d := graph.Input("d", graph.Float64, 3)
	for _, x := range []graph.Node{
		i.Add(1), i.Add(int8(-1)), i.Add(uint64(7)), i.Add(2.0), i.Add(float32(-3)), i.Add(duration(4)), i.Add(math.MinInt32),
		f.Add(1), f.Add(0.1), f.Add(math.Inf(1)), f.Add(math.NaN()), f.Add(1<<24 + 1), f.Add(math.MaxFloat32),
		u.Add(uint32(math.MaxUint32)), u.Shl(31), b.And(true), b.Eq(false), d.Add(1e300), d.Add(uint64(math.MaxUint64)),
		graph.Where(b, 1, f), graph.Where(b, f, 0), f.Clip(-1, 1), f.FMA(2, 0.5), f.Scalar(1).Sub(f), f.Scalar(1e-6),
	} {
		require.NoError(t, x.Err())
	}
	require.Equal(t, []int32{2147483647, -2147483648, -7}, ints(t, run(t, i.Sub(-8.0), graph.Of([]int32{2147483639, 2147483640, -15}))))
	got := run(t, f.Scalar(1).Sub(f.Mul(0.1)), graph.Of([]float32{0, 1, 10}))
	require.Equal(t, "float32[3] [1.  0.9 0. ]", strings.ReplaceAll(got.String(), "\n", " "))
}

// TestBroadcast compares broadcasting with NumPy's documented rule.
func TestBroadcast(t *testing.T) {
	n := graph.Dim("n")
	dims := func(d ...any) []any { return d }
	for _, c := range []struct {
		a, b []any
		want string // "" for shapes that do not broadcast
	}{
		{dims(), dims(), "[]"},
		{dims(3), dims(), "[3]"},
		{dims(2, 1, 2), dims(3, 1, 4, 2), "[3,2,4,2]"},
		{dims(8, 1, 6, 1), dims(7, 1, 5), "[8,7,6,5]"},
		{dims(256, 256, 3), dims(3), "[256,256,3]"},
		{dims(1), dims(0), "[0]"},
		{dims(2, 0), dims(1, 1), "[2,0]"},
		{dims(n, 3), dims(1, 3), "[n,3]"},
		{dims(n, 3), dims(n, 1), "[n,3]"},
		{dims(n, 1), dims(n), "[n,n]"},
		{dims(n), dims(n.Add(n).Sub(n)), "[n]"},
		{dims(2, 1), dims(8, 4, 3), ""},
		{dims(3), dims(4), ""},
		{dims(0), dims(2), ""},
		{dims(n), dims(2), ""},
		{dims(n), dims(n.Add(graph.Dim("1"))), ""},
	} {
		for _, x := range []graph.Node{f32("a", c.a...).Add(f32("b", c.b...)), f32("b", c.b...).Add(f32("a", c.a...))} {
			if c.want == "" {
				require.ErrorContains(t, x.Err(), "do not broadcast")
			} else {
				require.Equal(t, "add: float32"+c.want, x.String())
			}
		}
	}
}

func TestComposed(t *testing.T) {
	x := f32("x", 4)
	in := graph.Of([]float32{-1, 0, 0.5, float32(math.NaN())})
	require.Equal(t, "float32[4]\n[0.  0.  0.5 nan]", strings.ToLower(run(t, x.ReLU(), in).String()))
	require.Equal(t, "float32[4]\n[0.26894143 0.5        0.6224593         nan]", strings.ToLower(run(t, x.Sigmoid(), in).String()))
	require.Equal(t, "float32[4]\n[1.   2.   2.25  nan]", strings.ToLower(run(t, graph.Lerp(x, 4, 0.5), graph.Of([]float32{-2, 0, 0.5, float32(math.NaN())})).String()))
	bytes := graph.Input("b", graph.Uint8, 2)
	require.ErrorContains(t, bytes.Sigmoid().Err(), here()+": sigmoid: does not take uint8")
}
