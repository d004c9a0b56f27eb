package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// An assembler writes the function of a kernel that computes a body row by row: of an elementwise kernel, or of a row
// reduction, whose outputs have combiners (see vector.Compile).
type assembler struct {
	name    string
	wide    bool // AVX-512 has such kernels: the others gain nothing from it
	accepts func(t *Target, body *kernel.Kernel, combine []ir.Op) bool
	emit    func(t *Target, body *kernel.Kernel, combine []ir.Op) (*Program, error)
}

// byHand is the table of the assemblers that write a reduction of elements as they are. The first that accepts a kernel writes it,
// on every target. Package builtin has all these kernels.
var byHand = [...]assembler{
	{"byte-sum", false,
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) bool { return sumsBytes(body, combine) },
		func(_ *Target, body *kernel.Kernel, _ []ir.Op) (*Program, error) { return compileByteSum(body), nil }},
	{"arg-extreme", false,
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) bool { return newArgExtreme(body, combine) != nil },
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) (*Program, error) {
			return newArgExtreme(body, combine).write(), nil
		}},
	{"row-extreme", false,
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) bool { return newRowExtreme(body, combine) != nil },
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) (*Program, error) {
			return newRowExtreme(body, combine).write(), nil
		}},
	{"float-extreme", true,
		func(t *Target, body *kernel.Kernel, combine []ir.Op) bool {
			return newFloatExtreme(t, body, combine) != nil
		},
		func(t *Target, body *kernel.Kernel, combine []ir.Op) (*Program, error) {
			return newFloatExtreme(t, body, combine).write(), nil
		}},
}

// compilers is the table of the assemblers that compile a body. The first that accepts a kernel which byHand has not writes it.
var compilers = [...]assembler{
	{"byte-products", false,
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) bool { return sumsByteProducts(body, combine) },
		func(_ *Target, body *kernel.Kernel, _ []ir.Op) (*Program, error) {
			return compileByteProducts(body), nil
		}},
	{"narrow-lanes", false, // AVX2 has 16 lanes or more, where AVX-512 has 16
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) bool {
			narrow, _ := inNarrowLanes(body)
			return narrow != nil && combine == nil
		},
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) (*Program, error) {
			narrow, expanded := inNarrowLanes(body)
			return narrow.compile(body, expanded, combine)
		}},
	{"vectors-avx2", false,
		func(_ *Target, body *kernel.Kernel, combine []ir.Op) bool {
			return combine == nil && body.Interleaved() || slices.ContainsFunc(combine, ir.Op.IsArgReduction) ||
				combine != nil && slices.ContainsFunc(body.Out, func(r kernel.Ref) bool { return body.DType(r) == ir.Bool })
		},
		compileVectors},
	{"vectors", true, func(*Target, *kernel.Kernel, []ir.Op) bool { return true }, compileVectors},
}

// assemblerOf returns the assembler of a kernel with a body.
func (t *Target) assemblerOf(body *kernel.Kernel, combine []ir.Op) *assembler {
	if i := slices.IndexFunc(byHand[:], func(a assembler) bool { return a.accepts(t, body, combine) }); i >= 0 {
		return &byHand[i]
	}
	return t.compilerOf(body, combine)
}

// compilerOf returns the assembler of a kernel that byHand does not accept.
func (t *Target) compilerOf(body *kernel.Kernel, combine []ir.Op) *assembler {
	return &compilers[slices.IndexFunc(compilers[:], func(a assembler) bool { return a.accepts(t, body, combine) })]
}

// bodyOf returns the body that a kernel computes row by row, and its combiners: nil if it is elementwise. Other
// micro-kernels have none.
func bodyOf(c kernel.Code) (body *kernel.Kernel, combine []ir.Op, ok bool) {
	switch c := c.(type) {
	case *kernel.Kernel:
		return c, nil, true
	case *kernel.Micro:
		return c.Body, c.Combine, c.Kind == kernel.Reduce
	}
	panic("BUG: codegen/amd64: a kernel of another kind")
}

// compileVectors compiles a body to instructions on vectors.
func compileVectors(t *Target, body *kernel.Kernel, combine []ir.Op) (*Program, error) {
	return t.compile(body, elementary.ExpandBut(body, t.composed), combine)
}

// compile returns the function of a body, whose composed ops are expanded in another one.
func (t *Target) compile(body, expanded *kernel.Kernel, combine []ir.Op) (*Program, error) {
	b, err := vector.Compile(t, expanded, combine)
	if err != nil {
		return nil, err
	}
	var past *nonTemporal
	if combine == nil && kernel.NonTemporal(body, t.m.Width) && storesLines(b, body.OutType(0).Size()) {
		past = &nonTemporal{ahead: !kernel.NonTemporal(body, 0)}
	}
	return emit(b, past), nil
}
