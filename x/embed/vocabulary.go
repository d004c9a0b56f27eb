package embed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file reads a tokenizer: tokenizer.json, or vocab.txt of older models with tokenizer_config.json. Output: a
// tokenizer whose tokens are all below the size of the model's vocabulary, or an error that names the file and what in
// it is not supported.

// tokenizerFile is what tokenizer.json says about a WordPiece tokenizer.
type tokenizerFile struct {
	Added []struct {
		ID         int32  `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		Left       bool   `json:"lstrip"`
		Right      bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type       string `json:"type"`
		Clean      bool   `json:"clean_text"`
		Ideographs bool   `json:"handle_chinese_chars"`
		Accents    *bool  `json:"strip_accents"`
		Lower      bool   `json:"lowercase"`
	} `json:"normalizer"`
	Words struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Around struct {
		Type   string `json:"type"`
		CLS    []any  `json:"cls"`
		SEP    []any  `json:"sep"`
		Single []struct {
			Special *struct {
				ID string `json:"id"`
			} `json:"SpecialToken"`
		} `json:"single"`
	} `json:"post_processor"`
	Model struct {
		Type    string           `json:"type"`
		Unknown string           `json:"unk_token"`
		Prefix  string           `json:"continuing_subword_prefix"`
		Runes   int              `json:"max_input_chars_per_word"`
		Tokens  map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// readTokenizer reads the tokenizer of a folder whose model has size tokens. lower makes letters small even if the
// tokenizer's files don't say so.
func readTokenizer(dir string, size int, lower bool) (*tokenizer, error) {
	path := filepath.Join(dir, "tokenizer.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(dir, "vocab.txt")
		data, err = olderFile(dir)
	}
	if err != nil {
		return nil, err
	}
	t, err := newTokenizer(data, size, lower)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// newTokenizer makes the tokenizer of a file in the form of tokenizer.json.
func newTokenizer(data []byte, size int, lower bool) (*tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	for _, part := range [][3]string{{"model", f.Model.Type, "WordPiece"}, {"normalizer", f.Normalizer.Type, "BertNormalizer"}, {"pre_tokenizer", f.Words.Type, "BertPreTokenizer"}} {
		if part[1] != part[2] {
			return nil, fmt.Errorf("the %s is %q: only %s is supported", part[0], part[1], part[2])
		}
	}
	n := normalizer{clean: f.Normalizer.Clean, ideographs: f.Normalizer.Ideographs, lower: f.Normalizer.Lower || lower}
	n.accents = n.lower
	if f.Normalizer.Accents != nil {
		n.accents = *f.Normalizer.Accents
	}
	t := &tokenizer{normalizer: n, first: map[string]int32{}, next: map[string]int32{}, runes: cmp.Or(f.Model.Runes, 100)}
	for text, id := range f.Model.Tokens {
		if id < 0 || int(id) >= size {
			return nil, fmt.Errorf("token %q has number %d: config.json has a vocabulary of %d", text, id, size)
		}
		rest, continues := strings.CutPrefix(text, cmp.Or(f.Model.Prefix, "##"))
		t.first[text] = id // also "##" itself, and what looks like a continuation
		if continues {
			t.next[rest] = id
		}
		t.longest = max(t.longest, len(text))
	}
	return t, t.addSpecials(&f, size)
}

// addSpecials adds the tokens that stand in texts as they are, and those that every text gets.
func (t *tokenizer) addSpecials(f *tokenizerFile, size int) error {
	known := func(text string) (int32, error) {
		if id, ok := t.first[text]; ok {
			return id, nil
		}
		return 0, fmt.Errorf("token %q is not in the vocabulary", text)
	}
	for _, a := range f.Added {
		switch {
		case a.SingleWord || a.Left || a.Right || a.Normalized:
			return fmt.Errorf("added token %q: the flags single_word, lstrip, rstrip and normalized are not supported", a.Content)
		case a.Content == "" || a.ID < 0 || int(a.ID) >= size:
			return fmt.Errorf("added token %q has number %d: config.json has a vocabulary of %d", a.Content, a.ID, size)
		}
		t.first[a.Content] = a.ID
		t.specials = append(t.specials, special{a.Content, a.ID})
	}
	slices.SortFunc(t.specials, func(a, b special) int { return cmp.Compare(len(b.text), len(a.text)) })
	before, after, err := f.around()
	if err != nil {
		return err
	}
	if t.unknown, err = known(cmp.Or(f.Model.Unknown, "[UNK]")); err != nil {
		return err
	}
	for _, side := range []struct {
		texts []string
		ids   *[]int32
	}{{before, &t.prefix}, {after, &t.suffix}} {
		for _, text := range side.texts {
			id, err := known(text)
			if err != nil {
				return err
			}
			*side.ids = append(*side.ids, id)
		}
	}
	return nil
}

// around returns the tokens before and behind each text.
func (f *tokenizerFile) around() (before, after []string, err error) {
	switch f.Around.Type {
	case "BertProcessing":
		if len(f.Around.CLS) == 2 && len(f.Around.SEP) == 2 {
			cls, ok := f.Around.CLS[0].(string)
			sep, too := f.Around.SEP[0].(string)
			if ok && too {
				return []string{cls}, []string{sep}, nil
			}
		}
	case "TemplateProcessing":
		side := &before
		for _, part := range f.Around.Single {
			if part.Special == nil {
				side = &after
			} else {
				*side = append(*side, part.Special.ID)
			}
		}
		if len(before) > 0 && len(after) > 0 {
			return before, after, nil
		}
	}
	return nil, nil, fmt.Errorf("post_processor %q: want one that puts tokens before and behind a text", f.Around.Type)
}

// olderFile returns vocab.txt and tokenizer_config.json in the form of tokenizer.json.
func olderFile(dir string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, "vocab.txt"))
	if err != nil {
		return nil, fmt.Errorf("%s has neither tokenizer.json nor vocab.txt: %w", dir, err)
	}
	config := struct {
		Lower      bool  `json:"do_lower_case"`
		Accents    *bool `json:"strip_accents"`
		Ideographs bool  `json:"tokenize_chinese_chars"`
	}{Lower: true, Ideographs: true}
	if err := readOptional(dir, "tokenizer_config.json", &config); err != nil {
		return nil, err
	}
	vocabulary, added := map[string]int32{}, []any{}
	for i, line := range strings.Split(strings.TrimRight(string(text), "\r\n"), "\n") {
		line = strings.TrimRight(line, "\r")
		vocabulary[line] = int32(i)
		if slices.Contains([]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}, line) {
			added = append(added, map[string]any{"id": i, "content": line})
		}
	}
	return json.Marshal(map[string]any{
		"added_tokens":   added,
		"normalizer":     map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": config.Ideographs, "strip_accents": config.Accents, "lowercase": config.Lower},
		"pre_tokenizer":  map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "BertProcessing", "cls": []any{"[CLS]", 0}, "sep": []any{"[SEP]", 0}},
		"model":          map[string]any{"type": "WordPiece", "vocab": vocabulary},
	})
}
