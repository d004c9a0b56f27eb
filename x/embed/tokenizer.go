package embed

import (
	"strings"
	"unicode/utf8"
)

// This file is the WordPiece algorithm (Schuster and Nakajima, Japanese and Korean voice search, 2012; the greedy form
// of BERT). Input: a text. Output: the numbers of its tokens. The tokens are those of the library tokenizers, which
// most models were trained with.

// tokenizer divides texts into the tokens of a vocabulary.
type tokenizer struct {
	normalizer
	first, next    map[string]int32 // tokens that begin words, and, without their prefix, tokens that continue words
	longest        int              // bytes of the longest token
	unknown        int32            // stands for a word that has no tokens
	runes          int              // a word of more runes is unknown
	specials       []special        // longest first
	prefix, suffix []int32          // tokens before and behind each text
}

// special is a token that stands in texts as it is, such as [SEP].
type special struct {
	text string
	id   int32
}

// tokens returns the tokens of a text, at most most of them: of a longer text the first ones, and those that stand
// behind every text.
func (t *tokenizer) tokens(text string, most int) []int32 {
	most -= len(t.suffix)
	ids := make([]int32, 0, min(most, len(t.prefix)+len(text)/4)+1+len(t.suffix))
	ids = append(ids, t.prefix...)
	next := make([]int, len(t.specials))
	for at := 0; at < len(text) && len(ids) < most; {
		begin, s := t.nextSpecial(text, at, next)
		for word := range t.words(text[at:begin]) {
			if ids = t.appendWord(ids, word); len(ids) > most {
				break
			}
		}
		if at = begin; s != nil {
			ids = append(ids, s.id)
			at += len(s.text)
		}
	}
	return append(ids[:min(len(ids), most)], t.suffix...)
}

// nextSpecial returns the first special token of a text from at on, the longest one there, and where it begins: the
// length of the text if there is none. next keeps where each special token was found, so that a text is searched once.
func (t *tokenizer) nextSpecial(text string, at int, next []int) (begin int, found *special) {
	begin = len(text)
	for i := range t.specials {
		s := &t.specials[i]
		if next[i] < at || at == 0 {
			next[i] = len(text)
			if k := strings.Index(text[at:], s.text); k >= 0 {
				next[i] = at + k
			}
		}
		if next[i] < begin {
			begin, found = next[i], s
		}
	}
	return begin, found
}

// appendWord appends the tokens of a word: each is the longest that the rest of the word begins with.
func (t *tokenizer) appendWord(ids []int32, word []byte) []int32 {
	if len(word) > t.runes && utf8.RuneCount(word) > t.runes {
		return append(ids, t.unknown)
	}
	before := len(ids)
	for table := t.first; len(word) > 0; table = t.next {
		id, n := longestIn(table, word[:min(len(word), t.longest)])
		if n == 0 {
			return append(ids[:before], t.unknown)
		}
		ids = append(ids, id)
		word = word[n:]
	}
	return ids
}

// longestIn returns the longest key of a table that word begins with, and its number of bytes: 0 if there is none. The
// lookup of a prefix that ends within a rune finds nothing.
func longestIn(table map[string]int32, word []byte) (id int32, n int) {
	for n = len(word); n > 0; n-- {
		if id, ok := table[string(word[:n])]; ok {
			return id, n
		}
	}
	return 0, 0
}
