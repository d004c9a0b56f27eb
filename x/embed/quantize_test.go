package embed

import (
	"go/build"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/embed/internal/tiny"
)

// leastCosine is the least cosine between a vector of 8-bit weights and that of float32.
const leastCosine = 0.999

// TestInt8Weights compares the vectors of comments of Go's sources with those of float32 weights.
func TestInt8Weights(t *testing.T) {
	dir := os.Getenv(folder)
	if dir == "" {
		t.Skip(folder + " names no folder with a model")
	}
	texts := comments(t, 1000)
	want, got := embedded(t, open(t, dir, Options{}), texts...), embedded(t, open(t, dir, Options{Int8Weights: true}), texts...)
	cosines, greatest := make([]float64, len(texts)), 0.0
	sum := 0.0
	for i := range texts {
		cosines[i] = cosine(want[i], got[i])
		sum += cosines[i]
		for k := range want[i] {
			greatest = max(greatest, math.Abs(float64(want[i][k]-got[i][k])))
		}
	}
	t.Logf("cosines of %d texts: least %.5f, mean %.6f; greatest difference %.2g", len(texts), slices.Min(cosines), sum/float64(len(texts)), greatest)
	require.Greater(t, slices.Min(cosines), leastCosine)
}

// TestInt8WeightsOfTiny compares with a model whose file has the quantized weights as float32: the bits are the same.
func TestInt8WeightsOfTiny(t *testing.T) {
	const group = 8 // divides the rows of the tiny model and groupSize
	tensors := tiny.Parameters()
	texts := []string{"Hello, unbelievable world!", "the", strings.Repeat("日本 ", 12)}
	dir := write(t, tensors, nil)
	float, got := embedded(t, open(t, dir, Options{}), texts...), embedded(t, open(t, dir, Options{Int8Weights: true}), texts...)
	for name, weights := range tensors {
		if !strings.HasPrefix(name, "encoder.") || len(weights.Shape()) != 2 {
			continue
		}
		data, err := graph.Data[float32](weights)
		require.NoError(t, err)
		for part := range slices.Chunk(data, group) {
			scale := max(slices.Max(part), -slices.Min(part)) / 127
			for i, x := range part {
				part[i] = float32(math.RoundToEven(float64(x/scale))) * scale
			}
		}
	}
	require.Equal(t, embedded(t, open(t, write(t, tensors, nil), Options{}), texts...), got)
	for i := range texts {
		require.Greater(t, cosine(float[i], got[i]), leastCosine)
		require.NotEqual(t, float[i], got[i])
	}
}

// comments returns comments of Go's sources.
func comments(t *testing.T, count int) (texts []string) {
	block := regexp.MustCompile(`(?m)(^[ \t]*//.*\n)+`)
	err := filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil // a folder, or not for everyone
		}
		for _, lines := range block.FindAllString(string(data), -1) {
			var words []string
			for line := range strings.Lines(lines) {
				words = append(words, strings.Fields(strings.TrimLeft(strings.TrimSpace(line), "/"))...)
			}
			if text := strings.Join(words, " "); 20 < len(text) && len(text) < 4000 {
				texts = append(texts, text)
			}
		}
		return nil
	})
	require.NoError(t, err)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	rand.New(rand.NewPCG(7, 7)).Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts[:count]
}
