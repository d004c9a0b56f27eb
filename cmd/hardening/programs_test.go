//go:build unix && amd64 && !purego

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestProgramsCallEveryMicroKernel: a micro-kernel that no program calls would never be attacked. Schedules call
// store_nt and prefetch only as assembly, so the portable engine is left out.
func TestProgramsCallEveryMicroKernel(t *testing.T) {
	texts, err := newSeeds()
	require.NoError(t, err)
	all := strings.Join(texts.nests, "")
	var missing []string
	for _, r := range kernel.MicroKinds() {
		if !strings.Contains(all, "call "+r.String()+" ") {
			missing = append(missing, r.String())
		}
	}
	require.Empty(t, missing)
}
