package codegen

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Go loops for builds with assembly. Loops of basic kernels are always present, for processors that cannot run the assembly. A build
// tag that leaves out assembly adds the loops that replace it. A kernel without either is computed by its definition: see
// package runtime.

// tilingLoops returns the kernels of a list that tilings need, except those whose loops every build has.
func (g *generator) tilingLoops(kernels []named) []named {
	return slices.DeleteFunc(g.forTilings(kernels), func(k named) bool { return isBasic(k.Code) })
}

// forTilings returns the kernels of a list that tilings need.
func (g *generator) forTilings(kernels []named) []named {
	fused := signatures(fusedBuiltins())
	return slices.DeleteFunc(slices.Clone(kernels), func(k named) bool { return fused[k.Signature()] || takesSplats(k.Code) && g.emits(k.Code) })
}

// basicLoops writes the Go loops that builds with assembly also contain, for processors without AVX2.
func (g *generator) basicLoops() error {
	few := slices.DeleteFunc(g.forTilings(g.kernels), func(k named) bool { return !isBasic(k.Code) })
	text, err := plainLoops(few)
	if err != nil {
		return err
	}
	return g.addGo(genericFile, assemblyTag(amd64), g.Package, "var kernels_portable = loops{\n"+rows(few, "_go")+"}\n\n"+text)
}

// plainLoops returns the Go functions of kernels, which compute one element at a time.
func plainLoops(kernels []named) (string, error) {
	text, err := goLoops(kernels, false)
	// Inlined, math.FMA tests the processor each time and would be half of the code.
	return strings.ReplaceAll(text, "math.FMA(", "scalar.CallFMA("), err
}

// basicTypes are the element types for which programs on amd64 contain Go loops.
var basicTypes = ir.SetOf(ir.Float32, ir.Float64, ir.Int32, ir.Int64, ir.Uint8, ir.Bool)

// isBasic reports whether a kernel computes a basic operation on basic types, or moves elements of any type. Other
// functions would be three quarters of the loops: those of float64 that take many instructions, the fast ones and those of rare types.
func isBasic(code kernel.Code) bool {
	if kernel.TimeOf(code).Unit == kernel.Moved {
		return true
	}
	for _, a := range code.Args() {
		if !basicTypes.Has(a.DType) {
			return false
		}
	}
	k, ok := code.(*kernel.Kernel)
	if m, micro := code.(*kernel.Micro); micro {
		k, ok = m.Body, m.Body != nil
	}
	if !ok || len(k.Body) == 0 {
		return true
	}
	one := k.Body[0]
	return len(k.Body) == 1 && (!isLong(one.Op) || one.DType == ir.Float32 && !k.Fast)
}
