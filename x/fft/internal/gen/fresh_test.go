package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFresh compares the files of package kernel with what this program writes.
func TestFresh(t *testing.T) {
	for name, want := range files() {
		got, err := os.ReadFile("../kernel/" + name)
		require.NoError(t, err)
		require.True(t, string(want) == string(got), "%s: run go generate in x/fft/internal/kernel", name)
	}
}
