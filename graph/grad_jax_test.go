package graph_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// jaxArray, jaxOp and jaxProgram are what testdata/grad_cases.py writes.
type jaxArray struct {
	Shape []int
	Data  []float64
}

type jaxOp struct {
	Op   string
	Args []int
	A    struct {
		Axis, Begin, Step, Before, After, Shift, Size, Stride int
		At                                                    []int64
		Mode                                                  string
	}
}

type jaxProgram struct {
	Inputs, Grads []jaxArray
	Ops           []jaxOp
}

// positive returns a positive number for any x.
func positive(x graph.Node) graph.Node { return x.Square().Add(0.5) }

// jaxOps has the ops that are more than a method of their first operands, or than a reduction along an axis.
var jaxOps = map[string]func(o jaxOp, x []graph.Node) graph.Node{
	"Sqrt": ofPositive, "Log": ofPositive, "Log2": ofPositive, "Log1p": ofPositive, "Rsqrt": ofPositive, "Reciprocal": ofPositive, "Cbrt": ofPositive,
	"Div": byPositive, "Atan2": byPositive, "Hypot": byPositive,
	"Abs":         func(_ jaxOp, x []graph.Node) graph.Node { return x[0].Add(0.37).Abs() },
	"Norm2":       func(o jaxOp, x []graph.Node) graph.Node { return x[0].Add(3).Norm2(o.A.Axis) },
	"Standardize": func(o jaxOp, x []graph.Node) graph.Node { return x[0].Standardize(1e-3, o.A.Axis) },
	"Where":       func(_ jaxOp, x []graph.Node) graph.Node { return graph.Where(x[0].Gt(0), x[0], x[1]) },
	"Clip":        func(_ jaxOp, x []graph.Node) graph.Node { return x[0].Clip(-1, 1) },
	"Reshape":     func(_ jaxOp, x []graph.Node) graph.Node { return x[0].Reshape(-1) },
	"Slice": func(o jaxOp, x []graph.Node) graph.Node {
		return x[0].SliceAxis(o.A.Axis, o.A.Begin, math.MaxInt, o.A.Step)
	},
	"Concat": func(o jaxOp, x []graph.Node) graph.Node { return graph.Concat(o.A.Axis, x[0], x[1], x[0]) },
	"Pad": func(o jaxOp, x []graph.Node) graph.Node {
		mode := map[string]graph.PadMode{"constant": graph.PadConstant, "edge": graph.PadEdge, "wrap": graph.PadWrap}[o.A.Mode]
		return x[0].Pad(slices.Repeat([]int{o.A.Before}, x[0].Rank()), slices.Repeat([]int{o.A.After}, x[0].Rank()), mode)
	},
	"Take": func(o jaxOp, x []graph.Node) graph.Node { return x[0].Take(o.A.Axis, graph.Of(o.A.At)) },
	"Roll": func(o jaxOp, x []graph.Node) graph.Node { return x[0].Roll(o.A.Axis, o.A.Shift) },
	"Conv": func(o jaxOp, x []graph.Node) graph.Node {
		channels, _ := x[0].Shape()[0].Int()
		w := x[1].Unsqueeze(1).SliceAxis(2, 0, o.A.Size, 1).Repeat(1, channels)
		return x[0].Unsqueeze(0).Conv(w, graph.ConvOptions{Strides: []int{o.A.Stride}, Before: []int{1}, After: []int{1}}).Squeeze(0)
	},
}

func ofPositive(o jaxOp, x []graph.Node) graph.Node { return jaxMethod(o, positive(x[0])) }

func byPositive(o jaxOp, x []graph.Node) graph.Node { return jaxMethod(o, x[0], positive(x[1])) }

// jaxMethod calls the method of an op with the operands, or with the axis.
func jaxMethod(o jaxOp, x ...graph.Node) graph.Node {
	m := reflect.ValueOf(x[0]).MethodByName(o.Op)
	in := []reflect.Value{}
	switch typ := m.Type(); {
	case len(x) > 1:
		in = append(in, reflect.ValueOf(x[1]))
	case typ.NumIn() > 0 && o.Op != "Transpose":
		in = append(in, reflect.ValueOf(o.A.Axis))
	}
	return m.Call(in)[0].Interface().(graph.Node)
}

// TestGradBesideJAX compares gradients of random programs with those that JAX computed, in a file that
// testdata/grad_cases.py writes. STRIDEFUSE_GRAD_CASES is its name.
func TestGradBesideJAX(t *testing.T) {
	name := os.Getenv("STRIDEFUSE_GRAD_CASES")
	if name == "" {
		t.Skip("STRIDEFUSE_GRAD_CASES names no file: see testdata/grad_cases.py")
	}
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	count, worst := 0, 0.0
	for ; lines.Scan(); count++ {
		var c jaxProgram
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		var values []graph.Node
		var inputs []*graph.Tensor
		for i, in := range c.Inputs {
			values = append(values, graph.Input("x"+string(rune('0'+i)), graph.Float64, in.Shape))
			inputs = append(inputs, graph.Of(in.Data, in.Shape...))
		}
		xs := slices.Clone(values)
		for _, o := range c.Ops {
			var args []graph.Node
			for _, a := range o.Args {
				args = append(args, values[a])
			}
			apply := jaxOps[o.Op]
			if apply == nil {
				apply = func(o jaxOp, x []graph.Node) graph.Node { return jaxMethod(o, x...) }
			}
			values = append(values, apply(o, args))
		}
		p, err := graph.Compile(graph.Grad(values[len(values)-1], xs...), graph.WithInputs(xs...))
		require.NoError(t, err, lines.Text())
		outs, err := p.RunAll(t.Context(), inputs...)
		require.NoError(t, err, lines.Text())
		for i, want := range c.Grads {
			got, err := graph.Data[float64](outs[i])
			require.NoError(t, err)
			for k, w := range want.Data {
				err := math.Abs(got[k]-w) / (1 + math.Abs(w))
				require.LessOrEqual(t, err, 1e-9, "element %d of gradient %d is %v, JAX has %v\n%s", k, i, got[k], w, lines.Text())
				worst = max(worst, err)
			}
		}
	}
	require.NoError(t, lines.Err())
	t.Logf("%d programs, greatest error %.2g", count, worst)
}
