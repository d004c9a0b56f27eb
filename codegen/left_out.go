package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Element types whose assembly a program can leave out. Their assembly is in separate files that a build tag excludes: nofloat64,
// nointegers. Go loops and tilings then compute the same bits. Only the library's own kernels are divided in this way, as
// they have all loops that tilings need in builds with the tag.

// leftOut are the names of the groups. No tag leaves out the first.
var leftOut = []string{"", "_float64", "_integers"}

// groups returns the groups of an architecture. Builds for other ones than amd64 contain all Go loops, and leave out nothing.
func groups(arch string) []string {
	if arch == amd64 {
		return leftOut
	}
	return leftOut[:1]
}

// groupOf returns the group of a kernel: float64 if it has operands of that type, integers if it computes only with integers
// and bools. Kernels that move elements of any type are in the first group.
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
