package main

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/arm64"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// targets returns the targets of the assembly. The library's own kernels are made for AVX-512 only if they gain from
// it.
func (t *tool) targets() []codegen.Target {
	if t.portable {
		return nil
	}
	list := []codegen.Target{avo.AVX2, avo.AVX512, arm64.NEON()}
	switch {
	case t.avx2:
		list = list[:1]
	case t.builtin:
		list[1] = codegen.Only(avo.AVX512, codegen.BuiltinAVX512)
		list = append(list, codegen.Only(avo.AVX512WithoutVNNI, codegen.MultipliesHalves))
	}
	for i := range list {
		list[i] = announced{list[i], t}
	}
	return list
}

// announced is a target that reports to its tool when it begins.
type announced struct {
	codegen.Target
	tool *tool
}

func (a announced) Assemble(pkg string, kernels []kernel.Code) ([]byte, error) {
	a.tool.progress.Phase("genkernels: package %s: %s assembly of %s", pkg, a.Name(), counted(len(kernels), "kernel"))
	return a.Target.Assemble(pkg, kernels)
}

// counted returns a number of things: "1 kernel", "2 kernels".
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
