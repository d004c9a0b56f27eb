// Package avo prints kernels as assembly for amd64, with the library of that name. Package amd64 has their instructions.
package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/amd64"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The targets of package amd64, which write assembly files.
var (
	AVX2              codegen.Target = target{amd64.AVX2()}
	AVX512            codegen.Target = target{amd64.AVX512()}
	AVX512WithoutVNNI codegen.Target = target{amd64.AVX512WithoutVNNI()}
)

type target struct{ *amd64.Target }

// Assemble returns an assembly file with a function for each kernel.
func (t target) Assemble(pkg string, kernels []kernel.Code) ([]byte, error) {
	f := newFile(t.Target)
	for _, k := range kernels {
		p, err := t.Program(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Signature(), err)
		}
		if err := f.function(codegen.Symbol(k)+t.Suffix(), k.Signature(), p); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Signature(), err)
		}
	}
	return f.text(pkg)
}
