package graph_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// product is a product of two arrays with named extents: build takes their nodes.
type product struct {
	name    string
	extents [][]graph.Extent // extents of the two arrays, as names and numbers
	sizes   map[string]int   // numbers of the names
	numbers []string         // names that are never symbols
	build   func(x, y graph.Node) graph.Node
}

// extent draws the extent of a name, or returns the one it has.
func (p *product) extent(t *rapid.T, name string, numbers ...int) graph.Extent {
	if _, ok := p.sizes[name]; !ok {
		p.sizes[name] = rapid.SampledFrom(numbers).Draw(t, name)
	}
	return graph.Dim(name)
}

// fewRows are possible extents of the axes of a product, and manyPairs those of summed axes.
var fewRows, manyPairs = []int{1, 2, 1, 3, 5}, []int{1, 2, 3, 40, 300}

// TestProductsOfSymbols compiles products with numbers as extents and with symbols for some of them, and requires the
// same bits. Whether a row is single follows from the extents of the run.
func TestProductsOfSymbols(t *testing.T) {
	for name, draw := range map[string]func(t *rapid.T, p *product){"matmul": drawMatMul, "tensordot": drawTensordot, "einsum": drawEinsum, "conv": drawConvOfSymbols, "convtranspose": drawTransposed} {
		t.Run(name, func(t *testing.T) { checkSymbols(t, draw) })
	}
}

func checkSymbols(t *testing.T, draw func(t *rapid.T, p *product)) {
	rapid.Check(t, func(t *rapid.T) {
		p := &product{sizes: map[string]int{}}
		draw(t, p)
		d := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float64, graph.Float16, graph.Int32}).Draw(t, "type")
		symbols := map[string]bool{}
		for _, name := range strings.Fields("n h w c m k b a i j l o p q e0 e1 e2") {
			if _, ok := p.sizes[name]; ok {
				symbols[name] = rapid.Bool().Draw(t, name+" is a symbol") && !slices.Contains(p.numbers, name)
			}
		}
		var ins []*graph.Tensor
		for i := range p.extents {
			ins = append(ins, toTensor(t, irtest.Array(t, d, p.shape(i)...), nil))
		}
		var outs [2][]eval.Array
		for way, some := range []map[string]bool{nil, symbols} {
			y := p.build(p.input(0, d, some), p.input(1, d, some))
			require.NoError(t, y.Err(), p.name)
			program, err := graph.Compile(y)
			require.NoError(t, err, p.name)
			out, err := program.Run(context.Background(), ins...)
			require.NoError(t, err, p.name)
			outs[way] = []eval.Array{toArray(t, out)}
		}
		require.Empty(t, irtest.Diff(outs[0], outs[1]), "%s with extents %v of %v, symbols %v", p.name, p.sizes, p.extents, symbols)
	})
}

// shape returns the extents of array i as numbers.
func (p *product) shape(i int) (shape []int) {
	for _, d := range p.extents[i] {
		n, _ := d.Bind(p.sizes)
		shape = append(shape, n)
	}
	return shape
}

// input returns array i, with symbols for some extents.
func (p *product) input(i int, d graph.DType, symbols map[string]bool) graph.Node {
	var dims []any
	for k, e := range p.extents[i] {
		symbolic := len(e.Names()) > 0
		for _, name := range e.Names() {
			symbolic = symbolic && symbols[name]
		}
		if symbolic {
			dims = append(dims, e)
		} else {
			dims = append(dims, p.shape(i)[k])
		}
	}
	return graph.Input(string("xy"[i]), d, dims...)
}

// drawMatMul draws matrices with leading axes that broadcast.
func drawMatMul(t *rapid.T, p *product) {
	p.name, p.build = "matmul", func(x, y graph.Node) graph.Node { return x.MatMul(y) }
	p.extents = make([][]graph.Extent, 2)
	for i := range p.extents {
		for k := rapid.IntRange(0, 3).Draw(t, "batch axes") - 1; k >= 0; k-- {
			e := p.extent(t, fmt.Sprint("e", k), fewRows...)
			if rapid.IntRange(0, 2).Draw(t, "repeats") == 0 {
				e = graph.Dim("1")
			}
			p.extents[i] = append(p.extents[i], e)
		}
	}
	m, k, n := p.extent(t, "m", fewRows...), p.extent(t, "k", manyPairs...), p.extent(t, "n", fewRows...)
	p.extents[0], p.extents[1] = append(p.extents[0], m, k), append(p.extents[1], k, n)
}

// drawTensordot draws arrays with some axes summed over, in any order.
func drawTensordot(t *rapid.T, p *product) {
	sums := strings.Fields("k l")[:rapid.IntRange(0, 2).Draw(t, "sums")]
	var axes [2][]int
	p.extents = make([][]graph.Extent, 2)
	for i, own := range [][]string{{"a", "b"}, {"i", "j"}} {
		names := rapid.Permutation(append(sums[:len(sums):len(sums)], own[:rapid.IntRange(0, 2).Draw(t, "own")]...)).Draw(t, "order")
		axes[i] = make([]int, len(sums))
		for k, name := range names {
			p.extents[i] = append(p.extents[i], p.extent(t, name, fewRows...))
			for s, sum := range sums {
				if sum == name {
					axes[i][s] = k
				}
			}
		}
	}
	p.name = fmt.Sprint("tensordot ", axes)
	p.build = func(x, y graph.Node) graph.Node { return x.Tensordot(y, axes[0], axes[1]) }
}

// drawEinsum draws a formula.
func drawEinsum(t *rapid.T, p *product) {
	p.extents = make([][]graph.Extent, 2)
	var terms [2]string
	for i := range terms {
		letters := rapid.Permutation([]rune("abijkl")).Draw(t, "labels")
		terms[i] = string(letters[:rapid.IntRange(1, 4).Draw(t, "axes")])
		for _, l := range terms[i] {
			p.extents[i] = append(p.extents[i], p.extent(t, string(l), fewRows...))
		}
	}
	out := ""
	for _, l := range rapid.Permutation([]rune("abijkl")).Draw(t, "order") {
		if strings.ContainsRune(terms[0]+terms[1], l) && rapid.IntRange(0, 2).Draw(t, "kept") > 0 {
			out += string(l)
		}
	}
	p.name = terms[0] + "," + terms[1] + "->" + out
	p.build = func(x, y graph.Node) graph.Node { return graph.Einsum(p.name, x, y) }
}

// drawConvOfSymbols draws a convolution: of any batch, image, channels and filters.
func drawConvOfSymbols(t *rapid.T, p *product) {
	p.conv(t, "conv", func(x, w graph.Node, o graph.ConvOptions) graph.Node { return x.Conv(w, o) }, false)
}

// drawTransposed draws a transposed convolution.
func drawTransposed(t *rapid.T, p *product) {
	p.conv(t, "convtranspose", func(x, w graph.Node, o graph.ConvOptions) graph.Node { return x.ConvTranspose(w, o) }, true)
}

func (p *product) conv(t *rapid.T, name string, build func(x, w graph.Node, o graph.ConvOptions) graph.Node, transposed bool) {
	o := graph.ConvOptions{Groups: rapid.IntRange(1, 2).Draw(t, "groups"), ChannelsLast: rapid.Bool().Draw(t, "channels last")}
	groups := graph.Dim(fmt.Sprint(o.Groups))
	x, w := []graph.Extent{p.extent(t, "n", fewRows...), p.extent(t, "c", fewRows...).Mul(groups)}, []graph.Extent{p.extent(t, "m", fewRows...).Mul(groups), p.extent(t, "c", fewRows...)}
	if transposed {
		w = []graph.Extent{x[1], p.extent(t, "m", fewRows...)}
	}
	for _, axis := range strings.Fields("h w")[:rapid.IntRange(1, 2).Draw(t, "spatial axes")] {
		size := rapid.IntRange(1, 3).Draw(t, "size")
		least := size
		if transposed {
			least = 1
		}
		x, w = append(x, p.extent(t, axis, least, least+1, least+3)), append(w, graph.Dim(fmt.Sprint(size)))
		o.Strides = append(o.Strides, rapid.IntRange(1, 2).Draw(t, "stride"))
	}
	if transposed && p.sizes["h"] == 1 && max(1, p.sizes["w"]) == 1 {
		p.numbers = []string{"h", "w"} // see ConvTranspose
	}
	if o.ChannelsLast {
		x = append(append(x[:1:1], x[2:]...), x[1])
	}
	p.name, p.extents = fmt.Sprintf("%s %+v", name, o), [][]graph.Extent{x, w}
	p.build = func(x, w graph.Node) graph.Node { return build(x, w, o) }
}
