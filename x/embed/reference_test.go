package embed

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/embed/internal/tiny"
)

// folder is an environment variable with the folder of a real model: testdata/fetch.sh gets one, and
// testdata/reference.py adds the answers of sentence-transformers, reference.json.
const folder = "STRIDEFUSE_EMBED"

// TestReference compares the tokens and vectors of real sentences with those of sentence-transformers.
func TestReference(t *testing.T) {
	dir := os.Getenv(folder)
	if dir == "" {
		t.Skip(folder + " names no folder with a model")
	}
	var want struct {
		Texts   []string
		IDs     [][]int32
		Vectors [][]float32
	}
	data, err := os.ReadFile(filepath.Join(dir, "reference.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &want))
	m := open(t, dir, Options{})
	cosines := make([]float64, len(want.Texts))
	for i, row := range embedded(t, m, want.Texts...) {
		require.Equal(t, want.IDs[i], m.tokenizer.tokens(want.Texts[i], m.MaxTokens()), "%q", want.Texts[i])
		cosines[i] = cosine(row, want.Vectors[i])
	}
	least := slices.Min(cosines)
	t.Logf("1 - cosine is at most %.2g over %d texts", 1-least, len(cosines))
	require.Greater(t, least, 0.99999)
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// BenchmarkEmbed measures texts a second, with the model in the environment's folder or the tiny one, in float32 and with weights
// of 8 bits.
func BenchmarkEmbed(b *testing.B) {
	dir := os.Getenv(folder)
	if dir == "" {
		dir = b.TempDir()
		require.NoError(b, tiny.Write(dir, tiny.Parameters(), nil))
	}
	float, int8 := open(b, dir, Options{}), open(b, dir, Options{Int8Weights: true})
	for _, tokens := range []int{16, 128, 512} {
		for _, texts := range []int{1, 8, 32} {
			b.Run(fmt.Sprintf("tokens=%d/texts=%d", tokens, texts), func(b *testing.B) { benchmark(b, float, texts, tokens) })
			b.Run(fmt.Sprintf("tokens=%d/texts=%d/int8", tokens, texts), func(b *testing.B) { benchmark(b, int8, texts, tokens) })
		}
	}
}

// benchmark computes batches of texts of so many tokens, or as many as the model takes at most.
func benchmark(b *testing.B, m *Model, count, tokens int) {
	long := min(tokens, m.config.Positions)
	ids := make([][]int32, count)
	for i := range ids {
		ids[i] = m.tokenizer.tokens(strings.Repeat("the ", long), long)
	}
	rows := make([]float32, count*m.Size())
	least := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		for batch := range batches(ids, long) {
			if err := m.run(ctx, batch, ids, rows); err != nil {
				b.Fatal(err)
			}
		}
		least = min(least, time.Since(start))
	}
	b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds(), "texts/s")
	b.ReportMetric(least.Seconds()*1e3/float64(count), "least-ms/text")
}

// BenchmarkTokenize measures the tokenizer.
func BenchmarkTokenize(b *testing.B) {
	k := tinyTokenizer(b)
	text := strings.Repeat("The naïve café is unbelievable, 日本. ", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		k.tokens(text, math.MaxInt)
	}
}

// BenchmarkOpen measures the time until the first vector.
func BenchmarkOpen(b *testing.B) {
	dir := os.Getenv(folder)
	if dir == "" {
		b.Skip(folder + " names no folder with a model")
	}
	for b.Loop() {
		m, err := Open(dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		out, err := m.Embed(ctx, []string{"the"})
		if err != nil || !graph.Equal(out, out) {
			b.Fatal(err)
		}
		m.Close()
	}
}
