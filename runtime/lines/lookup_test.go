package lines

import (
	"testing"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// TestLookup checks the kernels that look bytes up.
func TestLookup(t *testing.T) {
	var signatures []string
	for _, m := range kernel.LineKernels() {
		if m.Kind == kernel.Lookup {
			signatures = append(signatures, m.Signature())
		}
	}
	kerneltest.Run(t, signatures...)
}
