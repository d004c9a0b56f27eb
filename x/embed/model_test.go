package embed

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/embed/internal/tiny"
)

var ctx = context.Background()

// write makes a folder with the tiny model, changed by files.
func write(t testing.TB, tensors map[string]*graph.Tensor, files map[string]any) string {
	dir := t.TempDir()
	require.NoError(t, tiny.Write(dir, tensors, files))
	return dir
}

// sentence is the files of a model of sentence-transformers.
func sentence(pooling any, modules ...string) map[string]any {
	list := []module{}
	for _, m := range modules {
		name, path, _ := strings.Cut(m, "@")
		list = append(list, module{Type: "sentence_transformers.models." + name, Path: path})
	}
	return map[string]any{"modules.json": list, "1_Pooling/config.json": pooling}
}

func open(t testing.TB, dir string, o Options) *Model {
	m, err := Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func embedded(t require.TestingT, m *Model, texts ...string) [][]float32 {
	out, err := m.Embed(ctx, texts)
	require.NoError(t, err)
	rows, err := graph.Rows[float32](out)
	require.NoError(t, err)
	require.Len(t, rows, len(texts))
	return rows
}

// TestVectors compares with PyTorch, which computed testdata/vectors.json: means and first tokens, normalized and not,
// three activations.
func TestVectors(t *testing.T) {
	var want struct {
		Texts   []string
		Vectors map[string][][]float32
	}
	data, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &want))
	tensors := tiny.Parameters()
	for name, model := range map[string]struct {
		activation string
		files      map[string]any
	}{
		"mean": {"gelu", sentence(map[string]bool{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false}, "Transformer", "Pooling@1_Pooling", "Normalize@2_Normalize")},
		"cls":  {"gelu_new", sentence(map[string]string{"pooling_mode": "cls"}, "Transformer", "Pooling@1_Pooling")},
		"bare": {"relu", map[string]any{}},
	} {
		config := tiny.Config()
		config["hidden_act"] = model.activation
		model.files["config.json"] = config
		dir := write(t, tensors, model.files)
		m := open(t, dir, Options{})
		require.Equal(t, 24, m.Size())
		got := embedded(t, m, want.Texts...)
		for i, text := range want.Texts {
			require.InDeltaSlice(t, want.Vectors[name][i], got[i], 2e-6, "%s %q", name, text)
		}
	}
}

// TestRowsAreTheirOwn: a text's vector has the same bits alone, beside any others, and from any goroutine.
func TestRowsAreTheirOwn(t *testing.T) {
	dir := write(t, tiny.Parameters(), nil)
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"the", "unbelievable", "日本", "a", "[SEP]", "??", "\xff"}), 0, 40)
	models := []*Model{open(t, dir, Options{}), open(t, dir, Options{Int8Weights: true})}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(models).Draw(t, "model")
		texts := rapid.SliceOfN(rapid.Map(words, func(w []string) string { return strings.Join(w, " ") }), 1, 40).Draw(t, "texts")
		rows := embedded(t, m, texts...)
		var wait sync.WaitGroup
		alone, errs := make([]*graph.Tensor, len(texts)), make([]error, len(texts))
		for i, text := range texts {
			wait.Go(func() { alone[i], errs[i] = m.Embed(ctx, []string{text}) })
		}
		wait.Wait()
		for i, text := range texts {
			require.NoError(t, errs[i])
			require.True(t, graph.Equal(alone[i], graph.Of(rows[i], 1, m.Size())), "%q", text)
		}
	})
}

// TestFilesOfOneModel: the types, names and tokenizer files in which models are published.
func TestFilesOfOneModel(t *testing.T) {
	texts := []string{"Hello, unbelievable world!", "", strings.Repeat("日本 ", 50)}
	tensors := tiny.Parameters()
	want := embedded(t, open(t, write(t, tensors, nil), Options{}), texts...)

	named := map[string]*graph.Tensor{"cls.predictions.bias": graph.Zeros(graph.Float32, 3)}
	for name, p := range tensors {
		name = strings.NewReplacer("LayerNorm.weight", "LayerNorm.gamma", "LayerNorm.bias", "LayerNorm.beta").Replace(name)
		named["bert."+name] = p
	}
	require.Equal(t, want, embedded(t, open(t, write(t, named, nil), Options{}), texts...), "names of a model with a head")

	var f tokenizerFile
	require.NoError(t, json.Unmarshal([]byte(tiny.Tokenizer), &f))
	lines := make([]string, len(f.Model.Tokens))
	for text, id := range f.Model.Tokens {
		lines[id] = text
	}
	older := map[string]any{"tokenizer.json": nil, "vocab.txt": strings.Join(lines, "\r\n") + "\r\n", "tokenizer_config.json": map[string]bool{"do_lower_case": false}, "sentence_bert_config.json": map[string]any{"do_lower_case": true, "max_seq_length": 16}}
	m := open(t, write(t, tensors, older), Options{})
	require.Equal(t, want[:2], embedded(t, m, texts[:2]...), "vocab.txt")
	require.Equal(t, 16, m.MaxTokens())

	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16} {
		short, long := map[string]*graph.Tensor{}, map[string]*graph.Tensor{}
		for name, p := range tensors {
			var err error
			short[name], err = eval(graph.Const(p).Cast(dt))
			require.NoError(t, err)
			long[name], err = eval(graph.Const(p).Cast(dt).Cast(graph.Float32))
			require.NoError(t, err)
		}
		a, b := open(t, write(t, short, nil), Options{}), open(t, write(t, long, nil), Options{})
		require.Equal(t, embedded(t, b, texts...), embedded(t, a, texts...), dt)
	}
}

func eval(x graph.Node) (*graph.Tensor, error) {
	p, err := graph.Compile(x)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx)
}

// TestTruncated: of a long text the first tokens count, and the last of all.
func TestTruncated(t *testing.T) {
	dir := write(t, tiny.Parameters(), nil)
	m, short := open(t, dir, Options{}), open(t, dir, Options{MaxTokens: 5})
	long := strings.Repeat("the ", 31)
	require.Len(t, m.Tokenize(long), 33)
	require.Equal(t, embedded(t, m, long[:4*30]), embedded(t, m, long))
	require.NotEqual(t, embedded(t, m, long[:4*29]), embedded(t, m, long))
	require.Equal(t, embedded(t, m, "the the the"), embedded(t, short, long))
	require.Equal(t, embedded(t, m, "the"), embedded(t, open(t, dir, Options{MaxTokens: 3}), "the [SEP] a"))
}

func TestEndedContext(t *testing.T) {
	m := open(t, write(t, tiny.Parameters(), nil), Options{})
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err := m.Embed(ended, []string{"the"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = m.Embed(nil, []string{"the"}) //lint:ignore SA1012 what a nil context does is the subject
	require.ErrorContains(t, err, "the context panics: ")
	out, err := m.Embed(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, []int{0, 24}, out.Shape())
}

// TestClosedInUse: calls beside Close have the vectors or an error, and calls after it an error.
func TestClosedInUse(t *testing.T) {
	m, err := Open(write(t, tiny.Parameters(), nil), Options{})
	require.NoError(t, err)
	want := embedded(t, m, "the", "unbelievable")
	var wait sync.WaitGroup
	begun := make(chan struct{}, 4)
	for range cap(begun) {
		wait.Go(func() {
			for i := 0; ; i++ {
				out, err := m.Embed(ctx, []string{"the", "unbelievable"})
				if err != nil {
					assert.ErrorContains(t, err, "was closed")
					return
				}
				rows, err := graph.Rows[float32](out)
				if !assert.NoError(t, err) || !assert.Equal(t, want, rows) {
					return
				}
				if i == 3 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	require.NoError(t, m.Close())
	wait.Wait()
	require.NoError(t, m.Close())
	_, err = m.Embed(ctx, []string{"the"})
	require.ErrorContains(t, err, "was closed")
}

// TestCorrupted: files with some bytes changed or missing are errors of Open that name the file, or a model that runs.
func TestCorrupted(t *testing.T) {
	whole := write(t, tiny.Parameters(), nil)
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"config.json", "tokenizer.json", "model.safetensors"}
	for range 150 {
		dir := t.TempDir()
		broken := names[r.IntN(len(names))]
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(whole, name))
			require.NoError(t, err)
			switch {
			case name != broken:
			case r.IntN(3) == 0:
				data = data[:r.IntN(len(data))]
			default:
				data[r.IntN(min(len(data), 3000))] ^= byte(1 + r.IntN(255))
			}
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
		}
		m, err := Open(dir, Options{})
		if err != nil {
			require.ErrorContains(t, err, dir)
			continue
		}
		embedded(t, m, "Hello, unbelievable world!")
		require.NoError(t, m.Close())
	}
}

// TestMistakes: what Open can't do is an error that names the file and what is wrong in it.
func TestMistakes(t *testing.T) {
	with := func(field string, value any) map[string]any {
		config := tiny.Config()
		config[field] = value
		return map[string]any{"config.json": config}
	}
	tokens := func(edit ...string) map[string]any {
		text := strings.NewReplacer(edit...).Replace(tiny.Tokenizer)
		require.NotEqual(t, tiny.Tokenizer, text)
		return map[string]any{"tokenizer.json": text}
	}
	lacking := func(name string) map[string]*graph.Tensor {
		tensors := tiny.Parameters()
		delete(tensors, name)
		return tensors
	}
	integers := tiny.Parameters()
	integers["encoder.layer.1.output.dense.bias"] = graph.Zeros(graph.Int32, 24)
	for _, c := range []struct {
		files   map[string]any
		tensors map[string]*graph.Tensor
		o       Options
		want    string
	}{
		{with("model_type", "xlm-roberta"), nil, Options{}, `config.json: model_type is "xlm-roberta": only bert is supported`},
		{with("num_attention_heads", 5), nil, Options{}, "config.json: hidden_size 24 is not a multiple of num_attention_heads 5"},
		{with("num_hidden_layers", 0), nil, Options{}, "num_hidden_layers is 0"},
		{with("num_hidden_layers", 3), nil, Options{}, "encoder.layer.2.attention.self.query.weight"},
		{with("intermediate_size", 48), nil, Options{}, "model.safetensors: encoder.layer.0.intermediate.dense.weight has shape [40 24]: config.json implies [48 24]"},
		{with("num_hidden_layers", 1<<11), nil, Options{}, "num_hidden_layers is 2048: it must be from 1 to 1024"},
		{with("vocab_size", 10), nil, Options{}, "config.json has a vocabulary of 10"},
		{with("hidden_act", "swish"), nil, Options{}, `hidden_act "swish" is unknown`},
		{with("position_embedding_type", "relative_key"), nil, Options{}, "only absolute is supported"},
		{nil, nil, Options{MaxTokens: 33}, "MaxTokens is 33: the model takes 2 to 32"},
		{nil, nil, Options{MaxTokens: 1}, "MaxTokens is 1"},
		{map[string]any{"config.json": nil}, nil, Options{}, "config.json: no such file"},
		{map[string]any{"config.json": "{"}, nil, Options{}, "config.json: unexpected end of JSON input"},
		{map[string]any{"tokenizer.json": nil}, nil, Options{}, "has neither tokenizer.json nor vocab.txt"},
		{tokens(`"WordPiece"`, `"Unigram"`), nil, Options{}, `tokenizer.json: the model is "Unigram": only WordPiece is supported`},
		{tokens(`"lstrip":false`, `"lstrip":true`), nil, Options{}, `added token "[PAD]"`},
		{tokens(`TemplateProcessing`, `RobertaProcessing`), nil, Options{}, `post_processor "RobertaProcessing"`},
		{tokens(`"unk_token":"[UNK]"`, `"unk_token":"<unk>"`), nil, Options{}, `token "<unk>" is not in the vocabulary`},
		{sentence(map[string]bool{"pooling_mode_max_tokens": true}, "Pooling@1_Pooling"), nil, Options{}, "only mean and cls pooling are supported"},
		{sentence(map[string]bool{"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true}, "Pooling@1_Pooling"), nil, Options{}, "only mean and cls"},
		{sentence(nil, "Pooling@../x"), nil, Options{}, "leaves the folder"},
		{sentence(nil, "Dense@2_Dense"), nil, Options{}, `module "sentence_transformers.models.Dense" is not supported`},
		{nil, lacking("encoder.layer.1.output.LayerNorm.bias"), Options{}, "encoder.layer.1.output.LayerNorm.bias"},
		{nil, lacking("embeddings.word_embeddings.weight"), Options{}, "not the weights of a BERT encoder"},
		{nil, integers, Options{}, "encoder.layer.1.output.dense.bias has elements of type int32"},
	} {
		if c.tensors == nil {
			c.tensors = tiny.Parameters()
		}
		_, err := Open(write(t, c.tensors, c.files), c.o)
		require.ErrorContains(t, err, c.want)
	}
}
