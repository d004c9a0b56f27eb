package passes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMachineOfPlans: the passes on graphs, and those that form steps, read no constant of a machine: their packages don't
// import package tuning. Only panels and tiles are given a machine.
func TestMachineOfPlans(t *testing.T) {
	for _, dir := range []string{"rewrite", "form"} {
		files, err := filepath.Glob(dir + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NotContains(t, string(text), "ir/tuning", file)
		}
	}
	for _, p := range Default {
		require.Equal(t, p.Name == "panels" || p.Name == "tiles", p.Arrange != nil, p.Name)
	}
}
