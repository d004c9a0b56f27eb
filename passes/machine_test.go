package passes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMachineOfPlans: the passes on graphs read no constant of a machine. What they are given has none, and package tuning is
// imported only where plans are put into panels and tile groups, and where the options are passed on.
func TestMachineOfPlans(t *testing.T) {
	machines := map[string]bool{"passes.go": true, "bisect.go": true, "panels.go": true, "tiles.go": true}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "_test.go") || machines[file] {
			continue
		}
		require.NotContains(t, string(text), "ir/tuning", file)
	}
	for _, p := range Default {
		require.True(t, (p.Run == nil) != (p.On == nil), p.Name)
		require.Equal(t, p.Name == "panels" || p.Name == "tiles", p.On != nil, p.Name)
	}
}
