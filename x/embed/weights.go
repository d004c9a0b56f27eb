package embed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/formats/safetensors"
	"github.com/stridefuse/stridefuse/graph"
)

// This file makes nodes of the tensors of a safetensors file. Input: the names of BERT's parameters. Output: constants
// over the mapped file, checked against the shapes that config.json implies. Compile packs the matrices of products
// once; everything else is read in place.

// weights are the parameters of a model.
type weights struct {
	file   *safetensors.File
	prefix string // before each name
	int8   bool   // products have weights and operands of 8 bits
	err    error  // the first mistake in a parameter
}

// newWeights finds out how the file names the parameters: a model that was saved with a head has a prefix.
func newWeights(file *safetensors.File, int8 bool) (weights, error) {
	for _, prefix := range []string{"", "bert.", "model."} {
		if _, err := file.Tensor(prefix + "embeddings.word_embeddings.weight"); err == nil {
			return weights{file: file, prefix: prefix, int8: int8}, nil
		}
	}
	return weights{}, errors.New("there is no tensor embeddings.word_embeddings.weight: these are not the weights of a BERT encoder")
}

func layerName(i int) string { return "encoder.layer." + strconv.Itoa(i) + "." }

// matrix returns a parameter of two axes, in the type of the file.
func (w *weights) matrix(name string, rows, cols int) graph.Node {
	if t := w.tensor(name, rows, cols); t != nil {
		return graph.Const(t)
	}
	return graph.Fill(graph.Float32, 0, rows, cols)
}

// vector returns a parameter of one axis as Float32.
func (w *weights) vector(name string, n int) graph.Node {
	if t := w.tensor(name, n); t != nil {
		return graph.Const(t).Cast(graph.Float32)
	}
	return graph.Fill(graph.Float32, 0, n)
}

// tensor returns a parameter of floats of a shape. If the file has no such tensor, it returns nil and sets w.err.
func (w *weights) tensor(name string, shape ...int) *graph.Tensor {
	name = w.prefix + name
	t, err := w.file.Tensor(name)
	switch {
	case err != nil:
	case !slices.Contains([]graph.DType{graph.Float16, graph.BFloat16, graph.Float32, graph.Float64}, t.DType()):
		err = fmt.Errorf("%s has elements of type %s: want floats", name, t.DType())
	case !slices.Equal(t.Shape(), shape):
		err = fmt.Errorf("%s has shape %v: config.json implies %v", name, t.Shape(), shape)
	default:
		return t
	}
	if w.err == nil {
		w.err = err
	}
	return nil
}

// norm returns a layer norm of the last axis. Older files have other names for its scale and offset.
func (e *encoder) norm(name string, x graph.Node) graph.Node {
	scale, offset := name+".weight", name+".bias"
	if _, err := e.file.Tensor(e.prefix + name + ".gamma"); err == nil {
		scale, offset = name+".gamma", name+".beta"
	}
	return x.LayerNorm(e.vector(scale, e.Hidden), e.vector(offset, e.Hidden), e.Epsilon)
}

// linear returns x times a matrix of the file [out,in], transposed, plus a vector.
func (e *encoder) linear(name string, x graph.Node, in, out int) graph.Node {
	w, bias := e.matrix(name+".weight", out, in).Cast(graph.Float32), e.vector(name+".bias", out)
	if e.int8 {
		return e.multiplyInt8(x, w).Add(bias)
	}
	return x.MatMul(w.T()).Add(bias)
}

// multiplyInt8 returns x times w transposed. Each row of w becomes integers of 8 bits with a scale, and each row of x
// two such rows: what rounding to 8 bits loses, 254 times finer, and the rounded elements. A row of x of 8 bits alone is
// too coarse where some elements are many times greater than the others: the least cosine of MiniLM's vectors would be
// 0.991. A token's scale is its own, so its result depends on no other token.
func (e *encoder) multiplyInt8(x, w graph.Node) graph.Node {
	const finer = 2 * 127
	rows, scale := e.roundedRows(w)
	exact := x.Div(scales(x))
	coarse := exact.Round()
	rest := exact.Sub(coarse).Mul(finer).Round()
	y := graph.Stack(0, rest.Cast(graph.Int8), coarse.Cast(graph.Int8)).MatMulInteger(rows.T(), nil, nil).Cast(graph.Float32)
	return y.Index(0, 0).Div(finer).Add(y.Index(0, 1)).Mul(scales(x)).Mul(scale.T())
}

// roundedRows computes the integers and the scales of a matrix. They are tensors of their own, so that the program keeps
// none of its floats.
func (e *encoder) roundedRows(w graph.Node) (rows, scale graph.Node) {
	p, err := graph.Compile(w.Div(scales(w)).Round().Cast(graph.Int8), scales(w))
	if err == nil {
		var out []*graph.Tensor
		if out, err = p.RunAll(context.Background()); err == nil {
			return graph.Const(out[0]), graph.Const(out[1])
		}
	}
	if e.err == nil {
		e.err = err
	}
	return w.Cast(graph.Int8), scales(w)
}

// scales returns for each line along the last axis, which it keeps, its greatest magnitude divided by 127.
func scales(x graph.Node) graph.Node {
	const least = 1e-30 // a line of zeros is not divided by 0
	return x.Abs().Max(-1, graph.KeepDims).Maximum(least).Div(127)
}
