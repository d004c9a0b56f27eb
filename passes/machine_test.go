package passes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMachineOfPlans checks that the packages rewrite and form do not import package tuning, and that only the passes
// panels and tiles are given a machine.
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
