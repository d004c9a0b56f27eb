package embed

import (
	"encoding/json"
	"math"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/x/embed/internal/tiny"
)

// tinyTokenizer returns the tokenizer of the tiny model, changed by edits.
func tinyTokenizer(t testing.TB, edits ...string) *tokenizer {
	k, err := newTokenizer([]byte(strings.NewReplacer(edits...).Replace(tiny.Tokenizer)), 1000, false)
	require.NoError(t, err)
	return k
}

// TestTokens compares with the library tokenizers, which made testdata/tokens.json: accents, ideographs, control
// characters, long words, special tokens within texts, random characters; for each choice of rules.
func TestTokens(t *testing.T) {
	var want struct {
		Texts []string
		IDs   map[string][][]int32
	}
	data, err := os.ReadFile("testdata/tokens.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &want))
	for mode, edits := range map[string][]string{
		"uncased": nil,
		"cased":   {`"lowercase":true`, `"lowercase":false`},
		"accents": {`"strip_accents":null`, `"strip_accents":false`},
		"plain":   {`"clean_text":true`, `"clean_text":false`, `"handle_chinese_chars":true`, `"handle_chinese_chars":false`},
	} {
		k := tinyTokenizer(t, edits...)
		require.Len(t, want.IDs[mode], len(want.Texts))
		for i, text := range want.Texts {
			require.Equal(t, want.IDs[mode][i], k.tokens(text, math.MaxInt), "%s %q", mode, text)
		}
	}
}

// TestTokensOfAnything: any string has tokens of the vocabulary, a limit keeps the first ones, and tokens that are
// special in a text are found where strings.Cut finds them.
func TestTokensOfAnything(t *testing.T) {
	k := tinyTokenizer(t)
	part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"[SEP]", "[MASK]", "the", "unbelievable", "é", "\xff\xfe", "İ"}), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		most := rapid.IntRange(2, 20).Draw(t, "most")
		ids := k.tokens(text, math.MaxInt)
		require.Equal(t, ids[len(ids)-1], k.suffix[0])
		for _, id := range ids {
			require.Less(t, int(id), len(k.first))
		}
		got := k.tokens(text, most)
		require.Equal(t, ids[:min(most, len(ids))-1], got[:len(got)-1])
		require.Len(t, got, min(most, len(ids)))
		if before, after, found := strings.Cut(text, "[MASK]"); found {
			a, b := k.tokens(before, math.MaxInt), k.tokens(after, math.MaxInt)
			require.Equal(t, ids, append(append(a[:len(a)-1], k.first["[MASK]"]), b[1:]...))
		}
	})
}

// TestLongTexts: a text of many pieces has the tokens of its parts. One that is cut takes memory for its first piece only.
func TestLongTexts(t *testing.T) {
	k := tinyTokenizer(t)
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"the", "[SEP]", "é", "e", "\u0301", "\u0323", "\xff", "İ", "日本", "\n", "???", "un", "believable"})
		unit := strings.Join(rapid.SliceOfN(part, 1, 9).Draw(t, "parts"), "")
		var want []int32
		one := k.tokens(unit+" ", math.MaxInt)
		count := 3*pieceBytes/len(unit) + 2
		for range count {
			want = append(want, one[1:len(one)-1]...)
		}
		got := k.tokens(strings.Repeat(unit+" ", count), math.MaxInt)
		require.True(t, slices.Equal(want, got[1:len(got)-1]), "%q", unit)
	})
	text := strings.Repeat("the é ", 1<<20)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	require.Len(t, k.tokens(text, 8), 8)
	goruntime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(text)/2))
}

func FuzzTokens(f *testing.F) {
	k := tinyTokenizer(f)
	f.Add("Hello [SEP] \xff wörld")
	f.Fuzz(func(t *testing.T, text string) {
		require.LessOrEqual(t, len(k.tokens(text, 8)), 8)
	})
}

// TestBatches: each text is in one batch; padding, sizes and the number of different shapes are bounded.
func TestBatches(t *testing.T) {
	shapes := map[[2]int]bool{}
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(2, 512), 0, 200).Draw(t, "lengths")
		ids := make([][]int32, len(lengths))
		for i, n := range lengths {
			ids[i] = make([]int32, n)
		}
		seen := map[int]bool{}
		for b := range batches(ids, 512) {
			shapes[[2]int{len(b.texts), b.tokens}] = true
			for place, i := range b.texts {
				require.False(t, seen[i])
				seen[i] = true
				require.LessOrEqual(t, lengths[i], b.tokens)
				require.True(t, place*b.tokens < shortTokens || 3*lengths[i] >= 2*b.tokens, "%d tokens padded to %d", lengths[i], b.tokens)
			}
			require.LessOrEqual(t, len(b.texts)*b.tokens, batchTokens)
		}
		require.Len(t, seen, len(ids))
	})
	require.Less(t, len(shapes), 200)
}
