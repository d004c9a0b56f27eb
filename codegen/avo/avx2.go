// Package avo emits kernels as AVX2 assembly. A kernel goes through three
// stages: lowering and scheduling give a list of instructions over values;
// allocation gives them sixteen registers and the stack; printing goes through
// the library avo. The first two know nothing of avo.
package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// AVX2 emits for amd64 with AVX2 and FMA. A step is 8 elements, whatever their
// size.
var AVX2 codegen.Target = avx2{}

type avx2 struct{}

// Name returns "avx2".
func (avx2) Name() string { return "avx2" }

// Assemble returns an assembly file with a function for each kernel.
func (avx2) Assemble(pkg string, kernels []*kernel.Kernel) ([]byte, error) {
	f := newFile()
	for _, k := range kernels {
		p, err := function(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		if err := f.function(codegen.Symbol(k), k.Signature(), p); err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
	}
	return f.text(pkg)
}

// function returns the instructions of a kernel.
func function(k *kernel.Kernel) (*program, error) {
	switch {
	case k.Scans():
		return compileScan(k), nil
	case k.Dots():
		return compileDot(k), nil
	case k.Transposes():
		return compileTranspose(k), nil
	case k.Streams():
		return compileStream(), nil
	case k.Down:
		return compileDown(k)
	}
	b, err := compile(elementary.Expand(k))
	if err != nil {
		return nil, err
	}
	return b.emit(), nil
}
