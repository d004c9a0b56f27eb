package optim_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/safetensors"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/optim"
)

// bowl returns a fit of sum((w - 1)^2 * [1 10]) from w = [3 -2].
func bowl(t *testing.T, o optim.Optimizer) (*optim.Fit, *graph.Tensor) {
	w := graph.Of([]float64{3, -2})
	var params optim.Parameters
	x := graph.Input("scale", graph.Float64, 2)
	loss := params.Add("w", w).Sub(1).Square().Mul(x).Sum()
	fit, err := optim.New(o, loss, &params, x)
	require.NoError(t, err)
	return fit, w
}

// TestOptimizers compares five steps with the definitions as loops.
func TestOptimizers(t *testing.T) {
	const rate, b1, b2, eps = 0.05, 0.8, 0.95, 1e-8
	adam := func(decay float64) func(w, g float64, s []float64, k float64) float64 {
		return func(w, g float64, s []float64, k float64) float64 {
			s[0], s[1] = b1*s[0]+(1-b1)*g, b2*s[1]+(1-b2)*g*g
			return w - rate*decay*w - rate*(s[0]/(1-math.Pow(b1, k)))/(math.Sqrt(s[1]/(1-math.Pow(b2, k)))+eps)
		}
	}
	for name, c := range map[string]struct {
		o    optim.Optimizer
		step func(w, g float64, s []float64, k float64) float64
	}{
		"sgd": {optim.SGD{Rate: optim.Constant(rate)}, func(w, g float64, _ []float64, _ float64) float64 { return w - rate*g }},
		"momentum": {optim.SGD{Rate: optim.Constant(rate), Momentum: 0.9}, func(w, g float64, s []float64, _ float64) float64 {
			s[0] = 0.9*s[0] + g
			return w - rate*s[0]
		}},
		"adam":                 {optim.Adam{Rate: optim.Constant(rate), Beta1: b1, Beta2: b2}, adam(0)},
		"adamw":                {optim.AdamW{Rate: optim.Constant(rate), Beta1: b1, Beta2: b2, Decay: 0.1}, adam(0.1)},
		"clipped by pointer":   {&optim.Clipped{Optimizer: optim.SGD{Rate: optim.Constant(rate)}, Norm: 1}, nil},
		"clipped in a wrapper": {struct{ optim.Optimizer }{optim.Clipped{Optimizer: optim.SGD{Rate: optim.Constant(rate)}, Norm: 1}}, nil},
		"clipped twice":        {optim.Clipped{Optimizer: optim.Clipped{Optimizer: optim.SGD{Rate: optim.Constant(rate)}, Norm: 1}, Norm: 5}, nil},
		"clipped":              {optim.Clipped{Optimizer: optim.SGD{Rate: optim.Constant(rate)}, Norm: 1}, nil},
	} {
		fit, w := bowl(t, c.o)
		want, states := []float64{3, -2}, [2][]float64{{0, 0}, {0, 0}}
		scale := []float64{1, 10}
		for k := range 5 {
			loss, err := fit.Step(t.Context(), graph.Of(scale))
			require.NoError(t, err)
			require.InDelta(t, (want[0]-1)*(want[0]-1)+10*(want[1]-1)*(want[1]-1), loss, 1e-9, name)
			g := [2]float64{}
			for i := range want {
				g[i] = 2 * scale[i] * (want[i] - 1)
			}
			norm := math.Hypot(g[0], g[1])
			for i := range want {
				if c.step == nil {
					want[i] -= rate * g[i] / max(norm, 1)
					continue
				}
				want[i] = c.step(want[i], g[i], states[i], float64(k+1))
			}
			got, err := graph.Data[float64](w)
			require.NoError(t, err)
			require.InDeltaSlice(t, want, got, 1e-12, "%s, step %d", name, k)
		}
	}
}

// TestSchedules is a table of rates.
func TestSchedules(t *testing.T) {
	for name, c := range map[string]struct {
		s    optim.Schedule
		want map[float64]float64
	}{
		"constant":    {optim.Constant(0.1), map[float64]float64{1: 0.1, 1000: 0.1}},
		"exponential": {optim.Exponential(0.1, 0.5, 10), map[float64]float64{1: 0.1, 11: 0.05, 21: 0.025}},
		"cosine":      {optim.Cosine(0.1, 4, 104), map[float64]float64{1: 0.02, 4: 0.08, 5: 0.1, 55: 0.05, 105: 0, 500: 0}},
		"no warmup":   {optim.Cosine(0.1, 0, 100), map[float64]float64{1: 0.1, 51: 0.05, 101: 0}},
	} {
		step := graph.Input("step", graph.Float64)
		p, err := graph.Compile(c.s(step), graph.WithInputs(step))
		require.NoError(t, err)
		for at, want := range c.want {
			out, err := p.Run(t.Context(), graph.Full(graph.Float64, at))
			require.NoError(t, err)
			got, err := graph.At[float64](out)
			require.NoError(t, err)
			require.InDelta(t, want, got, 1e-12, "%s at %v", name, at)
		}
	}
}

// TestStateSurvivesAFile: a fit continued from a file has the bits of one that was never interrupted.
func TestStateSurvivesAFile(t *testing.T) {
	scale, o := graph.Of([]float64{1, 10}), optim.AdamW{Rate: optim.Cosine(0.1, 2, 20), Decay: 0.01}
	whole, w := bowl(t, o)
	steps := func(f *optim.Fit, n int) {
		for range n {
			_, err := f.Step(t.Context(), scale)
			require.NoError(t, err)
		}
	}
	steps(whole, 10)
	first, _ := bowl(t, o)
	steps(first, 4)
	var file bytes.Buffer
	require.NoError(t, safetensors.Write(&file, first.State(), nil))
	path := t.TempDir() + "/state.safetensors"
	require.NoError(t, safetensors.WriteFile(path, first.State(), nil))
	f, err := safetensors.Open(path)
	require.NoError(t, err)
	defer f.Close()
	state := map[string]*graph.Tensor{}
	for name := range first.State() {
		state[name], err = f.Tensor(name)
		require.NoError(t, err)
	}
	second, v := bowl(t, o)
	require.NoError(t, second.Restore(state))
	steps(second, 6)
	require.True(t, graph.Equal(w, v))

	delete(state, "w_mean")
	require.ErrorContains(t, second.Restore(state), "optim_test.go:")
	require.ErrorContains(t, second.Restore(state), "optim: the state has no w_mean: it has [optim_step w w_square]")
	state["w_mean"] = graph.Zeros(graph.Float64, 3)
	require.ErrorContains(t, second.Restore(state), "optim: w_mean is float64[3] in the state, and float64[2] here")
}

// TestUpdateIsOneLoop: the update of a parameter and all its states is one loop, which writes them in place. It reads the gradient as
// soon as a block of it is computed, so a step without clipping stores no gradient.
func TestUpdateIsOneLoop(t *testing.T) {
	const rows, columns = 1230, 77
	for name, o := range map[string]optim.Optimizer{
		"sgd": optim.SGD{Rate: optim.Constant(0.1)}, "momentum": optim.SGD{Rate: optim.Constant(0.1), Momentum: 0.9},
		"adam": optim.Adam{Rate: optim.Exponential(0.1, 0.5, 10)}, "adamw": optim.AdamW{Rate: optim.Cosine(0.1, 2, 20), Decay: 0.01},
	} {
		var params optim.Parameters
		tensor := graph.Ones(graph.Float32, rows, columns)
		w := params.Add("w", tensor)
		x, y := graph.Input("x", graph.Float32, 8, rows), graph.Input("y", graph.Float32, 8, columns)
		fit, err := optim.New(o, x.MatMul(w).Sub(y).Square().Mean(), &params, x, y)
		require.NoError(t, err)
		before := map[string]*float32{}
		for name, held := range fit.State() {
			if data, err := graph.Data[float32](held); err == nil {
				before[name] = &data[0]
			}
		}
		require.Len(t, before, 1+len(o.States()))
		_, err = fit.Step(t.Context(), graph.Uniform(graph.Float32, 1, -1, 1, 8, rows), graph.Uniform(graph.Float32, 2, -1, 1, 8, columns))
		require.NoError(t, err)
		for name, held := range fit.State() {
			if data, err := graph.Data[float32](held); err == nil {
				require.Same(t, before[name], &data[0])
			}
		}
		explain := fit.Program().Explain()
		require.Len(t, regexp.MustCompile(`ops over \[(1230,77|1,94710)\]`).FindAllString(explain, -1), 1, "%s\n%s", name, explain)
		require.Zero(t, fit.Program().Copies(), name)
		require.Less(t, fit.Program().Temporaries(), 4*rows*columns, name)
	}
}

// TestTypes: parameters of 16 bits are updated in float32 and rounded once.
func TestTypes(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16, graph.Float32} {
		var params optim.Parameters
		start := graph.Full(dt, 1.5, 3)
		require.NoError(t, start.Err())
		loss := params.Add("w", start).Square().Mean()
		fit, err := optim.New(optim.Adam{Rate: optim.Constant(0.25)}, loss, &params)
		require.NoError(t, err)
		loss1, err := fit.Step(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2.25, loss1)
		require.Equal(t, fmt.Sprint(graph.Full(dt, 1.25, 3)), fmt.Sprint(start))
		require.Equal(t, graph.Float32, fit.State()["w_square"].DType())
	}
}

// TestMistakes: errors say what to do.
func TestMistakes(t *testing.T) {
	var params optim.Parameters
	w := params.Add("w", graph.Zeros(graph.Float32, 3))
	x := graph.Input("x", graph.Float32, 3)
	_, err := optim.New(optim.Adam{Rate: optim.Constant(1)}, w.Mul(x), &params, x)
	require.ErrorContains(t, err, "optim: the loss is mul: float32[3]: it must be a scalar, such as a Mean")
	_, err = optim.New(optim.Adam{Rate: optim.Constant(1)}, w.Mul(x).Sum(), &params)
	require.ErrorContains(t, err, "it is not among the inputs declared")
	_, err = optim.New(optim.Adam{Rate: optim.Constant(1)}, w.Add(graph.Input("y", graph.Float32, 4)).Sum(), &params)
	require.ErrorContains(t, err, "do not broadcast")
	fit, err := optim.New(optim.SGD{Rate: optim.Constant(1)}, w.Mul(x).Sum(), &params, x)
	require.NoError(t, err)
	_, err = fit.Step(t.Context())
	require.ErrorContains(t, err, "optim: 0 inputs given, the loss takes 1: [x float32[3]]")
	require.ErrorContains(t, err, "optim_test.go:")
	_, err = fit.Step(t.Context(), graph.Zeros(graph.Float32, 4))
	require.ErrorContains(t, err, "optim_test.go:")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = fit.Step(ctx, graph.Zeros(graph.Float32, 3))
	require.ErrorIs(t, err, context.Canceled)
	var broken optim.Parameters
	_, err = optim.New(optim.SGD{Rate: optim.Constant(1)}, broken.Add("w", graph.Of([]float32{1}, 2)).Sum(), &broken)
	require.ErrorContains(t, err, "optim_test.go:")
	_, err = optim.New(optim.SGD{Rate: optim.Constant(1)}, w.Sum(), &params, nil)
	require.ErrorContains(t, err, "an item is nil")
}

// TestNonFinite: a step that meets a NaN changes nothing and names the line of the op whose derivative makes it.
func TestNonFinite(t *testing.T) {
	var params optim.Parameters
	x, w := graph.Input("x", graph.Float64, 2), params.Add("w", graph.Of([]float64{3, 5}))
	_, file, line, _ := runtime.Caller(0)
	root := w.Mul(x).Sqrt() // its derivative at 0 is infinite
	at := fmt.Sprintf("%s:%d: ", filepath.Base(file), line+1)
	fit, err := optim.New(optim.Adam{Rate: optim.Constant(0.1)}, root.Sum(), &params, x, graph.WithDebug(graph.NonFinite))
	require.NoError(t, err)
	_, err = fit.Step(t.Context(), graph.Of([]float64{1, 0}))
	require.ErrorContains(t, err, at)
	require.ErrorContains(t, err, "sqrt")
	require.True(t, graph.Equal(graph.Of([]float64{3, 5}), params.Tensors()[0]))
	_, err = fit.Step(t.Context(), graph.Of([]float64{1, 2}))
	require.NoError(t, err)
	require.False(t, graph.Equal(graph.Of([]float64{3, 5}), params.Tensors()[0]))
}

// TestUnused: Explain names the parameter that the loss does not depend on.
func TestUnused(t *testing.T) {
	var params optim.Parameters
	w := params.Add("w", graph.Zeros(graph.Float32, 3))
	params.Add("forgotten", graph.Ones(graph.Float32, 2))
	fit, err := optim.New(optim.SGD{Rate: optim.Constant(1)}, w.SumSquares(), &params)
	require.NoError(t, err)
	require.Contains(t, fit.Program().Explain(), "zero    the gradient with respect to forgotten float32[2]: nothing differentiated depends on it // optim_test.go:")
	_, err = fit.Step(t.Context())
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Ones(graph.Float32, 2), params.Tensors()[1]))
}

// TestUnset: what is not set or does not fit is an error with its name, not a panic.
func TestUnset(t *testing.T) {
	sgd, data := optim.SGD{Rate: optim.Constant(1)}, graph.Zeros(graph.Float32, 2, 2)
	fitting := func(o optim.Optimizer, tensors ...*graph.Tensor) error {
		var params optim.Parameters
		loss := graph.Scalar(graph.Float32, 0)
		for i, tensor := range tensors {
			loss = loss.Add(params.Add(fmt.Sprint("w", i), tensor).SumSquares())
		}
		_, err := optim.New(o, loss, &params)
		return err
	}
	require.NoError(t, fitting(sgd, data, data.Clone()))
	for _, o := range []optim.Optimizer{optim.SGD{}, optim.Adam{}, optim.AdamW{}, optim.Clipped{Optimizer: optim.SGD{}, Norm: 1}} {
		require.ErrorContains(t, fitting(o, data), "Rate is not set", "%T", o)
		require.ErrorContains(t, fitting(o, data), "optim_test.go:")
	}
	for want, err := range map[string]error{
		"the Optimizer is nil":                fitting(nil, data),
		"the Optimizer of Clipped is not set": fitting(optim.Clipped{}, data),
		"Cosine with 3 warmup steps of 3 steps in all: they must be from 0 to less than all": fitting(optim.SGD{Rate: optim.Cosine(0.1, 3, 3)}, data),
		"the tensor of parameter w1, with shape [2 2] and strides [1 2], is not row-major":   fitting(sgd, graph.Zeros(graph.Float32, 3), data.T()),
		"the tensor of parameter w0, with shape [2 2] and strides [0 1], is not row-major":   fitting(sgd, graph.Zeros(graph.Float32, 2).BroadcastTo(2, 2)),
		"the tensors of parameters w0 and w2 share memory":                                   fitting(sgd, data, data.Clone(), data),
	} {
		require.ErrorContains(t, err, "optim: "+want)
		require.ErrorContains(t, err, "optim_test.go:")
	}
	var none *optim.Parameters
	require.ErrorContains(t, none.Add("w", data).Err(), "the Parameters are nil")
	_, err := optim.New(sgd, graph.Scalar(graph.Float32, 0), nil)
	require.ErrorContains(t, err, "the Parameters are nil")
	_, err = (*optim.Fit)(nil).Step(t.Context())
	require.ErrorContains(t, err, "the Fit was not made by New")
}

// TestLossShapes: nothing is broadcast.
func TestLossShapes(t *testing.T) {
	n := graph.Dim("n")
	in := func(dt graph.DType, extents ...any) graph.Node { return graph.Input("x", dt, extents...) }
	for want, loss := range map[string]graph.Node{
		"optim: BinaryCrossEntropy of [n] and [n,1]: the shapes must be equal":      optim.BinaryCrossEntropy(in(graph.Float32, n), in(graph.Float32, n, 1)),
		"optim: Huber of [n,1] and [n]: the shapes must be equal":                   optim.Huber(in(graph.Float32, n, 1), in(graph.Float32, n), 1),
		"optim: Huber of [n] and []: the shapes must be equal":                      optim.Huber(in(graph.Float32, n), graph.Scalar(graph.Float32, 0), 1),
		"optim: Huber with delta NaN: it must be greater than 0":                    optim.Huber(in(graph.Float32, n), in(graph.Float32, n), math.NaN()),
		"CrossEntropy of logits [n,3] and labels [n,1]: labels must have the shape": optim.CrossEntropy(in(graph.Float32, n, 3), in(graph.Int64, n, 1)),
		"CrossEntropy of float64 labels: they must be integers":                     optim.CrossEntropy(in(graph.Float32, n, 3), in(graph.Float64, n)),
	} {
		require.ErrorContains(t, loss.Err(), want)
		require.ErrorContains(t, loss.Err(), "optim_test.go:")
	}
	require.NoError(t, optim.CrossEntropy(in(graph.Float32, n, 3), in(graph.Uint8, n)).Err())
}

// TestLosses compares values and gradients with stable forms in float64, for large logits too.
func TestLosses(t *testing.T) {
	x := graph.Input("x", graph.Float64, 3, 3)
	labels := graph.Of([]int64{0, 2, 1})
	loss := optim.CrossEntropy(x, graph.Const(labels))
	p, err := graph.Compile(loss, graph.Grad(loss, x))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of([]float64{0, 0, 0, 1000, 0, -1000, 1, 2, 3}, 3, 3))
	require.NoError(t, err)
	got, err := graph.Data[float64](outs[0])
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{math.Log(3), 2000, 1 + math.Log(1+math.Exp(-1)+math.Exp(-2))}, got, 1e-12)
	got, err = graph.Data[float64](outs[1])
	require.NoError(t, err)
	z := math.Exp(1) + math.Exp(2) + math.Exp(3)
	require.InDeltaSlice(t, []float64{-2. / 3, 1. / 3, 1. / 3, 1, 0, -1, math.Exp(1) / z, math.Exp(2)/z - 1, math.Exp(3) / z}, got, 1e-12)

	v := graph.Input("v", graph.Float64, 4)
	binary := optim.BinaryCrossEntropy(v, graph.Const(graph.Of([]float64{1, 0, 0, 0.25})))
	huber := optim.Huber(v, graph.Const(graph.Of([]float64{0, 0, 0, 0})), 2)
	p, err = graph.Compile(binary, graph.Grad(binary, v), huber, graph.Grad(huber, v))
	require.NoError(t, err)
	outs, err = p.RunAll(t.Context(), graph.Of([]float64{0, 1000, -1000, 1}))
	require.NoError(t, err)
	for i, want := range [][]float64{
		{math.Ln2, 1000, 0, math.Log1p(math.Exp(1)) - 0.25}, {-0.5, 1, 0, 1/(1+math.Exp(-1)) - 0.25},
		{0, 1998, 1998, 0.5}, {0, 2, -2, 1},
	} {
		got, err := graph.Data[float64](outs[i])
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-12, "output %d", i)
	}
}

// TestBinaryCrossEntropyOfSureLogits: the loss of a prediction that is right does not cancel.
func TestBinaryCrossEntropyOfSureLogits(t *testing.T) {
	x := graph.Input("x", graph.Float32, 4)
	p, err := graph.Compile(optim.BinaryCrossEntropy(x, graph.Const(graph.Of([]float32{1, 1, 0, 0}))))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Of([]float32{10, 30, -20, 3}))
	require.NoError(t, err)
	got, err := graph.Data[float32](out)
	require.NoError(t, err)
	for i, want := range []float64{math.Log1p(math.Exp(-10)), math.Log1p(math.Exp(-30)), math.Log1p(math.Exp(-20)), math.Log1p(math.Exp(3))} {
		require.InEpsilon(t, want, got[i], 1e-6)
	}
}

// TestClipByNormOfLarge: gradients whose squares overflow float32 keep their direction.
func TestClipByNormOfLarge(t *testing.T) {
	x := graph.Input("x", graph.Float32, 2)
	p, err := graph.Compile(optim.ClipByNorm(graph.Nodes{x}, 1)[0])
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Of([]float32{3e20, 4e20}))
	require.NoError(t, err)
	got, err := graph.Data[float32](out)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float32{0.6, 0.8}, got, 1e-6)
}

// forgetful updates as SGD with momentum does, and loses or changes its state.
type forgetful struct {
	optim.SGD
	state func([]graph.Node) []graph.Node
}

func (o forgetful) Update(u optim.Update) (graph.Node, []graph.Node) {
	y, next := o.SGD.Update(u)
	return y, o.state(next)
}

// TestStates: an Optimizer whose Update returns other states than States names is refused by New.
func TestStates(t *testing.T) {
	var params optim.Parameters
	w := params.Add("w", graph.Zeros(graph.Float32, 3))
	for want, state := range map[string]func([]graph.Node) []graph.Node{
		"returns 0 states for w: it names 1":                func([]graph.Node) []graph.Node { return nil },
		"as the state momentum of w: it must be float32[3]": func(s []graph.Node) []graph.Node { return []graph.Node{s[0].Sum()} },
	} {
		_, err := optim.New(forgetful{optim.SGD{Rate: optim.Constant(1), Momentum: 0.5}, state}, w.Sum(), &params)
		require.ErrorContains(t, err, want)
	}
}

func Example() {
	var params optim.Parameters
	w := params.Add("w", graph.Zeros(graph.Float64, 2))
	x, y := graph.Input("x", graph.Float64, graph.Dim("n"), 2), graph.Input("y", graph.Float64, graph.Dim("n"))
	loss := x.MatMul(w).Sub(y).Square().Mean()
	fit, err := optim.New(optim.Adam{Rate: optim.Cosine(0.1, 10, 200)}, loss, &params, x, y)
	if err != nil {
		panic(err)
	}
	rows, want := graph.Of([]float64{1, 0, 0, 1, 1, 1}, 3, 2), graph.Of([]float64{2, -1, 1})
	for range 200 {
		if _, err := fit.Step(context.Background(), rows, want); err != nil {
			panic(err)
		}
	}
	fitted, _ := graph.Data[float64](params.Tensors()[0])
	fmt.Printf("%.2f\n", fitted)
	// Output:
	// [2.00 -1.00]
}

// TestCrossEntropyLabels: a label outside the classes is an error that names it, its place and the line of the loss. Ignored labels count
// neither in the mean nor in the gradients.
func TestCrossEntropyLabels(t *testing.T) {
	n := graph.Dim("n")
	logits, labels := graph.Input("logits", graph.Float32, n, 3), graph.Input("labels", graph.Int32, n)
	scores := graph.Of([]float32{1, 2, 3, 4, 0, -1, 0.5, 0, 1, 9, 9, 8}, 4, 3)
	_, _, line, _ := runtime.Caller(0)
	loss := optim.CrossEntropy(logits, labels)
	p, err := graph.Compile(loss.Mean(), graph.Grad(loss.Mean(), logits))
	require.NoError(t, err)
	for _, bad := range []int32{3, -1, -100, math.MaxInt32} {
		_, err = p.RunAll(t.Context(), scores, graph.Of([]int32{0, 2, bad, 1}))
		require.EqualError(t, err, fmt.Sprintf("optim_test.go:%d: run: optim.crossentropy: %d at [2] of labels int32[4] is outside 0 to 2: a label is a class, or one that Ignore leaves out", line+1, bad))
	}

	loss = optim.CrossEntropy(logits, labels, optim.Ignore(-100)).NanMean()
	ignoring, err := graph.Compile(loss, graph.Grad(loss, logits))
	require.NoError(t, err)
	results := func(p *graph.Program, rows *graph.Tensor, labels ...int32) (mean float32, gradient []float32) {
		outs, err := p.RunAll(t.Context(), rows, graph.Of(labels))
		require.NoError(t, err)
		mean, err = graph.At[float32](outs[0])
		require.NoError(t, err)
		gradient, err = graph.Data[float32](outs[1])
		require.NoError(t, err)
		return mean, gradient
	}
	kept := graph.Of([]float32{1, 2, 3, 4, 0, -1, 9, 9, 8}, 3, 3)
	want, slopes := results(p, kept, 0, 2, 1)
	mean, gradient := results(ignoring, scores, 0, 2, -100, 1)
	require.InDelta(t, want, mean, 1e-6)
	require.InDeltaSlice(t, append(append(slopes[:6:6], 0, 0, 0), slopes[6:]...), gradient, 1e-6)
	mean, gradient = results(ignoring, kept, -100, -100, -100)
	require.True(t, mean != mean)
	require.Equal(t, make([]float32, 9), gradient)
	inf := float32(math.Inf(1))
	garbage := graph.Of([]float32{1, 2, 3, inf, 0, -inf, 9, 9, 8}, 3, 3)
	_, gradient = results(ignoring, garbage, -100, -100, 1)
	require.Equal(t, make([]float32, 6), gradient[:6], "logits that are no numbers")
	_, err = ignoring.RunAll(t.Context(), scores, graph.Of([]int32{0, 2, -99, 1}))
	require.ErrorContains(t, err, "optim.crossentropy: -99 at [2] of labels int32[4] is outside 0 to 2: ")

	var params optim.Parameters
	w := params.Add("w", graph.Ones(graph.Float32, 5, 3))
	rows := graph.Input("rows", graph.Uint8, n)
	fit, err := optim.New(optim.SGD{Rate: optim.Constant(1)}, optim.CrossEntropy(w.Take(0, rows), labels).Mean(), &params, rows, labels)
	require.NoError(t, err)
	_, err = fit.Step(t.Context(), graph.Of([]uint8{4, 0}), graph.Of([]int32{0, 3})) // parameters in place
	require.ErrorContains(t, err, "optim.crossentropy: 3 at [1] of labels int32[2] is outside 0 to 2: ")
	_, err = fit.Step(t.Context(), graph.Of([]uint8{4, 5}), graph.Of([]int32{0, 2}))
	require.ErrorContains(t, err, "take: index 5 at [1] of the indices rows uint8[2] is outside axis 0 of w float32[5,3]: ")

	for _, ignored := range []int64{-100, 7, math.MaxInt64} {
		loss = optim.CrossEntropy(logits, graph.Input("labels", graph.Uint64, n), optim.Ignore(ignored))
		ignoring, err = graph.Compile(loss)
		require.NoError(t, err)
		for _, label := range []uint64{3, 7, math.MaxInt64, 1 << 63, math.MaxUint64 - 99} {
			outs, err := ignoring.Run(t.Context(), kept, graph.Of([]uint64{0, label, 1}))
			if label == uint64(ignored) && ignored > 0 {
				require.NoError(t, err)
				nan, err := graph.At[float32](outs, 1)
				require.NoError(t, err)
				require.True(t, nan != nan)
				continue
			}
			require.ErrorContains(t, err, fmt.Sprintf("optim.crossentropy: %d at [1] of labels uint64[3] is outside 0 to 2: ", label))
		}
	}
}
