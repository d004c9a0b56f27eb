package kernel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Interleaved operands: their elements alternate in memory, as the parts of complex numbers do and the channels of pixels.
// An interleave group has two operands or more, its members, and their number is its factor. The members of a group are
// adjacent among the inputs, or among the outputs, and are one argument of a call: in every column the argument has an
// element of each. In text they are in parentheses:
//
//	kernel ((u0 u1):f32, s2:f32) { t0 = mul u0 s2; t1 = mul u1 s2; store (t0 t1) }
//
// The kernel of such a body loads and stores whole vectors. It deinterleaves inputs and interleaves outputs in registers.

// Member says which member of an interleave group an operand is: number At of Of. The zero value is an operand that is not
// interleaved.
type Member struct{ At, Of uint8 }

// MaxFactor is the greatest factor of an interleave group.
const MaxFactor = 4

// InterleavedTypes are the element types of interleaved operands: those as wide as lanes, and uint8.
var InterleavedTypes = ir.SetOf(ir.Float32, ir.Int32, ir.Uint32, ir.Float64, ir.Int64, ir.Uint64, ir.Uint8)

// OutMemberOf returns which member of an interleave group output i is.
func (k *Kernel) OutMemberOf(i int) Member {
	if k.OutMember == nil {
		return Member{}
	}
	return k.OutMember[i]
}

// Interleaved reports whether operands of the kernel are interleaved.
func (k *Kernel) Interleaved() bool {
	return k.OutMember != nil || slices.ContainsFunc(k.In, func(in Operand) bool { return in.Member.Of > 0 })
}

// member returns which member of an interleave group an operand is, of the inputs and then the outputs.
func (k *Kernel) member(operand int) Member {
	if operand < len(k.In) {
		return k.In[operand].Member
	}
	return k.OutMemberOf(operand - len(k.In))
}

// ArgsOf returns the argument that each operand is in, the inputs first.
func (k *Kernel) ArgsOf() []int {
	args := make([]int, len(k.In)+len(k.Out))
	n := -1
	for i := range args {
		if k.member(i).At == 0 {
			n++
		}
		args[i] = n
	}
	return args
}

// checkInterleaved returns an error unless the members of each interleave group are complete, in order, and of one type.
func (k *Kernel) checkInterleaved() error {
	if n := len(k.OutMember); n > 0 && n != len(k.Out) {
		return fmt.Errorf("%d members for %d outputs", n, len(k.Out))
	}
	left := Member{}
	for i := range len(k.In) + len(k.Out) {
		c, d := k.member(i), k.operandType(i)
		switch {
		case i == len(k.In) && left.Of > 0 || c != left && (left.Of > 0 || c.At > 0) || c.Of == 1 || c.Of > MaxFactor:
			return fmt.Errorf("operand %d is not the next member of an interleave group", i)
		case c.Of == 0:
			continue
		case i < len(k.In) && k.In[i].Splat || !InterleavedTypes.Has(d) || c.At > 0 && d != k.operandType(i-1):
			return fmt.Errorf("operand %d cannot be interleaved: a splat, or of %s", i, d)
		}
		if left = (Member{c.At + 1, c.Of}); left.At == c.Of {
			left = Member{}
		}
	}
	if left.Of > 0 {
		return errors.New("the last interleave group lacks members")
	}
	return nil
}

// operandType returns the element type of an operand, of the inputs and then the outputs.
func (k *Kernel) operandType(operand int) ir.DType {
	if operand < len(k.In) {
		return k.In[operand].DType
	}
	return k.OutType(operand - len(k.In))
}

// Interleave returns the canonical kernel in which operands are interleaved, and which input of k each of its
// inputs is, -1 for none. groups lists the members of each interleave group, in order: inputs, where -1 stands for a member
// that k does not read, or outputs, which follow the inputs and are in that order in k too.
func (k *Kernel) Interleave(groups ...[]int) (canon *Kernel, order []int) {
	out := &Kernel{In: make([]Operand, 0, len(k.In)), Body: slices.Clone(k.Body), Out: slices.Clone(k.Out), Fast: k.Fast}
	at := make([]Ref, len(k.In)) // of each input
	add := func(i int, o Operand) {
		if i >= 0 {
			at[i] = Ref(len(out.In))
		}
		out.In, order = append(out.In, o), append(order, i)
	}
	grouped := make([]bool, len(k.In))
	for _, group := range groups {
		for n, i := range group {
			if c := (Member{uint8(n), uint8(len(group))}); i < len(k.In) {
				if i >= 0 {
					grouped[i] = true
				}
				add(i, Operand{DType: k.operandType(slices.Max(group)), Member: c})
			} else {
				if out.OutMember == nil {
					out.OutMember = make([]Member, len(k.Out))
				}
				out.OutMember[i-len(k.In)] = c
			}
		}
	}
	for i := range k.In {
		if !grouped[i] {
			add(i, k.In[i])
		}
	}
	renumber := func(r *Ref) {
		if int(*r) < len(at) {
			*r = at[*r]
		} else {
			*r += Ref(len(out.In) - len(at)) // members that k does not read
		}
	}
	for j := range out.Body {
		for i := range out.Body[j].Arity() {
			renumber(&out.Body[j].Args[i])
		}
	}
	for i := range out.Out {
		renumber(&out.Out[i])
	}
	canon, from := out.Canonical()
	for i, old := range from {
		from[i] = order[old]
	}
	return canon, from
}
