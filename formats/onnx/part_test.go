package onnx

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

func names(list ...string) []string { return list }

// number makes a node with a constant.
func number(name string, t *graph.Tensor) *node {
	return made("Constant", attrs{"value": t}, nil, name)
}

// body returns a subgraph without inputs.
func body(output string, nodes ...*node) *subgraph {
	for _, n := range nodes {
		if n.attrs == nil {
			n.attrs = attrs{}
		}
	}
	return &subgraph{outputs: names(output), nodes: nodes}
}

// TestIfOfRun has conditions that are values of the run, one inside a branch of another, with branches of unlike ranks. Each
// pair of conditions is built once, for all sizes.
func TestIfOfRun(t *testing.T) {
	branches := func(then, otherwise *subgraph) attrs {
		return attrs{"then_branch": then, "else_branch": otherwise}
	}
	p, err := built(t, names("z", "kept"),
		made("ReduceSum", attrs{"keepdims": 0}, names("x"), "sum"), number("ten", graph.ScalarOf(float32(10))), number("zero", graph.ScalarOf(float32(0))),
		made("Greater", nil, names("sum", "ten"), "large"), made("Less", nil, names("sum", "zero"), "negative"),
		made("Exp", nil, names("x"), "kept"), // of the first part
		made("If", branches(
			body("a", made("Identity", nil, names("sum"), "a")),
			body("b", made("If", branches(body("c", made("Neg", nil, names("kept"), "c")), body("d", made("Shape", nil, names("x"), "e"), made("Cast", attrs{"to": 1}, names("e"), "d"))), names("negative"), "b")),
		), names("large"), "y"),
		made("Add", nil, names("y", "y"), "z"))
	require.NoError(t, err)
	for range 2 {
		for _, n := range []int{1, 2, 5} {
			for _, v := range []float32{20, -1, 0} {
				out, err := p.Run(t.Context(), graph.Feeds{"x": graph.Full(graph.Float32, v, n, 3), "mask": graph.New(graph.Bool, n)})
				require.NoError(t, err)
				require.Equal(t, []int{n, 3}, out["kept"].Shape())
				switch {
				case v > 0:
					require.True(t, graph.Equal(graph.ScalarOf(2*v*3*float32(n)), out["z"]), "%s", out["z"])
				case v < 0:
					RequireClose(t, "z", graph.Full(graph.Float32, -0.735758882, n, 3), out["z"])
				default:
					require.True(t, graph.Equal(graph.Of([]float32{2 * float32(n), 6}), out["z"]), "%s", out["z"])
				}
			}
		}
	}
	require.Len(t, p.root.answered.kept, 2) // not one for each size
	require.Len(t, p.Graphs(), 2)
	require.Empty(t, p.root.shaped.kept)
}

// TestTripsOfRun repeats a loop as often as a value of the run says, and until a value that the body computes says stop.
func TestTripsOfRun(t *testing.T) {
	loop := func(nodes ...*node) attrs {
		b := body("more", append(nodes, made("Add", nil, names("v", "v"), "w"))...)
		b.inputs, b.outputs = []port{{name: "i"}, {name: "on"}, {name: "v"}}, names("more", "w")
		return attrs{"body": b}
	}
	total := func() *node { return made("ReduceSum", attrs{"keepdims": 0}, names("x"), "sum") }
	yes := number("yes", graph.ScalarOf(true))
	counted, err := built(t, names("y"), total(), yes, made("Cast", attrs{"to": 7}, names("sum"), "trips"),
		made("Loop", loop(made("Identity", nil, names("on"), "more")), names("trips", "yes", "x"), "y"))
	require.NoError(t, err)
	until, err := built(t, names("y"), yes, number("limit", graph.ScalarOf(float32(50))),
		made("Loop", loop(made("ReduceSum", attrs{"keepdims": 0}, names("v"), "all"), made("Less", nil, names("all", "limit"), "more")), names("", "yes", "x"), "y"))
	require.NoError(t, err)
	for n, want := range map[int][2]float32{1: {8, 64}, 2: {64, 32}} {
		for i, p := range []*Program{counted, until} {
			out, err := p.Run(t.Context(), graph.Feeds{"x": graph.Ones(graph.Float32, n, 3), "mask": graph.New(graph.Bool, n)})
			require.NoError(t, err)
			require.True(t, graph.Equal(graph.Full(graph.Float32, want[i], n, 3), out["y"]), "%d of %d: %s", i, n, out["y"])
		}
	}
}

// TestSizeNames names sizes by the file, by input and axis, and by the names in errors; axes without a name have sizes of
// their own.
func TestSizeNames(t *testing.T) {
	m := func() *model {
		return &model{words: newVocabulary(), opset: 18, body: &subgraph{outputs: names("y"), nodes: []*node{made("Add", attrs{}, names("x", "in.2"), "y")}, inputs: []port{
			{name: "x", dtype: graph.Float32, dims: []any{"?", "unk__1", 2}}, {name: "in.2", dtype: graph.Float32, dims: []any{"", "unk__2", 2}},
		}}}
	}
	p, err := compile(m(), newSettings(nil))
	require.NoError(t, err)
	require.Equal(t, []Size{{"x", 0, "x_axis_0"}, {"x", 1, "unk__1"}, {"in.2", 0, "in_2_axis_0"}, {"in.2", 1, "unk__2"}}, p.Sizes())
	require.Equal(t, "input in.2 axis 1", p.Sizes()[3].String())
	for _, s := range p.Sizes() {
		for _, name := range names(s.Name, s.String()) {
			p, err := compile(m(), newSettings([]Option{WithSize(name, 3)}))
			require.NoError(t, err)
			require.Len(t, p.Sizes(), 3, name)
		}
	}
	_, err = compile(m(), newSettings([]Option{WithSize("input x axis 2", 3)}))
	require.ErrorContains(t, err, `the model's inputs have no size "input x axis 2": they have ["input x axis 0" "input x axis 1" "input in.2 axis 0" "input in.2 axis 1"]`)

	// Two sizes that the sum needs to be equal are one in the program; runs with an extent 1 have programs of their own.
	require.Len(t, p.Graphs(), 1)
	for _, shapes := range [][2][]int{{{4, 3, 2}, {4, 3, 2}}, {{1, 3, 2}, {4, 1, 2}}, {{5, 3, 2}, {5, 3, 2}}} {
		a, b := counted(shapes[0]...), counted(shapes[1]...)
		out, err := p.Run(t.Context(), graph.Feeds{"x": a, "in.2": b})
		require.NoError(t, err)
		q, err := graph.Compile(graph.Const(a).Add(b))
		require.NoError(t, err)
		want, err := q.Run(t.Context())
		require.NoError(t, err)
		require.True(t, graph.Equal(want, out["y"]))
	}
	require.Len(t, p.root.shaped.kept, 1)
	_, err = p.Run(t.Context(), graph.Feeds{"x": counted(2, 3, 2), "in.2": counted(4, 3, 2)})
	require.ErrorContains(t, err, "Add (makes y): ")
	require.ErrorContains(t, err, "shapes [2,3,2] and [4,3,2] do not broadcast: axis 0 is 2 and 4")
	_, err = p.Run(t.Context(), graph.Feeds{"x": counted(2, 3), "in.2": counted(4, 3, 2)})
	require.EqualError(t, err, `onnx: input "x" is float32[2,3]: the model takes float32[x_axis_0,unk__1,2]`)
	require.Len(t, p.root.shaped.kept, 1) // errors are not kept
}

// TestKeptPartsAfterPanic builds a part again whose first build ended in a panic.
func TestKeptPartsAfterPanic(t *testing.T) {
	var c cache
	require.Panics(t, func() { _, _ = c.get("a", func() (*part, error) { panic("a") }) })
	require.Empty(t, c.kept)
	want := &part{}
	p, err := c.get("a", func() (*part, error) { return want, nil })
	require.NoError(t, err)
	require.Same(t, want, p)
	require.Same(t, want, c.latest())

	// A goroutine that waits for a build that ends in a panic builds the part itself.
	began, waiting := make(chan struct{}), make(chan struct{})
	go func() {
		defer func() { _ = recover() }()
		_, _ = c.get("b", func() (*part, error) { close(began); <-waiting; panic("b") })
	}()
	<-began
	time.AfterFunc(time.Millisecond, func() { close(waiting) })
	p, err = c.get("b", func() (*part, error) { return want, nil })
	require.NoError(t, err)
	require.Same(t, want, p)
}

// TestKeptParts runs a model for more shapes than it keeps programs for, and many goroutines at once.
func TestKeptParts(t *testing.T) {
	p, err := built(t, names("y"), number("two", graph.Of([]float32{1.5, 1})), made("Resize", attrs{"mode": "linear"}, names("x", "", "two"), "y"))
	require.NoError(t, err)
	require.Nil(t, p.Graph())
	require.Empty(t, p.Graphs())
	run := func(n int) {
		out, err := p.Run(context.Background(), graph.Feeds{"x": graph.Ones(graph.Float32, n, 3), "mask": graph.New(graph.Bool, n)})
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.Ones(graph.Float32, n*3/2, 3), out["y"]))
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 2 * mostKept {
				run(1 + (n+g*3)%(2*mostKept))
			}
		})
	}
	all.Wait()
	require.Len(t, p.root.shaped.kept, mostKept)
	require.NotNil(t, p.Graph())
}

// TestSizeArithmetic computes random numbers from sizes by nodes. A program for any sizes must give those of one for the
// sizes of the run, which computes them as constants.
func TestSizeArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := names("shape") // values of one axis of two elements, int64
		nodes := []*node{made("Shape", nil, names("x"), "shape")}
		add := func(op string, a attrs, in ...string) string {
			out := fmt.Sprint("v", len(nodes))
			nodes = append(nodes, made(op, a, in, out))
			return out
		}
		constant := func(list ...int64) string { return add("Constant", attrs{"value": graph.Of(list)}) }
		pick := func() string { return rapid.SampledFrom(lists).Draw(t, "operand") }
		for range rapid.IntRange(1, 8).Draw(t, "nodes") {
			var v string
			small := rapid.Int64Range(1, 5).Draw(t, "number")
			switch op := rapid.SampledFrom(names("Add", "Sub", "Mul", "Max", "Min", "Div", "Mod", "Equal", "Less", "scaled", "Gather", "Slice", "Tile", "ReduceProd", "ReduceSum", "Expand", "ScatterND", "int32", "Squeeze")).Draw(t, "op"); op {
			case "Add", "Sub", "Mul", "Max", "Min":
				v = add(op, nil, pick(), rapid.SampledFrom(append(slices.Clone(lists), constant(small, 2))).Draw(t, "other"))
			case "Div", "Mod":
				v = add(op, nil, pick(), constant(small))
			case "Equal", "Less":
				v = add("Where", nil, add(op, nil, pick(), constant(small-3)), pick(), pick())
			case "scaled":
				f := add("Mul", nil, add("Cast", attrs{"to": 1}, pick()), add("Constant", attrs{"value": graph.Of([]float32{float32(small) / 4})}))
				v = add("Cast", attrs{"to": 7}, add(rapid.SampledFrom(names("Floor", "Ceil")).Draw(t, "round"), nil, f))
			case "Gather":
				v = add(op, nil, pick(), constant(small%2, -1))
			case "Slice":
				v = add("Concat", attrs{"axis": 0}, add(op, nil, pick(), constant(-1), constant(9)), add(op, nil, pick(), constant(0), constant(1)))
			case "Tile":
				v = add("Slice", nil, add(op, nil, pick(), constant(small)), constant(1-small%2), constant(3-small%2))
				v = add("Slice", nil, add("Concat", attrs{"axis": 0}, v, pick()), constant(0), constant(2))
			case "ReduceProd", "ReduceSum":
				v = add("Expand", nil, add(op, attrs{"keepdims": 1}, pick()), constant(2))
			case "Expand":
				v = add(op, nil, add("Slice", nil, pick(), constant(0), constant(1)), constant(2))
			case "ScatterND":
				v = add(op, nil, pick(), add("Reshape", nil, constant(small%2), constant(1, 1)), constant(7))
			case "int32":
				v = add("Cast", attrs{"to": 7}, add("Add", nil, add("Cast", attrs{"to": 6}, pick()), add("Cast", attrs{"to": 6}, constant(small))))
			case "Squeeze":
				v = add(op, nil, add("Unsqueeze", nil, pick(), constant(1)), constant(1))
			}
			lists = append(lists, v)
		}
		m := func() *model {
			return &model{words: newVocabulary(), opset: 18, body: &subgraph{nodes: nodes, outputs: lists[1:], inputs: []port{{name: "x", dtype: graph.Float32, dims: []any{"n", "m"}}}}}
		}
		for _, n := range nodes {
			if n.attrs == nil {
				n.attrs = attrs{}
			}
		}
		p, err := compile(m(), newSettings(nil))
		require.NoError(t, err)
		for _, shape := range [][]int{{1, 1}, {3, 2}, {2, 7}} {
			feeds := graph.Feeds{"x": graph.New(graph.Float32, shape...)}
			got, err := p.Run(context.Background(), feeds)
			require.NoError(t, err)
			q, err := compile(m(), newSettings([]Option{WithSize("n", shape[0]), WithSize("m", shape[1])}))
			require.NoError(t, err)
			want, err := q.Run(context.Background(), feeds)
			require.NoError(t, err)
			for name, w := range want {
				require.True(t, graph.Equal(w, got[name]), "%s of %v: %s, want %s\n%s", name, shape, got[name], w, describe(m()))
			}
		}
	})
}

// TestSteps runs recurrent layers with any number of steps: those of the graph and those of runs give the same bits, and
// the number of programs does not grow. Later runs use the memory that stages leave to one another, and no result's.
func TestSteps(t *testing.T) {
	ops, ways := names("RNN", "GRU", "LSTM"), names("forward", "reverse", "bidirectional")
	for i := range 12 {
		op, direction := ops[i%3], ways[(i+i/3)%3]
		gates := map[string]int{"RNN": 1, "GRU": 3, "LSTM": 4}[op]
		d, batch, size := len(directions[direction]), 1+i%3, 5-i%5
		masked, fixed := i/3%2 == 0, i%2 == 0
		random := func(seed uint64, shape ...int) *graph.Tensor {
			return graph.Normal(graph.Float32, seed, 0, 0.5, shape...)
		}
		outs := names("y", "h")
		if op == "LSTM" {
			outs = append(outs, "c")
		}
		n := made(op, attrs{"direction": direction}, names("x", "w", "r", "b"), outs...)
		w, r := random(1, d, gates*size, 4), random(2, d, gates*size, size)
		g := &subgraph{outputs: outs, nodes: []*node{n}, constants: map[string]*graph.Tensor{"b": random(3, d, 2*gates*size)}}
		g.inputs = []port{{name: "x", dtype: graph.Float32, dims: []any{"steps", "batch", 4}}}
		feeds := graph.Feeds{}
		if fixed {
			g.constants["w"], g.constants["r"] = w, r
		} else {
			feeds["w"], feeds["r"] = w, r
			g.inputs = append(g.inputs, port{name: "w", dtype: graph.Float32, dims: []any{d, gates * size, 4}}, port{name: "r", dtype: graph.Float32, dims: []any{d, gates * size, size}})
		}
		if masked {
			n.inputs = append(n.inputs, "lengths")
			g.inputs = append(g.inputs, port{name: "lengths", dtype: graph.Int32, dims: []any{"batch"}})
		}
		any, err := compile(&model{words: newVocabulary(), opset: 14, body: g}, newSettings(nil))
		require.NoError(t, err)
		require.NotEmpty(t, any.root.carried)
		results := map[*graph.Tensor]*graph.Tensor{} // and copies of them
		for _, steps := range []int{0, 1, unrolledSteps, unrolledSteps + 1, 40} {
			feeds["x"] = random(4, steps, batch, 4)
			if masked {
				feeds["lengths"] = graph.Of([]int32{int32(steps), int32(steps / 2), 0}[:batch])
			}
			got, err := any.Run(context.Background(), feeds)
			require.NoError(t, err)
			for _, x := range got {
				results[x] = x.Clone()
			}
			if steps > unrolledSteps {
				continue
			}
			one, err := compile(&model{words: newVocabulary(), opset: 14, body: g}, newSettings([]Option{WithSize("steps", steps)}))
			require.NoError(t, err)
			require.Len(t, one.Graphs(), 1)
			want, err := one.Run(context.Background(), feeds)
			require.NoError(t, err)
			for name := range want {
				require.True(t, graph.Equal(want[name], got[name]), "%s %s of %d steps: %s, want %s", op, name, steps, got[name], want[name])
			}
		}
		for x, copied := range results {
			require.True(t, graph.Equal(copied, x), "%s: a result changed from %s to %s", op, copied, x)
		}
		require.Len(t, any.Graphs(), 2)
		require.Empty(t, any.root.shaped.kept)
	}
}
