// Package tiny makes a small BERT model, whose parameters are sines, for tests and examples.
package tiny

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/formats/safetensors"
	"github.com/stridefuse/stridefuse/graph"
)

// Tokenizer is the file tokenizer.json, which testdata/make.py wrote.
//
//go:embed tokenizer.json
var Tokenizer string

const vocabulary, hidden, layers, inner, positions = 70, 24, 2, 40, 32

// Config returns the contents of config.json.
func Config() map[string]any {
	return map[string]any{
		"model_type": "bert", "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": 3, "intermediate_size": inner, "hidden_act": "gelu",
		"max_position_embeddings": positions, "vocab_size": vocabulary,
	}
}

// Parameters returns the parameters: element i of parameter j, in the order of their names, is sin(j+i) divided by 4,
// and 1 more in the scales of layer norms.
func Parameters() map[string]*graph.Tensor {
	shapes := map[string][]int{
		"embeddings.word_embeddings.weight": {vocabulary, hidden}, "embeddings.position_embeddings.weight": {positions, hidden}, "embeddings.token_type_embeddings.weight": {2, hidden},
	}
	norm := func(name string) {
		shapes[name+".weight"], shapes[name+".bias"] = []int{hidden}, []int{hidden}
	}
	linear := func(name string, in, out int) {
		shapes[name+".weight"], shapes[name+".bias"] = []int{out, in}, []int{out}
	}
	norm("embeddings.LayerNorm")
	for i := range layers {
		at := fmt.Sprintf("encoder.layer.%d.", i)
		for _, name := range []string{"self.query", "self.key", "self.value", "output.dense"} {
			linear(at+"attention."+name, hidden, hidden)
		}
		norm(at + "attention.output.LayerNorm")
		linear(at+"intermediate.dense", hidden, inner)
		linear(at+"output.dense", inner, hidden)
		norm(at + "output.LayerNorm")
	}
	tensors := map[string]*graph.Tensor{}
	for j, name := range slices.Sorted(maps.Keys(shapes)) {
		size := 1
		for _, n := range shapes[name] {
			size *= n
		}
		data := make([]float32, size)
		for i := range data {
			data[i] = float32(math.Sin(float64(j+i))/4 + offset(name))
		}
		tensors[name] = graph.Of(data, shapes[name]...)
	}
	return tensors
}

func offset(name string) float64 {
	if strings.Contains(name, "LayerNorm.weight") {
		return 1
	}
	return 0
}

// Write makes a folder with the model. Other files are given by name: a text as it is, anything else as JSON. They
// replace the model's own; nil leaves one out.
func Write(dir string, tensors map[string]*graph.Tensor, files map[string]any) error {
	if err := safetensors.WriteFile(filepath.Join(dir, "model.safetensors"), tensors, nil); err != nil {
		return err
	}
	all := map[string]any{"config.json": Config(), "tokenizer.json": Tokenizer}
	maps.Copy(all, files)
	for name, content := range all {
		if content == nil {
			continue
		}
		text, plain := content.(string)
		if !plain {
			data, err := json.Marshal(content)
			if err != nil {
				return err
			}
			text = string(data)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
