package stridefuse

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestReadme compares the program and the output in the README, and the bounds in docs/limits.md, with the real ones.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("examples/quickstart/main.go")
	require.NoError(t, err)
	require.Contains(t, string(readme), "```go\n"+string(source)+"```\n")
	limits, err := os.ReadFile("docs/limits.md")
	require.NoError(t, err)
	require.Contains(t, string(limits), fmt.Sprintf("at most %d operands, of which %d may be arrays or views, and %d operations", kernel.MaxOperands, kernel.MaxPointers, kernel.MaxBody))
	run := exec.Command("go", "run", "./examples/quickstart")
	run.Env = append(os.Environ(), abi.CPUEnv+"=avx2")
	out, err := run.Output()
	require.NoError(t, err)
	// the engine depends on the machine
	got := strings.ReplaceAll(string(out), "portable", "avx2")
	require.Contains(t, string(readme), "```\n"+got+"```\n")
}
