package graph_test

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// jaxOp is an op of a program of testdata/grad_jax.txt.gz.
type jaxOp struct {
	name    string
	args    []int
	numbers []int
}

// jaxProgram is a line of testdata/grad_jax.txt.gz. testdata/grad_jax.py says what its parts are.
type jaxProgram struct {
	number int
	shapes [][]int
	ops    []jaxOp
	want   []float64 // two for each input
}

func parseJAX(t *testing.T, line string) (p jaxProgram) {
	ints := func(text, between string) (out []int) {
		for s := range strings.SplitSeq(text, between) {
			n, err := strconv.Atoi(s)
			require.NoError(t, err, line)
			out = append(out, n)
		}
		return out
	}
	parts := strings.Split(line, "|")
	require.Len(t, parts, 4, line)
	p.number = ints(parts[0], " ")[0]
	for s := range strings.FieldsSeq(parts[1]) {
		var shape []int
		if s != "-" {
			shape = ints(s, "x")
		}
		p.shapes = append(p.shapes, shape)
	}
	for s := range strings.FieldsSeq(parts[2]) {
		of := strings.Split(s, ":")
		o := jaxOp{name: of[0], args: ints(of[1], ",")}
		if len(of) > 2 {
			o.numbers = ints(of[2], ",")
		}
		p.ops = append(p.ops, o)
	}
	for s := range strings.FieldsSeq(parts[3]) {
		v, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err, line)
		p.want = append(p.want, v)
	}
	require.Len(t, p.want, 2*len(p.shapes), line)
	return p
}

// input returns input k of a program. Its elements are from -2 to 2.
func (p *jaxProgram) input(k int) *graph.Tensor {
	size := 1
	for _, d := range p.shapes[k] {
		size *= d
	}
	data := make([]float64, size)
	for i := range data {
		data[i] = float64(uint32(p.number*1000003+k*10007+i*7919+12345)*2654435761)/(1<<30) - 2
	}
	if len(p.shapes[k]) == 0 {
		return graph.ScalarOf(data[0])
	}
	return graph.Of(data, p.shapes[k]...)
}

func positive(x graph.Node) graph.Node { return x.Square().Add(0.5) } // greater than 0 for any x
func inside(x graph.Node) graph.Node   { return x.Sin().Mul(0.9) }    // from -0.9 to 0.9

// indices returns the numbers of an op from the one at from on, as indices.
func (o jaxOp) indices(from int) *graph.Tensor {
	at := make([]int64, 0, len(o.numbers))
	for _, n := range o.numbers[from:] {
		at = append(at, int64(n))
	}
	return graph.Of(at)
}

// jaxOps has the ops that are not a method of the first operand with the other operands and the numbers as arguments.
var jaxOps = map[string]func(o jaxOp, n []int, x []graph.Node) graph.Node{
	"Sqrt": ofPositive, "Log": ofPositive, "Log2": ofPositive, "Log10": ofPositive, "Log1p": ofPositive, "Rsqrt": ofPositive,
	"Reciprocal": ofPositive, "Cbrt": ofPositive, "Div": byPositive, "Atan2": byPositive, "Hypot": byPositive,
	"Asin": ofInside, "Acos": ofInside, "Atanh": ofInside, "Tan": ofInside,
	"Acosh":     func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return positive(x[0]).Add(1).Acosh() },
	"LeakyReLU": func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].LeakyReLU(0.1) },
	"ELU":       func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].ELU(0.7) },
	"CELU":      func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].CELU(0.7) },
	"Pow":       func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return positive(x[0]).Pow(1.7) },
	"Power":     func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return positive(x[0]).Pow(x[1]) },
	"Cube":      func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Pow(3) },
	"Clip":      func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Clip(-1, 1) },
	"Integers": func(_ jaxOp, _ []int, x []graph.Node) graph.Node {
		return x[0].Mul(x[0].Mul(3).Cast(graph.Int32).Cast(graph.Float64))
	},
	"Narrow":  func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Cast(graph.Float32).Cast(graph.Float64) },
	"Stopped": func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Mul(graph.StopGradient(x[0])) },
	"Where":   func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return graph.Where(x[0].Gt(0), x[0], x[1]) },
	"Guarded": func(_ jaxOp, _ []int, x []graph.Node) graph.Node {
		return graph.Where(x[0].Gt(x[1]), x[0].Mul(x[1]), x[0].Sub(x[1]))
	},
	"LogAddExp": func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return logAddExp(x[0], x[1]) },
	"Lerp":      func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return graph.Lerp(x[0], x[1], x[2]) },
	"Norm2":     func(_ jaxOp, n []int, x []graph.Node) graph.Node { return x[0].Add(3).Norm2(n[0]) },
	"Std": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		extent := x[0].Shape()[n[0]]
		return x[0].MoveAxis(n[0], -1).Add(graph.Iota(graph.Float64, extent)).Std(-1)
	},
	"Quantile":    func(_ jaxOp, n []int, x []graph.Node) graph.Node { return x[0].Quantile(0.3, n[0]) },
	"Standardize": func(_ jaxOp, n []int, x []graph.Node) graph.Node { return x[0].Standardize(1e-3, n[0]) },
	"Diff":        func(_ jaxOp, n []int, x []graph.Node) graph.Node { return x[0].Diff(n[0], 1) },
	"Reshape":     func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Reshape(-1) },
	"Halves":      func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Reshape(2, -1) },
	"Diagonal":    func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Diagonal(0, 0, 1) },
	"Tril":        func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return x[0].Tril(0) },
	"Slice": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		end := math.MaxInt
		if n[2] < 0 {
			end = math.MinInt
		}
		return x[0].SliceAxis(n[0], n[1], end, n[2])
	},
	"Concat": func(_ jaxOp, n []int, x []graph.Node) graph.Node { return graph.Concat(n[0], x[0], x[1], x[0]) },
	"Stack":  func(_ jaxOp, n []int, x []graph.Node) graph.Node { return graph.Stack(n[0], x[0], x[1]) },
	"Pad": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		mode := []graph.PadMode{graph.PadConstant, graph.PadEdge, graph.PadWrap, graph.PadReflect}[n[2]]
		return x[0].Pad(slices.Repeat(n[:1], x[0].Rank()), slices.Repeat(n[1:2], x[0].Rank()), mode)
	},
	"Take": func(o jaxOp, n []int, x []graph.Node) graph.Node { return x[0].Take(n[0], o.indices(1)) },
	"Tile": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		reps := slices.Repeat([]int{1}, x[0].Rank())
		reps[n[0]] = n[1]
		return x[0].Tile(reps...)
	},
	"Broadcast":  func(_ jaxOp, n []int, x []graph.Node) graph.Node { return x[0].BroadcastTo(n[0], x[0].Shape()) },
	"Recurrence": func(_ jaxOp, n []int, x []graph.Node) graph.Node { return x[0].Recurrence(n[0], x[1].Tanh()) },
	"TakeAlong": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		return x[0].TakeAlong(n[0], x[0].Neg().ArgSort(n[0]))
	},
	"TopK": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		values, _ := x[0].TopK(n[0], n[1])
		return values
	},
	"ScatterAdd": scattered(graph.ScatterAdd), "ScatterSet": scattered(graph.ScatterSet), "ScatterMax": scattered(graph.ScatterMax),
	"ScatterMin": scattered(graph.ScatterMin), "ScatterMul": scattered(graph.ScatterMul),
	"SegmentSum": func(o jaxOp, n []int, x []graph.Node) graph.Node { return x[0].SegmentSum(o.indices(1), n[0]) },
	"SegmentMax": func(o jaxOp, n []int, x []graph.Node) graph.Node { return x[0].SegmentMax(o.indices(1), n[0]) },
	"Trace":      func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return graph.Einsum("ij,ji->i", x[0], x[1]) },
	"Gram":       func(_ jaxOp, _ []int, x []graph.Node) graph.Node { return graph.Einsum("ij,kj->ik", x[0], x[0]) },
	"Conv": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		channels, _ := x[0].Shape()[0].Int()
		o := graph.ConvOptions{Strides: n[:1], Dilations: n[1:2], Before: n[2:3], After: n[3:4]}
		return x[0].Unsqueeze(0).Conv(x[1].Unsqueeze(1).Repeat(1, channels), o).Squeeze(0)
	},
	"Depthwise": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		channels, _ := x[0].Shape()[0].Int()
		o := graph.ConvOptions{Strides: n[:1], Before: []int{1}, After: []int{1}, Groups: channels}
		return x[0].Unsqueeze(0).Conv(x[1].SliceAxis(0, 0, channels, 1).Unsqueeze(1), o).Squeeze(0)
	},
	"Conv2": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		pad := []int{n[1], n[1]}
		o := graph.ConvOptions{Strides: []int{n[0], n[0]}, Before: pad, After: pad}
		return x[0].Unsqueeze(0, 1).Conv(x[1].Unsqueeze(0, 1), o).Squeeze(0, 1)
	},
	"ConvTranspose": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		rows := x[1].Shape()[0]
		return x[0].SliceAxis(0, 0, rows, 1).Unsqueeze(0).ConvTranspose(x[1].Unsqueeze(1), graph.ConvOptions{Strides: n[:1]}).Squeeze(0)
	},
	"MaxPool": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		o := graph.PoolOptions{Size: []int{n[0], n[0]}, Strides: []int{n[1], n[1]}}
		return x[0].Unsqueeze(0, 1).MaxPool(o).Squeeze(0, 1)
	},
	"AvgPool": func(_ jaxOp, n []int, x []graph.Node) graph.Node {
		o := graph.PoolOptions{Size: []int{n[0], n[0]}, Strides: []int{n[1], n[1]}}
		return x[0].Unsqueeze(0, 1).AvgPool(o).Squeeze(0, 1)
	},
}

func ofPositive(o jaxOp, _ []int, x []graph.Node) graph.Node { return o.method(positive(x[0])) }
func ofInside(o jaxOp, _ []int, x []graph.Node) graph.Node   { return o.method(inside(x[0])) }
func byPositive(o jaxOp, _ []int, x []graph.Node) graph.Node { return o.method(x[0], positive(x[1])) }

func logAddExp(x, y graph.Node) graph.Node {
	return x.Maximum(y).Add(x.Sub(y).Abs().Neg().Exp().Log1p())
}

// scattered scatters as many lines of the second operand as there are indices.
func scattered(by graph.ScatterOp) func(o jaxOp, n []int, x []graph.Node) graph.Node {
	return func(o jaxOp, n []int, x []graph.Node) graph.Node {
		updates := x[1].SliceAxis(n[0], 0, len(n)-1, 1)
		shape := slices.Repeat([]any{1}, x[0].Rank())
		shape[n[0]] = -1
		at := graph.Const(o.indices(1)).Reshape(shape...).BroadcastTo(updates.Shape())
		return x[0].Scatter(n[0], at, updates, by)
	}
}

// method calls the method of the op.
func (o jaxOp) method(x ...graph.Node) graph.Node {
	var in []reflect.Value
	for _, y := range x[1:] {
		in = append(in, reflect.ValueOf(y))
	}
	for _, n := range o.numbers {
		in = append(in, reflect.ValueOf(n))
	}
	return reflect.ValueOf(x[0]).MethodByName(o.name).Call(in)[0].Interface().(graph.Node)
}

// gradients returns the gradients of the sum of all values that no op reads, times their numbers, and the inputs.
func (p *jaxProgram) gradients() (grads, xs graph.Nodes) {
	read := map[int]bool{}
	var values graph.Nodes
	for k, shape := range p.shapes {
		values = append(values, graph.Input("x"+strconv.Itoa(k), graph.Float64, shape))
	}
	xs = slices.Clone(values)
	for _, o := range p.ops {
		var args graph.Nodes
		for _, a := range o.args {
			args, read[a] = append(args, values[a]), true
		}
		if f := jaxOps[o.name]; f != nil {
			values = append(values, f(o, o.numbers, args))
		} else {
			values = append(values, o.method(args...))
		}
	}
	total := graph.Scalar(graph.Float64, 0)
	for i, v := range values[len(xs):] {
		if i += len(xs); !read[i] {
			total = total.Add(v.Sum().Mul(i + 1))
		}
	}
	return graph.Grad(total, xs...), xs
}

// TestGradBesideJAX compares gradients of random programs with those that JAX computed: views, windows, joins,
// reductions, scans, sorts, gathers, scatters, products, convolutions, pools, Where and casts. testdata/grad_jax.py wrote
// the file. The test takes one program in 20, or all with -long.
func TestGradBesideJAX(t *testing.T) {
	file, err := os.Open("testdata/grad_jax.txt.gz")
	require.NoError(t, err)
	defer file.Close()
	text, err := gzip.NewReader(file)
	require.NoError(t, err)
	every := 20
	if *long {
		every = 1
	}
	programs, worst, seen := 0, 0.0, map[string]int{}
	for lines := bufio.NewScanner(text); lines.Scan(); programs++ {
		if programs%every > 0 {
			continue
		}
		p := parseJAX(t, lines.Text())
		tolerance := 1e-9
		for _, o := range p.ops {
			seen[o.name]++
			if o.name == "Narrow" {
				tolerance = 1e-4
			}
		}
		grads, xs := p.gradients()
		compiled, err := graph.Compile(grads, graph.WithInputs(xs...), graph.WithWorkers(1))
		require.NoError(t, err, lines.Text())
		var inputs []*graph.Tensor
		for k := range p.shapes {
			inputs = append(inputs, p.input(k))
		}
		outs, err := compiled.RunAll(t.Context(), inputs...)
		require.NoError(t, err, lines.Text())
		for k, out := range outs {
			g, err := graph.Data[float64](out)
			require.NoError(t, err)
			sums, size := [2]float64{}, 1.0
			for i, v := range g {
				sums[0] += v * math.Cos(float64(i))
				sums[1] += v * math.Sin(2.3*float64(i)+1)
				size += math.Abs(v)
			}
			for i, got := range sums {
				err := math.Abs(got-p.want[2*k+i]) / size
				if !(err <= tolerance) {
					t.Errorf("sum %d of the gradient of input %d is %v, and %v by JAX, of %v\n%s", i, k, got, p.want[2*k+i], g, lines.Text())
				}
				if tolerance < 1e-6 {
					worst = max(worst, err)
				}
			}
		}
	}
	require.Greater(t, programs, 1000)
	t.Logf("one of %d of %d programs, greatest error %.2g; ops: %v", every, programs, worst, seen)
}
