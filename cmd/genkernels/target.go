package main

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
)

// targets returns the targets of the assembly. The library's own kernels are made for
// AVX-512 if they gain from it.
func (t *tool) targets() []codegen.Target {
	switch {
	case t.avx2:
		return []codegen.Target{avo.AVX2}
	case t.builtin:
		return []codegen.Target{avo.AVX2, codegen.Only(avo.AVX512, codegen.BuiltinAVX512)}
	}
	return []codegen.Target{avo.AVX2, avo.AVX512}
}
