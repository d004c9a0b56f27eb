package stridefuse

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// fused has the files whose code may have fused multiply-adds on arm64, and why.
var fused = map[string]string{
	"graph/explain_hint.go":            "a sum of costs that is told",
	"ir/scalar/dot.go":                 "math.FMA: products of float64",
	"ir/scalar/dot_fused.go":           "products whose ops are FMA",
	"ir/scalar/fma.go":                 "math.FMA: CallFMA",
	"ir/scalar/fma_fused.go":           "MulAdd32, which is to be one instruction",
	"ir/lane.go":                       "math.FMA: the op FMA",
	"ir/range.go":                      "math.FMA: the elements of a range",
	"runtime/lines/nth_long.go":        "bounds of a sample; any bounds lead to the same element",
	"runtime/lines/window_quantile.go": "math.FMA: interpolation",
	"stream/choose.go":                 "bytes of memory",
}

// TestContraction compiles packages that compute values for arm64, where Go contracts x*y + z unless the product is converted: results
// have the same bits on every processor.
func TestContraction(t *testing.T) {
	if !*long {
		t.Skip("compiles packages for another processor: -long")
	}
	instruction := regexp.MustCompile(`\(github\.com/stridefuse/stridefuse/(\S+):(\d+)\)\s+(FN?M(?:ADD|SUB)[DS])\s`)
	packages := []string{"./graph", "./ir", "./ir/layout", "./ir/kernel", "./ir/eval", "./ir/scalar", "./ir/elementary", "./runtime/abi", "./runtime/lines", "./runtime/tensor", "./stream", "./optim", "./formats/onnx", "./formats/imaging"}
	build := exec.Command("go", append([]string{"build", "-trimpath", "-buildvcs=false", "-gcflags=-S"}, packages...)...) // a cached build prints its listing again
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=arm64", "GOFLAGS=")
	listing, err := build.CombinedOutput()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, m := range instruction.FindAllSubmatch(listing, -1) {
		file := string(m[1])
		seen[file] = true
		if fused[file] == "" {
			t.Errorf("%s:%s has %s: convert the product, as in float64(x*y) + z", file, m[2], m[3])
		}
	}
	for file := range fused {
		require.True(t, seen[file], "%s has no fused multiply-add: it needs no exception", file)
	}
}
