package kernel

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Ref names a value in a kernel: operand i is i, instruction j is len(In)+j.
type Ref int32

// Operand is an input of a kernel. Along the columns of the block, a Unit operand has contiguous elements, and a Splat is one value for
// all columns. Elements of a Member
// alternate with those of the other members of its interleave group.
type Operand struct {
	DType  ir.DType
	Splat  bool
	Member Member
}

// Inst computes one value of a kernel's body from earlier ones.
type Inst struct {
	Op    ir.Op
	DType ir.DType // of the result
	Args  [3]Ref
	Bits  uint64 // const: the element; table: its name
}

// hasBits reports whether the instruction depends on Bits.
func (i Inst) hasBits() bool { return i.Op == ir.OpConst || i.Op == ir.OpTable }

// Arity returns the number of Args in use.
func (i Inst) Arity() int { return i.Op.Info().Arity }

// Kernel is the elementwise body of one loop: for each element of a block it reads the operands, computes the instructions and
// stores the outputs. A call gives the extents, strides and pointers. A loop that combines elements is a Micro, whose Body is a
// Kernel.
type Kernel struct {
	In   []Operand
	Body []Inst
	Out  []Ref
	Fast bool // composed ops expand in the fast tier

	OutMember []Member // of each output; nil if none is interleaved with others

	sig signature[Kernel]
}

// DType returns the element type of a value.
func (k *Kernel) DType(r Ref) ir.DType {
	if int(r) < len(k.In) {
		return k.In[r].DType
	}
	return k.Body[int(r)-len(k.In)].DType
}

// OutType returns the element type of output i.
func (k *Kernel) OutType(i int) ir.DType { return k.DType(k.Out[i]) }

// Inst returns the instruction that computes r, or nil for an operand.
func (k *Kernel) Inst(r Ref) *Inst {
	if int(r) < len(k.In) {
		return nil
	}
	return &k.Body[int(r)-len(k.In)]
}

// InTier returns the kernel in canonical form, in the fast tier or the default tier. They are the same if no op of it has a
// fast expansion.
func (k *Kernel) InTier(fast bool) *Kernel {
	out := *k
	out.Fast = fast
	canon, _ := out.Canonical()
	return canon
}

// WithSplats returns the kernel with exactly the operands for which splat is true as splats. It returns k itself if that changes
// nothing.
func (k *Kernel) WithSplats(splat func(i int) bool) *Kernel {
	same := true
	for i, in := range k.In {
		same = same && in.Splat == splat(i)
	}
	if same {
		return k
	}
	out := *k
	out.In = slices.Clone(k.In)
	for i := range out.In {
		out.In[i].Splat = splat(i)
	}
	return &out
}

// SingleOp returns the kernel of one operation on the given operands. given is the target type of a cast.
func SingleOp(op ir.Op, given ir.DType, operands ...Operand) (*Kernel, error) {
	types := make([]ir.DType, len(operands))
	for i, o := range operands {
		types[i] = o.DType
	}
	if len(types) != op.Info().Arity || !op.IsElementwise() {
		return nil, fmt.Errorf("%s on %d operands", op, len(types))
	}
	dt, err := op.ResultType(given, types...)
	if err != nil {
		return nil, err
	}
	in := Inst{Op: op, DType: dt}
	for i := range operands {
		in.Args[i] = Ref(i)
	}
	k := &Kernel{In: operands, Body: []Inst{in}, Out: []Ref{Ref(len(operands))}}
	k, _ = k.Canonical()
	return k, nil
}

// needed reports for each value whether an output needs it.
func (k *Kernel) needed() []bool {
	need := make([]bool, len(k.In)+len(k.Body))
	for _, r := range k.Out {
		need[r] = true
	}
	for j := len(k.Body) - 1; j >= 0; j-- {
		if in := k.Body[j]; need[len(k.In)+j] {
			for _, a := range in.Args[:in.Arity()] {
				need[a] = true
			}
		}
	}
	return need
}

// Storing returns a kernel that stores only r, with the instructions that r needs. It keeps all operands.
func (k *Kernel) Storing(r Ref) *Kernel {
	out := *k
	out.Out, out.OutMember = []Ref{r}, nil
	return out.Prune()
}

// Prune removes instructions that no output needs. It keeps all operands.
func (k *Kernel) Prune() *Kernel {
	need := k.needed()
	out := *k
	out.Body, out.Out = make([]Inst, 0, len(k.Body)), make([]Ref, 0, len(k.Out))
	at := make([]Ref, len(need))
	for i := range k.In {
		at[i] = Ref(i)
	}
	for j, in := range k.Body {
		if !need[len(k.In)+j] {
			continue
		}
		for i := range in.Arity() {
			in.Args[i] = at[in.Args[i]]
		}
		at[len(k.In)+j] = Ref(len(k.In) + len(out.Body))
		out.Body = append(out.Body, in)
	}
	for _, r := range k.Out {
		out.Out = append(out.Out, at[r])
	}
	return &out
}
