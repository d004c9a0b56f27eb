package embed

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// This file is the graph of a BERT encoder (Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, 2018)
// and of the pooling behind it. Input: ids Int32 [texts,tokens], padded with any token, and lengths Int32 [texts].
// Output: Float32 [texts,hidden]. A text's vector depends neither on the padding nor on the other texts of the batch,
// not even in its last bit: each token is a row of every product, masked tokens add exact zeros.

// activations are the functions between the two products of a layer, by their names in config.json.
var activations = map[string]func(graph.Node) graph.Node{
	"gelu":              graph.Node.GELU,
	"gelu_new":          graph.Node.GELUTanh,
	"gelu_pytorch_tanh": graph.Node.GELUTanh,
	"relu":              graph.Node.ReLU,
	"silu":              graph.Node.SiLU,
}

// encoder builds the graph of a model.
type encoder struct {
	config
	weights
	real graph.Node // Bool [texts,tokens]: the token is not padding
}

// graph returns the vectors.
func (e *encoder) graph() graph.Node {
	texts, tokens := graph.Dim("texts"), graph.Dim("tokens")
	ids := graph.Input("ids", graph.Int32, texts, tokens)
	lengths := graph.Input("lengths", graph.Int32, texts)
	e.real = graph.Iota(graph.Int32, tokens).Lt(lengths.Unsqueeze(1))

	x := e.matrix("embeddings.word_embeddings.weight", e.Vocabulary, e.Hidden).Take(0, ids).Cast(graph.Float32)
	kinds := e.matrix("embeddings.token_type_embeddings.weight", e.Kinds, e.Hidden).Index(0, 0).Cast(graph.Float32)
	places := e.matrix("embeddings.position_embeddings.weight", e.Positions, e.Hidden).Cast(graph.Float32)
	x = e.norm("embeddings.LayerNorm", x.Add(kinds).Add(places.SliceAxis(0, 0, tokens, 1)))
	for i := range e.Layers {
		x = e.layer(layerName(i), x)
	}
	return e.pool(x, lengths)
}

// layer returns the vectors of the tokens after a layer, [texts,tokens,hidden].
func (e *encoder) layer(name string, x graph.Node) graph.Node {
	y := e.attention(name+"attention.self.", x)
	x = e.norm(name+"attention.output.LayerNorm", e.linear(name+"attention.output.dense", y, e.Hidden, e.Hidden).Add(x))
	y = activations[e.Activation](e.linear(name+"intermediate.dense", x, e.Hidden, e.Inner))
	return e.norm(name+"output.LayerNorm", e.linear(name+"output.dense", y, e.Inner, e.Hidden).Add(x))
}

// attention returns for each token the mean of all tokens' values, weighted by the softmax of query times key.
func (e *encoder) attention(name string, x graph.Node) graph.Node {
	width := e.Hidden / e.Heads
	heads := func(part string) graph.Node { // [texts,heads,tokens,width]
		y := e.linear(name+part, x, e.Hidden, e.Hidden)
		return y.Reshape(graph.Dim("texts"), graph.Dim("tokens"), e.Heads, width).Permute(0, 2, 1, 3)
	}
	query, key, value := heads("query"), heads("key"), heads("value")
	scores := query.MatMul(key.SwapAxes(2, 3)).Mul(1 / math.Sqrt(float64(width)))
	weights := graph.Where(e.real.Unsqueeze(1, 2), scores, math.Inf(-1)).Softmax(3)
	return weights.MatMul(value).Permute(0, 2, 1, 3).Reshape(graph.Dim("texts"), graph.Dim("tokens"), e.Hidden)
}

// pool returns the vectors of the texts.
func (e *encoder) pool(x, lengths graph.Node) graph.Node {
	if e.cls {
		x = x.Index(1, 0)
	} else {
		x = graph.Where(e.real.Unsqueeze(2), x, 0).Sum(1).Div(lengths.Cast(graph.Float32).Unsqueeze(1))
	}
	if e.normalize {
		x = x.L2Normalize(1e-12, 1)
	}
	return x
}
