package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Element types whose assembly a program can leave out. It is in files of its own, which a build
// tag excludes: nofloat64, nointegers. Go loops and tilings of them compute the same bits instead,
// so only the library's kernels are divided, which have loops of all that tilings need for builds
// with the tag.

// leftOut are the names of the groups, the first of which no tag leaves out.
var leftOut = []string{"", "_float64", "_integers"}

// groupOf returns the group of a kernel: float64 if it has operands of that type, integers if it
// computes with nothing but these and bools. What moves elements, of any type, is in the first.
func groupOf(c kernel.Code) string {
	body, ok := c.(*kernel.Kernel)
	if m, micro := c.(*kernel.Micro); micro {
		if body, ok = m.Body, m.Body != nil; !ok && kernel.TimeOf(c).Unit == kernel.Paired {
			return groupOfTypes(m.Type)
		}
	}
	if !ok {
		return ""
	}
	if len(body.Body) == 1 && body.Body[0].Op == ir.OpCopy {
		return ""
	}
	var types []ir.DType
	for _, in := range body.In {
		types = append(types, in.DType)
	}
	for _, in := range body.Body {
		types = append(types, in.DType)
	}
	return groupOfTypes(types...)
}

func groupOfTypes(types ...ir.DType) string {
	integers, others := false, false
	for _, d := range types {
		if d == ir.Float64 {
			return "_float64"
		}
		integers, others = integers || ir.Ints.Has(d), others || !ir.Ints.Has(d) && d != ir.Bool
	}
	if integers && !others {
		return "_integers"
	}
	return ""
}
