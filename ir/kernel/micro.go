package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Code is the callee of a call: an elementwise Kernel or a Micro.
type Code interface {
	Signature() string // the canonical text, under which compiled forms are registered
	String() string    // the text
	Args() []Arg       // the inputs, then the outputs
	Fields() []string  // names of the numbers in the frame that it reads in addition
	FieldAt(i int) int // index of field i in Frame.Step
	Verify() error
}

// Micro is a micro-kernel: a loop that is not an elementwise body. Kind is its row of the table, and determines which other fields
// are set. The text is the name of the row, then the fields that are set:
//
//	dot f32
//	scan add f32 carry
//	reduce [add, _] kernel (u0:f32) { t0 = exp u0; store t0 t0 }
type Micro struct {
	Kind    MicroKind
	Combine []ir.Op  // the combiner of each output, OpInvalid for one that is stored
	Op      ir.Op    // the combiner of all elements
	Type    ir.DType // of the elements
	Carry   bool     // the last running value is combined with a carry
	Body    *Kernel  // computed for each element before it is combined

	sig signature[Micro]
}

// MicroKinds lists the micro-kernels.
func MicroKinds() []MicroKind {
	var all []MicroKind
	for r := NoMicro + 1; r < numMicros; r++ {
		all = append(all, r)
	}
	return all
}

func (r MicroKind) String() string {
	if r == NoMicro || r >= numMicros {
		return "invalid"
	}
	return micros[r].name
}

// Types returns the element types that a micro-kernel without a body is built for.
func (r MicroKind) Types() ir.DTypes { return micros[r].types }

// Ops returns the ops for which the row has a micro-kernel, or nil if it has a single one.
func (r MicroKind) Ops() []ir.Op { return micros[r].ops }

// Doc returns one line that says what a micro-kernel computes.
func (r MicroKind) Doc() string { return micros[r].doc }

// microByName finds a micro-kernel by its name in text.
func microByName(name string) (MicroKind, bool) {
	for _, r := range MicroKinds() {
		if micros[r].name == name {
			return r, true
		}
	}
	return NoMicro, false
}

// String returns the text of the micro-kernel.
func (m *Micro) String() string {
	words := []string{m.Kind.String()}
	if has := micros[min(m.Kind, numMicros-1)].has; has.combine {
		var names []string
		for _, by := range m.Combine {
			names = append(names, combinerText(by))
		}
		words = append(words, "["+strings.Join(names, ", ")+"]")
	}
	if m.Op != ir.OpInvalid {
		words = append(words, m.Op.String())
	}
	if m.Type != ir.Invalid {
		words = append(words, m.Type.Text())
	}
	if m.Carry {
		words = append(words, "carry")
	}
	if m.Body != nil {
		words = append(words, m.Body.String())
	}
	return strings.Join(words, " ")
}

func combinerText(by ir.Op) string {
	if by == ir.OpInvalid {
		return "_"
	}
	return by.String()
}

// Args returns the arguments of a call.
func (m *Micro) Args() []Arg { return micros[m.Kind].args(m) }

// Fields returns the names of the numbers that the micro-kernel reads from the frame.
func (m *Micro) Fields() []string { return micros[m.Kind].fields }

// FieldAt returns the index in Frame.Step of field i: the fields follow the arguments.
func (m *Micro) FieldAt(i int) int { return len(m.Args()) + i }

// OutType returns the element type of output i of the body after it is combined.
func (m *Micro) OutType(i int) ir.DType {
	if m.combiners()[i].IsArgReduction() {
		return ir.Int32
	}
	return m.Body.OutType(i)
}

// Canonical returns the canonical form of a kernel or micro-kernel, which all with the same meaning share. Input i of the result is
// input order[i] of c.
func Canonical(c Code) (canon Code, order []int) {
	switch c := c.(type) {
	case *Kernel:
		return c.Canonical()
	case *Micro:
		return c.Canonical()
	}
	panic(fmt.Sprintf("BUG: kernel: a %T is no kernel", c))
}

// Canonical returns the canonical form of the micro-kernel: see the function Canonical. The order of the body's operands and
// instructions also depends on the combiners, which distinguish its outputs.
//
// The micro-kernel must not be changed: later calls may return the same one.
func (m *Micro) Canonical() (canon *Micro, order []int) {
	signed := m.sig.kept(m)
	if !signed && m.Body != nil {
		return m.combined()
	}
	for i, a := range m.Args() {
		if !a.Out {
			order = append(order, i)
		}
	}
	if canon = m; !signed {
		out := *m
		out.sig.keep(&out, out.String())
		canon = &out
	}
	return canon, order
}

// combined is Canonical of a micro-kernel with a body, with a cache: it computes a form only once.
func (m *Micro) combined() (canon *Micro, order []int) {
	var space [512]byte
	content := m.Body.content(m.content(space[:0]), m.combiners())
	f, ok := known(content)
	if !ok {
		out := *m
		out.Combine = slices.Clone(m.Combine)
		out.Body, f.order = m.Body.combined(m.combiners())
		out.sig.keep(&out, out.String())
		f.micro = &out
		keep(content, f)
	}
	return f.micro, slices.Clone(f.order)
}

// combiners returns the combiner of each output of the body.
func (m *Micro) combiners() []ir.Op {
	if m.Kind == ReduceColumns {
		return []ir.Op{m.Op}
	}
	return m.Combine
}

// InTier returns the canonical kernel in the fast tier or the default one.
func InTier(c Code, fast bool) Code {
	switch c := c.(type) {
	case *Kernel:
		return c.InTier(fast)
	case *Micro:
		out := *c
		if c.Body != nil {
			body := *c.Body
			body.Fast = fast
			out.Body = &body
		}
		canon, _ := out.Canonical()
		return canon
	}
	panic(fmt.Sprintf("BUG: kernel: a %T is no kernel", c))
}

// Moves reports whether a kernel only copies elements: from or to strided places, or as they are.
func Moves(c Code) bool {
	switch k := c.(type) {
	case *Micro:
		return k.Kind == Pack || k.Kind == Transpose || k.Kind == Insert
	case *Kernel:
		return !slices.ContainsFunc(k.Body, func(in Inst) bool { return in.Op != ir.OpCopy })
	}
	return false
}
