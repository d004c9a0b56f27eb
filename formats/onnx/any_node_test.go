package onnx

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

var long = flag.Bool("long", false, "make many nodes of each operator instead of a few")

// TestAnyNode makes nodes for every row of the table: attributes at the edges of their ranges and beyond, inputs of any
// number, type and shape, and any outputs. Each is an error or a program; programs run, perhaps with an error.
func TestAnyNode(t *testing.T) {
	nodes, seed, only := 20, uint64(1), os.Getenv("STRIDEFUSE_NODE")
	if *long {
		nodes, seed = 400, uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	loaded, ran, failures := 0, 0, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if only != "" && only != name {
			continue
		}
		for k, op := range table[name] {
			r := anyNode{rand.New(rand.NewPCG(seed, uint64(k))), 1}
			before := loaded
			for i := range nodes {
				r.tame = 1 + i%3*i%3*8
				m, feeds := r.model(op)
				stop := time.AfterFunc(time.Minute, func() { panic("a node takes too long: " + describe(m)) })
				if why := panics(func() {
					if program, err := compile(m, newSettings(nil)); err == nil {
						loaded++
						if runs(program, feeds) {
							ran++
						}
					}
				}); why != "" {
					failures[name+": "+why] = describe(m)
				}
				stop.Stop()
			}
			if *long {
				t.Logf("%s %d: %d of %d are programs", name, op.since, loaded-before, nodes)
			}
		}
	}
	for why, text := range failures {
		t.Errorf("%s\nof %s", why, text)
	}
	require.Positive(t, ran)
	t.Logf("%d programs, of which %d ran", loaded, ran)
}

// panics runs f, and returns the value and the stack of its panic, or "".
func panics(f func()) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprint(p)
			_, stack, _ := strings.Cut(string(debug.Stack()), "\npanic(")
			for _, line := range strings.Split(stack, "\n")[2:] {
				if file, _, ok := strings.Cut(line, " +"); ok && strings.Count(why, "\n") < 4 {
					why += "\n\t" + strings.TrimSpace(file)
				}
			}
		}
	}()
	f()
	return ""
}

// runs runs a program of small results, and reports whether it computes them.
func runs(p *Program, feeds graph.Feeds) bool {
	for _, s := range p.root.stages {
		for _, out := range s.outputs {
			if n, known := out.node.Shape().NumElems().Int(); known && n > 1<<16 {
				return false
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, g := range p.Graphs() {
		_ = g.Explain()
	}
	_, err := p.Run(ctx, feeds)
	return err == nil
}

// describe writes a model of one node as text.
func describe(m *model) string {
	var b strings.Builder
	for _, in := range m.body.inputs {
		fmt.Fprintf(&b, "%s %s%v ", in.name, in.dtype, in.dims)
	}
	for _, name := range slices.Sorted(maps.Keys(m.body.constants)) {
		t := m.body.constants[name]
		fmt.Fprintf(&b, "%s=%s%v ", name, t.DType(), t.Shape())
		if t.Size() < 8 {
			fmt.Fprintf(&b, "%v ", t)
		}
	}
	for _, n := range m.body.nodes {
		fmt.Fprintf(&b, "\n%s(%v) %v -> %v version %d", n.op, n.inputs, n.attrs, n.outputs, m.opset)
	}
	return b.String()
}

// anyNode draws nodes. Tame ones have few oddities, so that they get past the first checks.
type anyNode struct {
	*rand.Rand
	tame int
}

// pick returns an element of a list.
func pick[T any](r anyNode, list ...T) T { return list[r.IntN(len(list))] }

// rare reports true once in n times.
func (r anyNode) rare(n int) bool { return r.IntN(n*r.tame) == 0 }

func (r anyNode) number() int {
	if r.rare(8) {
		return pick(r, -2, -7, 7, 64, 1000, 1<<20, 1<<30, math.MaxInt32, math.MinInt32, math.MaxInt/2+1, math.MaxInt, math.MinInt)
	}
	return pick(r, -1, 0, 1, 1, 1, 2, 2, 3)
}

func (r anyNode) list(n int) []int {
	if r.rare(6) {
		n = r.IntN(7)
	}
	out := make([]int, n)
	for i := range out {
		out[i] = r.number()
	}
	if r.IntN(2) == 0 { // as most are
		for i := range out {
			out[i] = pick(r, 1, 1, 2)
		}
	}
	return out
}

func (r anyNode) float() float64 {
	return float64(float32(pick(r, 0, 0.5, 1, 2, -1, 1e-5, 1e30, math.Inf(1), math.NaN())))
}

// words are the texts of all attributes.
var words = []string{
	"", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic", "bilinear", "bicubic",
	"zeros", "border", "reflection", "forward", "reverse", "bidirectional", "DCR", "CRD", "none", "add", "mul", "max", "min", "mean", "sum", "avg",
	"half_pixel", "output_half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_crop_and_resize", "half_pixel_symmetric",
	"floor", "ceil", "round_prefer_floor", "round_prefer_ceil", "stretch", "not_larger", "not_smaller", "LEFT", "RIGHT", "tanh", "circular",
	"gated", "delta", "gated_delta", "silu", "ij,jk->ik", "ii->i", "i,i->", "...i,...i->...", "ij->", "->", "i->ii", "exact",
}

// attribute draws a value of a type.
func (r anyNode) attribute(of any, rank int, inputs int) any {
	if u, ok := of.(unset); ok {
		of = u.as
	}
	switch usual := of.(type) {
	case int:
		return r.number()
	case float64:
		return r.float()
	case string:
		if usual != "" && r.rare(2) {
			return usual
		}
		return pick(r, words...)
	case []int:
		return r.list(pick(r, max(0, rank-2), rank, 2*max(0, rank-2), 2*rank))
	case []float64:
		out := make([]float64, r.IntN(5))
		for i := range out {
			out[i] = r.float()
		}
		return out
	case []string:
		out := make([]string, r.IntN(7))
		for i := range out {
			out[i] = pick(r, "Tanh", "Sigmoid", "Relu", "Affine", "Elu", "sine")
		}
		return out
	case *graph.Tensor:
		return r.tensor(pick(r, graph.Float32, graph.Int64, graph.Bool), r.shape(r.IntN(3)))
	case *subgraph:
		return r.body(inputs)
	}
	return of
}

// body draws a subgraph whose outputs are its inputs, or nothing.
func (r anyNode) body(inputs int) *subgraph {
	g := &subgraph{constants: map[string]*graph.Tensor{}}
	for i := range max(0, inputs+r.IntN(2)-r.IntN(2)) {
		g.inputs = append(g.inputs, port{name: "in" + strconv.Itoa(i)})
	}
	for i := range g.inputs {
		name := "out" + strconv.Itoa(i)
		g.add(made(pick(r, "Identity", "Identity", "Abs"), attrs{}, []string{"in" + strconv.Itoa(pick(r, i, i, r.IntN(len(g.inputs))))}, name))
		g.outputs = append(g.outputs, name)
	}
	if n := len(g.outputs); n > 0 && r.rare(2) { // the number of the iteration stays inside
		g.outputs = g.outputs[1:]
	}
	return g
}

func (r anyNode) shape(rank int) []int {
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = pick(r, 0, 1, 1, 2, 2, 3, 7)
	}
	return shape
}

// shapes draws the shapes of inputs: by the operator's signature, of one extent, or any.
func (r anyNode) shapes(op *operator, n int) [][]int {
	out := make([][]int, n)
	alternatives := strings.Split(signatures[op.name], "|")
	patterns := strings.Split(pick(r, alternatives...), ",")
	extents, more := map[string]graph.Extent{}, 1+r.IntN(3)
	for i := range out {
		switch {
		case signatures[op.name] != "" && i < len(patterns) && !r.rare(6):
			for _, mark := range strings.Fields(patterns[i]) {
				count := 1
				switch mark {
				case "*":
					count = r.IntN(3)
				case "+":
					count = more
				}
				for range count {
					d := pick(r, 1, 1, 2, 2, 2, 3, 4)
					if mark != "_" && mark != "+" && mark != "*" {
						letter := strings.TrimLeft(mark, "0123456789")
						if _, known := extents[letter]; !known {
							extents[letter] = ir.Fixed(d)
						}
						d, _ = wanted(mark, ir.Fixed(d), extents).Int()
					}
					out[i] = append(out[i], d)
				}
			}
		case i > 0 && r.IntN(2) == 0:
			out[i] = slices.Clone(out[0])
		default:
			out[i] = r.shape(pick(r, 0, 1, 2, 3, 4, 4, 5, 6))
		}
		if len(out[i]) > 0 && r.rare(8) {
			out[i][r.IntN(len(out[i]))] = pick(r, 0, 1, 2, 3, 7)
		}
		if len(out[i]) > 0 && r.rare(20) {
			out[i] = out[i][1:]
		}
	}
	return out
}

// tensor draws the elements of a tensor.
func (r anyNode) tensor(dt graph.DType, shape []int) *graph.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(pick(r, 0, 1, 1, 2, 3))
		if r.rare(12) {
			list[i] = int64(r.number())
		}
	}
	t, err := mustRun(graph.Const(graph.Of(list, shape...)).Cast(dt))
	if err != nil {
		return graph.Zeros(dt, shape...)
	}
	return t
}

func mustRun(x graph.Node) (*graph.Tensor, error) {
	p, err := graph.Compile(x)
	if err != nil {
		return nil, err
	}
	return p.Run(context.Background())
}

// model draws a model of one node, and its inputs.
func (r anyNode) model(op *operator) (*model, graph.Feeds) {
	n := &node{op: op.name, attrs: attrs{}}
	body := &subgraph{constants: map[string]*graph.Tensor{}}
	feeds := graph.Feeds{}
	inputs := op.least + r.IntN(min(op.most, op.least+6)-op.least+1)
	if r.rare(16) {
		inputs = max(0, inputs-1+r.IntN(3))
	}
	shapes := r.shapes(op, inputs)
	var types []graph.DType
	for _, dt := range ir.AllTypes.List() {
		if op.types.Has(dt) || op.types == 0 {
			types = append(types, dt)
		}
	}
	first := graph.Float32
	if !slices.Contains(types, first) || r.IntN(4) == 0 {
		first = pick(r, append(types, graph.Int64)...)
	}
	known, alike := r.IntN(3) == 0, r.IntN(2) == 0 // whether the first input is known, and whether types are equal
	for i, shape := range shapes {
		name := string(rune('a' + i%26))
		dt := first
		if i > 0 && !alike && r.IntN(3) > 0 {
			dt = pick(r, graph.Int64, graph.Int64, graph.Float32, graph.Bool, graph.Int32, graph.Uint8)
		}
		if r.rare(16) {
			dt = pick(r, append(types, graph.Int64)...)
		}
		if i >= op.least && r.IntN(5) == 0 || r.rare(40) {
			n.inputs = append(n.inputs, "")
			continue
		}
		n.inputs = append(n.inputs, name)
		x := r.tensor(dt, shape)
		if i == 0 && known || i > 0 && r.IntN(3) > 0 {
			body.constants[name] = x
			continue
		}
		p := port{name: name, dtype: dt, shaped: true}
		for _, d := range shape {
			p.dims = append(p.dims, pick(r, any(d), any(d), any(d), any("n"+strconv.Itoa(d))))
		}
		body.inputs = append(body.inputs, p)
		feeds[name] = x
	}
	if op.types&anySequence != 0 && len(n.inputs) > 0 && r.IntN(4) > 0 {
		parts := slices.DeleteFunc(slices.Clone(n.inputs[:1+r.IntN(len(n.inputs))]), func(name string) bool { return name == "" })
		body.add(made(pick(r, "SequenceConstruct", "SequenceConstruct", "Optional"), attrs{}, parts, "parts"))
		n.inputs[r.IntN(min(2, len(n.inputs)))] = "parts"
	}
	rank := 0
	if len(shapes) > 0 {
		rank = len(shapes[0])
	}
	for _, name := range slices.Sorted(maps.Keys(op.attrs)) {
		_, must := op.attrs[name].(unset)
		if v := r.attribute(op.attrs[name], rank, inputs); r.IntN(3) > 0 && must || r.rare(3) || r.IntN(6) == 0 {
			n.attrs[name] = v
		}
	}
	outputs := 1
	if r.IntN(3) == 0 {
		outputs += r.IntN(5)
	}
	for i := range outputs {
		n.outputs = append(n.outputs, pick(r, "y"+strconv.Itoa(i), "y"+strconv.Itoa(i), "y"+strconv.Itoa(i), "y"+strconv.Itoa(i), ""))
	}
	if r.rare(20) {
		n.outputs = nil
	}
	body.add(n)
	body.outputs = slices.DeleteFunc(slices.Clone(n.outputs), func(name string) bool { return name == "" })
	return &model{words: newVocabulary(), opset: op.since + r.IntN(op.until-op.since+1), body: body}, feeds
}
