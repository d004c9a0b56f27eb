package embed

import (
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
	int8   bool   // the matrices of products have 8 bits
	prefix string // before each name
	err    error  // the first mistake in a parameter
}

// newWeights finds out how the file names the parameters: a model that was saved with a head has a prefix.
func newWeights(file *safetensors.File) (weights, error) {
	for _, prefix := range []string{"", "bert.", "model."} {
		if _, err := file.Tensor(prefix + "embeddings.word_embeddings.weight"); err == nil {
			return weights{file: file, prefix: prefix}, nil
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
	w := e.quantized
	if !e.int8 {
		w = func(name string, out, in int) graph.Node { return e.matrix(name, out, in).Cast(graph.Float32).T() }
	}
	return x.MatMul(w(name+".weight", out, in)).Add(e.vector(name+".bias", out))
}
