package embed

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// This file divides a text into words, as BERT's tokenizers do before WordPiece. Input: any string, valid UTF-8 or not.
// Output: words without spaces; a punctuation mark is a word, and so is an ideograph. The rules are those of the
// normalizer and the pre-tokenizer that tokenizer.json calls BertNormalizer and BertPreTokenizer.

// normalizer has the rules that models choose.
type normalizer struct {
	clean      bool // no control characters
	ideographs bool // each ideograph is a word
	accents    bool // letters without their accents
	lower      bool // small letters
}

// words yields the words of a text. The bytes of a word are valid until the next one.
func (n normalizer) words(text string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		word := make([]byte, 0, 64)
		flush := func() bool {
			ok := len(word) == 0 || yield(word)
			word = word[:0]
			return ok
		}
		for piece := range pieces(text) {
			piece = n.separated(piece)
			if n.accents {
				piece = norm.NFD.String(piece)
			}
			for _, r := range piece {
				if n.accents && r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r) {
					continue
				}
				space, mark := unicode.IsSpace(r), isPunctuation(r)
				if (space || mark) && !flush() {
					return
				}
				if space {
					continue
				}
				if word = n.appendRune(word, r); mark && !flush() {
					return
				}
			}
		}
		flush()
	}
}

// pieceBytes is the least length of a piece. A text that is cut after a few tokens is read no further than a piece.
const pieceBytes = 4096

// pieces yields the parts of a text. A part but the first begins with a space, before which Unicode's normal form of a text ends.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > pieceBytes {
			n := strings.IndexByte(text[pieceBytes:], ' ')
			if n < 0 {
				break
			}
			if !yield(text[:pieceBytes+n]) {
				return
			}
			text = text[pieceBytes+n:]
		}
		yield(text)
	}
}

// separated returns a text without control characters, with spaces round ideographs.
func (n normalizer) separated(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case n.clean && isControl(r):
		case n.clean && unicode.IsSpace(r):
			b.WriteByte(' ')
		case n.ideographs && isIdeograph(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// appendRune appends a rune, in lower case if the model wants that. One rune has two in lower case.
func (n normalizer) appendRune(word []byte, r rune) []byte {
	switch {
	case !n.lower:
		return utf8.AppendRune(word, r)
	case r == 'İ':
		return append(word, "i\u0307"...)
	}
	return utf8.AppendRune(word, unicode.ToLower(r))
}

// isControl reports whether a rune is dropped: the control, format and private characters and the one that stands for
// an invalid byte, but not the spaces among them.
func isControl(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, unicode.ReplacementChar:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isPunctuation reports whether a rune is a word of its own: also the symbols of ASCII.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.IsPunct(r)
}

// ideographs are the blocks that BERT's tokenizers take for ideographs. Japanese syllables and Korean are not among them.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, {Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2A6DF, Stride: 1}, {Lo: 0x2A700, Hi: 0x2B81F, Stride: 1}, {Lo: 0x2B920, Hi: 0x2CEAF, Stride: 1}, {Lo: 0x2F800, Hi: 0x2FA1F, Stride: 1}},
}

func isIdeograph(r rune) bool { return r >= 0x3400 && unicode.Is(ideographs, r) }
