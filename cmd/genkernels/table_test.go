package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestEveryMicroKernel: the tool makes every valid micro-kernel of every row, type and combiner, except handwritten
// ones, and rejects the others. Programs list only valid kernels.
func TestEveryMicroKernel(t *testing.T) {
	var all []kernel.Code
	for _, m := range everyMicro() {
		parsed, err := parseLines(m.String())
		if m.Verify() != nil {
			require.Error(t, err, m)
			continue
		}
		require.NoError(t, err, m)
		if !m.Kind.Written() {
			all = append(all, parsed...)
		}
	}
	require.Greater(t, len(all), 100)
	files, err := codegen.Generate(codegen.Options{Package: "p", Targets: []codegen.Target{avo.AVX2, avo.AVX512}}, all)
	require.NoError(t, err)
	require.NotEmpty(t, files)
}

// everyMicro returns micro-kernels of all rows, types and combiners, valid or not, and reductions of all types.
func everyMicro() (all []*kernel.Micro) {
	ops := append([]ir.Op{ir.OpInvalid}, ir.Ops()...)
	for _, kind := range kernel.MicroKinds() {
		for _, d := range append([]ir.DType{ir.Invalid}, ir.AllTypes.List()...) {
			for _, op := range ops {
				for _, carry := range []bool{false, true} {
					all = append(all, &kernel.Micro{Kind: kind, Op: op, Type: d, Carry: carry})
				}
				if d == ir.Invalid {
					continue
				}
				body := &kernel.Kernel{In: []kernel.Operand{{DType: d}}, Out: []kernel.Ref{0}}
				all = append(all, &kernel.Micro{Kind: kind, Op: op, Body: body}, &kernel.Micro{Kind: kind, Combine: []ir.Op{op}, Body: body})
			}
		}
	}
	return all
}
