package stridefuse

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The budgets, in bytes, 5% above the measured sizes. Raise one for a feature that is worth it: measure again, write the
// measured size into the comment and 1.05 times that here, and say so in the commit.
const (
	maxGenerated = 27_850_000 // measured: 26.53 MB, of which 3.4 are kernels for AVX-512, 3.7 all Go loops, and 10.2 kernels for NEON, whose words have comments; comments at labels are 1.5
	maxGrowth    = 11_250_000 // measured: 10.71 MB on linux/amd64, of which the assembler is 1.1
	maxUnused    = 4_120_000  // measured: 3.92 MB on linux/amd64, of which a program that prints is 2.40
)

// TestGeneratedSource limits the size of the built-in kernels' source in the repository.
func TestGeneratedSource(t *testing.T) {
	files, err := filepath.Glob("runtime/builtin/zkernels_*")
	require.NoError(t, err)
	loops, err := filepath.Glob("runtime/builtin/portable/zkernels_*")
	require.NoError(t, err)
	require.NotEmpty(t, loops)
	files = append(files, loops...)
	total := 0
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		total += int(info.Size())
	}
	t.Logf("generated source: %d bytes in %d files", total, len(files))
	require.LessOrEqual(t, total, maxGenerated, "the built-in kernels grew: `git diff --stat runtime/builtin` says which. Drop kernels that a tiling "+
		"replaces well from codegen/builtin.go, or raise maxGenerated as its comment says")
}

// TestBinaryGrowth limits how much larger a program that uses this library is than an empty one, both stripped. With -long it
// also builds with the tags that leave kernels out.
func TestBinaryGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	empty := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(empty, []byte("package main\n\nfunc main() {}\n"), 0o644))
	growth := stripped(t, "./examples/quickstart") - stripped(t, empty)
	t.Logf("growth of a stripped program: %d bytes", growth)
	require.LessOrEqual(t, growth, maxGrowth, "programs grew: `go tool nm -size -sort size` of the program says by what. A rare kernel belongs to "+
		"genkernels rather than to codegen/builtin.go; else raise maxGrowth as its comment says")
	if !*long {
		return
	}
	for _, tags := range []string{"noavx512", "noavx512,nofloat64", "noavx512,nofloat64,nointegers"} { // each set of tags leaves more out
		without := stripped(t, "./examples/quickstart", "-tags="+tags) - stripped(t, empty)
		t.Logf("with the tags %s: %d bytes", tags, without)
		require.Less(t, without, growth-150_000)
		growth = without
	}
}

// unused is a program that makes a graph but compiles none.
const unused = `package main

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

func main() { fmt.Println(graph.Input("x", graph.Float32, graph.Dim("n"), 3)) }
`

// TestUnusedIsNotLinked limits the size, with symbols, of a program that compiles no graph: it contains neither kernels
// nor strategies.
func TestUnusedIsNotLinked(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(unused), 0o644))
	size := built(t, file)
	t.Logf("size of a program that compiles no graph: %d bytes", size)
	require.LessOrEqual(t, size, maxUnused, "what a program links that compiles no graph grew: a package-level variable or init function "+
		"refers to it. Fill tables on first use, as strategiesOf does, or raise maxUnused as its comment says")
}

// stripped returns the size of a program for linux/amd64 without symbols.
func stripped(t *testing.T, pkg string, flags ...string) int {
	return built(t, pkg, append([]string{"-ldflags=-s -w"}, flags...)...)
}

// built returns the size of a program for linux/amd64.
func built(t *testing.T, pkg string, flags ...string) int {
	out := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), pkg)...)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=")
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)
	info, err := os.Stat(out)
	require.NoError(t, err)
	return int(info.Size())
}
