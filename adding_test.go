//go:build !purego

package stridefuse

import (
	"bytes"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// added tests what the diffs of docs/adding.md add for users, in a package of its own, which compiles sooner than the tests of graph.
const added = `package added

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

func TestAdded(t *testing.T) {
	x := graph.Input("x", graph.Float32, 5)
	y := x.LogExpit()
	p, err := graph.Compile(y, x.Neg().Softplus().Neg(), graph.Grad(y.Sum(), x), x.Neg().Sigmoid(), x.Abs().Mul(x.Square().Abs()).Abs())
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of([]float32{-3, -0.5, 0, 1, 20}, 5))
	require.NoError(t, err)
	require.True(t, graph.Equal(outs[0], outs[1]), "the operation: %v, %v", outs[0], outs[1])
	require.True(t, graph.Equal(outs[2], outs[3]), "its derivative: %v, %v", outs[2], outs[3])
	var simple strings.Builder
	require.NoError(t, p.Dump(&simple, "simplify"))
	require.Equal(t, 2, strings.Count(simple.String(), "= abs "), "the rule: %s", &simple)
}
`

// TestAdding applies the diffs of docs/adding.md on a copy of the tree. With -long it tests what they add: an operation with its
// derivative, a rule, a pass and a strategy. Packages that do not change come from the build cache.
func TestAdding(t *testing.T) {
	page, err := os.ReadFile("docs/adding.md")
	require.NoError(t, err)
	dir := t.TempDir()
	copyTree(t, dir)
	blocks := regexp.MustCompile("(?s)```diff\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 6)
	for _, b := range blocks {
		apply := exec.Command("git", "apply", "-C1", "-")
		apply.Dir, apply.Stdin = dir, strings.NewReader(b[1])
		said, err := apply.CombinedOutput()
		require.NoError(t, err, "the code around this diff of docs/adding.md has changed: make the diff anew\n%s%s", said, b[1])
		for _, name := range regexp.MustCompile(`(?m)^\+\+\+ b/(.*\.go)$`).FindAllStringSubmatch(b[1], -1) {
			code, err := os.ReadFile(filepath.Join(dir, name[1]))
			require.NoError(t, err)
			formatted, err := format.Source(code)
			require.NoError(t, err)
			require.True(t, bytes.Equal(formatted, code), "gofmt changes %s after this diff of docs/adding.md\n%s", name[1], b[1])
		}
	}
	if !*long {
		return
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "added"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "added", "added_test.go"), []byte(added), 0o666))
	for _, args := range []string{
		"test ./passes/schedule -run ^TestGolden$/^single-search$ -update", // writes the nest
		"test ./passes/schedule -run ^TestGolden$/^single-search$|^TestNames$",
		"test ./passes -run ^TestPasses$/^doubles$ -update",
		"test ./passes -run ^TestPasses$/^doubles$|PassKeepsMeaning -pass doubles -rapid.checks 100",
		"generate ./runtime/builtin/...", // the kernels of the operation
		"test ./ir/elementary",
		"run ./cmd/ulp -op logexpit -n 100000 -update",
		"test ./cmd/ulp -run ^TestEveryFunctionIsMeasured$|^TestDocumentation$|^TestTable$/^logexpit",
		"test ./added",
	} {
		test := exec.Command("go", strings.Fields(args)...)
		test.Dir = dir
		test.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath")
		said, err := test.CombinedOutput()
		require.NoError(t, err, "go %s\n%s", args, said)
	}
	nest, err := os.ReadFile(filepath.Join(dir, "passes/schedule/testdata/single-search.txtar"))
	require.NoError(t, err)
	require.Contains(t, string(nest), "# step 0: \"single-search\"")
	graph, err := os.ReadFile(filepath.Join(dir, "passes/testdata/doubles.txtar"))
	require.NoError(t, err)
	require.Contains(t, string(graph), "= add %x, %x : f32[4]\n")
}

// copyTree copies the module's packages that the tests of added things need.
func copyTree(t *testing.T, to string) {
	for _, name := range []string{"go.mod", "go.sum", "ir", "passes", "graph", "runtime", "internal", "codegen", "cmd", "formats", "optim", "stream"} {
		require.NoError(t, filepath.Walk(name, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			target := filepath.Join(to, path)
			if info.IsDir() {
				return os.MkdirAll(target, 0o777)
			}
			return copyFile(path, target)
		}))
	}
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
