//go:build amd64 && !purego

package builtin

import (
	"testing"

	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// TestBasicLoops compares the loops of basic operations with what the kernels mean.
func TestBasicLoops(t *testing.T) {
	Register()
	var signatures []string
	for _, k := range kernels_portable {
		signatures = append(signatures, k.Sig)
	}
	kerneltest.Run(t, signatures...)
}
