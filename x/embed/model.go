package embed

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"sync"

	"github.com/stridefuse/stridefuse/formats/safetensors"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime"
)

// This file opens a model and runs it. Input: a folder with config.json, model.safetensors and the tokenizer's files;
// then texts. Output: a tensor with a row for each text.

// Model makes vectors of texts. Any number of goroutines may use it at once.
type Model struct {
	config    config
	tokenizer *tokenizer
	file      *safetensors.File
	program   *graph.Program
	using     sync.RWMutex // batches read the mapped weights, Close unmaps them
}

// Options are choices for a model. The zero value is the model as its files describe it.
type Options struct {
	// MaxTokens is the length, in tokens, at which texts are cut; 0 means that of the model. It can't be greater.
	MaxTokens int
	// Int8Weights stores the matrices of the layers in 8 bits: weight-only quantization, symmetric, with a scale for each 64
	// elements of a row. Activations and the table of words stay float32.
	Int8Weights bool
}

// Open opens the model in a folder: config.json of model_type bert, model.safetensors with floats of 16 or 32 bits, and
// tokenizer.json, or vocab.txt of older models. The files modules.json, sentence_bert_config.json and the configuration
// of pooling, which sentence-transformers writes, are followed if they are there; without them the vector is the mean of
// the tokens' vectors. What the files ask for and this package lacks is an error that names the file.
//
// The weights are mapped. The matrices of the layers are stored once more, in the order of the kernels or in 8 bits. The
// table of words stays in the file.
func Open(dir string, o Options) (*Model, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	t, err := readTokenizer(dir, c.Vocabulary, c.lower)
	if err != nil {
		return nil, err
	}
	least := len(t.prefix) + len(t.suffix)
	if o.MaxTokens != 0 && (o.MaxTokens < least || o.MaxTokens > c.tokens) {
		return nil, fmt.Errorf("MaxTokens is %d: the model takes %d to %d", o.MaxTokens, least, c.tokens)
	}
	if o.MaxTokens != 0 {
		c.tokens = o.MaxTokens
	}
	if c.tokens < least {
		return nil, fmt.Errorf("%s: texts of at most %d tokens, of which the tokenizer adds %d", dir, c.tokens, least)
	}
	path := filepath.Join(dir, "model.safetensors")
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	program, err := compile(c, file, o)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Model{config: c, tokenizer: t, file: file, program: program}, nil
}

// compile makes the program of a model.
func compile(c config, file *safetensors.File, o Options) (*graph.Program, error) {
	w, err := newWeights(file)
	if err != nil {
		return nil, err
	}
	w.int8 = o.Int8Weights
	e := encoder{config: c, weights: w}
	vectors := e.graph()
	if e.err != nil {
		return nil, e.err
	}
	return graph.Compile(vectors, graph.WithName("embed"))
}

// Close unmaps the weights. It waits for the batches that Embed is computing; later ones get an error. Runs of Program must
// have ended.
func (m *Model) Close() error {
	m.using.Lock()
	defer m.using.Unlock()
	return m.file.Close()
}

// Size returns the number of elements of a vector.
func (m *Model) Size() int { return m.config.Hidden }

// MaxTokens returns how many tokens of a text count, including those that the tokenizer adds.
func (m *Model) MaxTokens() int { return m.config.tokens }

// Tokenize returns all tokens of a text, including those that the tokenizer adds to every text. Embed uses MaxTokens of
// them, so a longer result tells that the end of the text would be ignored.
func (m *Model) Tokenize(text string) []int32 { return m.tokenizer.tokens(text, math.MaxInt) }

// Program returns the compiled encoder, to look inside: its inputs are ids [texts,tokens] and lengths [texts].
func (m *Model) Program() *graph.Program { return m.program }

// Embed returns the vectors of texts, Float32 [len(texts),Size]. Row i has the bits that text i has alone, whatever the
// other texts are. Texts of similar lengths are computed together, in batches of at most 1,024 tokens, which bounds the
// memory. Bytes that are not UTF-8 are ignored, and an empty text has a vector too. When ctx ends, Embed returns its
// error.
func (m *Model) Embed(ctx context.Context, texts []string) (*graph.Tensor, error) {
	out := graph.New(graph.Float32, len(texts), m.config.Hidden)
	rows, err := graph.Data[float32](out)
	if err != nil {
		return nil, err
	}
	ids := make([][]int32, len(texts))
	for i, text := range texts {
		if err := runtime.ContextError(ctx); err != nil {
			return nil, err
		}
		ids[i] = m.tokenizer.tokens(text, m.config.tokens)
	}
	for b := range batches(ids, m.config.tokens) {
		if err := m.run(ctx, b, ids, rows); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// run computes a batch, and copies the vector of each text to its row.
func (m *Model) run(ctx context.Context, b batch, ids [][]int32, rows []float32) error {
	padded, lengths := make([]int32, len(b.texts)*b.tokens), make([]int32, len(b.texts))
	for i, text := range b.texts {
		lengths[i] = int32(copy(padded[i*b.tokens:], ids[text]))
	}
	m.using.RLock()
	out, err := m.program.Run(ctx, graph.Of(padded, len(b.texts), b.tokens), graph.Of(lengths))
	m.using.RUnlock()
	if err != nil {
		return err
	}
	vectors, err := graph.Data[float32](out)
	if err != nil {
		return err
	}
	size := m.config.Hidden
	for i, text := range b.texts {
		copy(rows[text*size:(text+1)*size], vectors[i*size:])
	}
	return nil
}
