//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestKernels makes a few calls of every micro-kernel; go run ./cmd/hardening makes many.
func TestKernels(t *testing.T) {
	a, ran, err := attackKernels(1, 6000)
	require.NoError(t, err)
	require.Empty(t, a.failures)
	for _, r := range kernel.MicroKinds() {
		require.NotZero(t, ran[r], "%s has run to no end", r)
	}
}
