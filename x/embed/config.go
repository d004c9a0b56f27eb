package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file reads what a model's folder says about the encoder and about what follows it: config.json, and the files
// that sentence-transformers adds. Input: a folder. Output: a config whose numbers are consistent, or an error that
// names the file and the field.

// config is a BERT encoder, and how its outputs become one vector.
type config struct {
	Type         string  `json:"model_type"`
	Hidden       int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	Inner        int     `json:"intermediate_size"`
	Activation   string  `json:"hidden_act"`
	Epsilon      float64 `json:"layer_norm_eps"`
	Positions    int     `json:"max_position_embeddings"`
	PositionType string  `json:"position_embedding_type"`
	Vocabulary   int     `json:"vocab_size"`
	Kinds        int     `json:"type_vocab_size"`
	Decoder      bool    `json:"is_decoder"`

	tokens    int  // greatest number of tokens of a text
	lower     bool // texts become lower case before the tokenizer
	cls       bool // the vector is that of the first token, otherwise the mean of all
	normalize bool // the vector gets length 1
}

// module is a row of modules.json: a step of a sentence-transformers model.
type module struct {
	Path string `json:"path"`
	Type string `json:"type"`
}

// readConfig reads the files of a folder. Files other than config.json may be missing: the vector is then the mean of
// the tokens' vectors, as in sentence-transformers.
func readConfig(dir string) (config, error) {
	c := config{Activation: "gelu", Epsilon: 1e-12, PositionType: "absolute", Kinds: 2}
	if err := readJSON(dir, "config.json", &c); err != nil {
		return c, err
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("%s: %w", filepath.Join(dir, "config.json"), err)
	}
	c.tokens = c.Positions
	var sentence struct {
		Tokens int  `json:"max_seq_length"`
		Lower  bool `json:"do_lower_case"`
	}
	if err := readOptional(dir, "sentence_bert_config.json", &sentence); err != nil {
		return c, err
	}
	if sentence.Tokens > 0 {
		c.tokens = min(c.tokens, sentence.Tokens)
	}
	c.lower = sentence.Lower
	var modules []module
	if err := readOptional(dir, "modules.json", &modules); err != nil {
		return c, err
	}
	for _, m := range modules {
		if err := c.addModule(dir, m); err != nil {
			return c, fmt.Errorf("%s: %w", filepath.Join(dir, "modules.json"), err)
		}
	}
	return c, nil
}

// limits are the least and the greatest value of each size: products of two are far from overflowing an int of 32 bits.
func (c *config) check() error {
	for _, size := range []struct {
		name        string
		value, most int
	}{
		{"hidden_size", c.Hidden, 1 << 14}, {"num_hidden_layers", c.Layers, 1 << 10}, {"num_attention_heads", c.Heads, 1 << 10},
		{"intermediate_size", c.Inner, 1 << 16}, {"max_position_embeddings", c.Positions, 1 << 15}, {"vocab_size", c.Vocabulary, 1 << 24}, {"type_vocab_size", c.Kinds, 1 << 10},
	} {
		if size.value < 1 || size.value > size.most {
			return fmt.Errorf("%s is %d: it must be from 1 to %d", size.name, size.value, size.most)
		}
	}
	switch {
	case c.Type != "bert":
		return fmt.Errorf("model_type is %q: only bert is supported", c.Type)
	case c.PositionType != "absolute":
		return fmt.Errorf("position_embedding_type is %q: only absolute is supported", c.PositionType)
	case c.Decoder:
		return errors.New("is_decoder is true: the model is not an encoder")
	case c.Hidden%c.Heads != 0:
		return fmt.Errorf("hidden_size %d is not a multiple of num_attention_heads %d", c.Hidden, c.Heads)
	case activations[c.Activation] == nil:
		return fmt.Errorf("hidden_act %q is unknown", c.Activation)
	case c.Positions < 2:
		return fmt.Errorf("max_position_embeddings is %d: a text has at least 2 tokens", c.Positions)
	case !(c.Epsilon > 0 && c.Epsilon < 1):
		return fmt.Errorf("layer_norm_eps is %v: it must be between 0 and 1", c.Epsilon)
	}
	return nil
}

// addModule applies a step that follows the encoder.
func (c *config) addModule(dir string, m module) error {
	kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:] // a Python class; its package has moved between versions
	switch kind {
	case "Transformer":
		if m.Path != "" && m.Path != "." {
			return fmt.Errorf("the encoder is in folder %q: open that folder", m.Path)
		}
		return nil
	case "Normalize":
		c.normalize = true
		return nil
	case "Pooling":
		return c.addPooling(dir, m)
	}
	return fmt.Errorf("module %q is not supported", m.Type)
}

// pooling is the configuration of a Pooling module: one mode by name, or the older form, a boolean for each mode.
type pooling struct {
	Mode     any  `json:"pooling_mode"`
	CLS      bool `json:"pooling_mode_cls_token"`
	Mean     bool `json:"pooling_mode_mean_tokens"`
	Max      bool `json:"pooling_mode_max_tokens"`
	Sqrt     bool `json:"pooling_mode_mean_sqrt_len_tokens"`
	Weighted bool `json:"pooling_mode_weightedmean_tokens"`
	Last     bool `json:"pooling_mode_lasttoken"`
}

// addPooling reads how the vectors of the tokens become one.
func (c *config) addPooling(dir string, m module) error {
	if !filepath.IsLocal(m.Path) {
		return fmt.Errorf("the path %q of module %q leaves the folder", m.Path, m.Type)
	}
	var p pooling
	if err := readJSON(dir, filepath.Join(m.Path, "config.json"), &p); err != nil {
		return err
	}
	if mode, ok := p.Mode.([]any); ok && len(mode) == 1 {
		p.Mode = mode[0]
	}
	older := []bool{p.CLS, p.Mean, p.Max, p.Sqrt, p.Weighted, p.Last}
	only := p.Mode == nil && len(slices.DeleteFunc(older, func(on bool) bool { return !on })) == 1
	switch {
	case p.Mode == "cls", only && p.CLS:
		c.cls = true
	case p.Mode == "mean", only && p.Mean:
		c.cls = false
	default:
		return fmt.Errorf("%s: only mean and cls pooling are supported", filepath.Join(m.Path, "config.json"))
	}
	return nil
}

// readJSON decodes a file of a folder. Its errors name the file.
func readJSON(dir, name string, into any) error {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readOptional decodes a file, if the folder has it.
func readOptional(dir, name string, into any) error {
	err := readJSON(dir, name, into)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
