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
	list := []codegen.Target{avo.AVX2, avo.AVX512, neon{arm64.NEON()}}
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

// neon is the target of arm64, which writes assembly files.
type neon struct{ *arm64.Target }

// Assemble returns an assembly file with a function for each kernel.
func (n neon) Assemble(_ string, kernels []kernel.Code) ([]byte, error) {
	out := []byte("#include \"textflag.h\"\n")
	for _, k := range kernels {
		text, err := n.Text(codegen.Symbol(k), k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Signature(), err)
		}
		out = append(append(out, '\n'), text...)
	}
	return out, nil
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
