//go:build amd64 && !purego && nofloat64 && nointegers

package builtin

import (
	"slices"
	"testing"

	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// TestLoops compares the loops of builds without some assembly with what the kernels mean.
//
//	go test -tags nofloat64,nointegers ./runtime/builtin
func TestLoops(t *testing.T) {
	Register()
	var signatures []string
	for _, k := range slices.Concat(kernels_avx2_float64, kernels_avx2_integers) {
		signatures = append(signatures, k.Sig)
	}
	kerneltest.Run(t, signatures...)
}
