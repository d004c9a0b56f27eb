package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Ref names a value in a kernel: operand i is i, instruction j is len(In)+j.
type Ref int32

// Operand is an input of a kernel along the columns of its block: Unit
// elements are contiguous, a Splat is one value for all columns.
type Operand struct {
	DType ir.DType
	Splat bool
}

// Inst computes one value of a kernel's body from earlier ones.
type Inst struct {
	Op    ir.Op
	DType ir.DType // of the result
	Args  [3]Ref
	Bits  uint64 // const: the element
}

// Arity returns the number of Args in use.
func (i Inst) Arity() int { return i.Op.Info().Arity }

// Kernel is the body of one loop: for each element of a block it reads the
// operands, computes the instructions and stores the outputs, or folds those of
// a row into one. It knows nothing of extents, strides and pointers, which are
// given when it is called.
type Kernel struct {
	In   []Operand
	Body []Inst
	Out  []Ref
	// Fold is nil, or says of each output by which op its elements along the
	// columns are folded into one a row, as ReduceRow does; OpInvalid if they are
	// stored. A row then has at most ReduceChunk columns. A scan here stores the
	// running values instead: see ScanKernel. An op that Finds gives the column of
	// the element.
	Fold []ir.Op
	Down bool // folds down the rows: see DownKernel
	Fast bool // composed ops expand in the fast tier

	sig string // the text; set by Canonical alone, of what it returns
}

// DType returns the element type of a value.
func (k *Kernel) DType(r Ref) ir.DType {
	if int(r) < len(k.In) {
		return k.In[r].DType
	}
	return k.Body[int(r)-len(k.In)].DType
}

// OutType returns the element type of output i.
func (k *Kernel) OutType(i int) ir.DType {
	if k.FoldOf(i).IsArgReduction() {
		return ir.Int32
	}
	return k.DType(k.Out[i])
}

// FoldOf returns the op that folds output i, OpInvalid if it is stored.
func (k *Kernel) FoldOf(i int) ir.Op {
	if k.Fold == nil {
		return ir.OpInvalid
	}
	return k.Fold[i]
}

// Elementwise reports whether the kernel has nothing but elementwise instructions: it is
// the body of a step or a micro-kernel, and stands for no micro-kernel itself.
func (k *Kernel) Elementwise() bool {
	return k.Fold == nil && !k.Down && !k.Dots() && !k.Transposes()
}

// Inst returns the instruction that computes r, or nil for an operand.
func (k *Kernel) Inst(r Ref) *Inst {
	if int(r) < len(k.In) {
		return nil
	}
	return &k.Body[int(r)-len(k.In)]
}

// Signature returns the text of a canonical kernel: the key under which its
// compiled forms are registered. Of any other kernel it is String.
func (k *Kernel) Signature() string {
	if k.sig == "" {
		return k.String()
	}
	return k.sig
}

// String returns the kernel on one line:
//
//	kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 add(t0) }
//
// which stores the differences, and their sum over each row.
func (k *Kernel) String() string {
	var b strings.Builder
	b.Grow(32 + 24*len(k.Body))
	b.WriteString("kernel ")
	if k.Fast {
		b.WriteString("fast ")
	}
	if k.Down {
		b.WriteString("down ")
	}
	b.WriteByte('(')
	for i, in := range k.In {
		if i > 0 {
			b.WriteString(", ")
		}
		k.writeRef(&b, Ref(i))
		b.WriteByte(':')
		b.WriteString(in.DType.Text())
	}
	b.WriteString(") {")
	for j := range k.Body {
		k.writeInst(&b, Ref(len(k.In)+j))
		b.WriteByte(';')
	}
	b.WriteString(" store")
	for i, r := range k.Out {
		b.WriteByte(' ')
		if by := k.FoldOf(i); by != ir.OpInvalid {
			b.WriteString(by.String())
			b.WriteByte('(')
			k.writeRef(&b, r)
			b.WriteByte(')')
			continue
		}
		k.writeRef(&b, r)
	}
	b.WriteString(" }")
	return b.String()
}

func (k *Kernel) writeInst(b *strings.Builder, r Ref) {
	in := k.Inst(r)
	b.WriteByte(' ')
	k.writeRef(b, r)
	b.WriteString(" = ")
	b.WriteString(in.Op.String())
	if in.Op.Info().Result == ir.GivenType {
		b.WriteByte(':')
		b.WriteString(in.DType.Text())
	}
	if in.Op == ir.OpConst {
		b.WriteByte(':')
		b.WriteString(strconv.FormatUint(in.Bits, 16))
	}
	for _, a := range in.Args[:in.Arity()] {
		b.WriteByte(' ')
		k.writeRef(b, a)
	}
}

// RefName returns the name of a value in text: u0, s1, t2.
func (k *Kernel) RefName(r Ref) string {
	class, n := k.refName(r)
	return string(class) + strconv.Itoa(n)
}

func (k *Kernel) refName(r Ref) (class byte, n int) {
	switch {
	case int(r) >= len(k.In):
		return 't', int(r) - len(k.In)
	case k.In[r].Splat:
		return 's', int(r)
	}
	return 'u', int(r)
}

func (k *Kernel) writeRef(b *strings.Builder, r Ref) {
	class, n := k.refName(r)
	b.WriteByte(class)
	b.WriteString(strconv.Itoa(n)) // without a copy below 100
}

// Verify returns an error unless every instruction reads earlier values of
// types that its op takes, constants are elements of their types, something is
// stored, and the limits on operands hold. The one on the body is of kernels
// before expansion alone: CheckBody has it, and a plan's Verify asks it.
func (k *Kernel) Verify() error {
	for _, in := range k.In {
		if err := in.DType.CheckRuns(); err != nil {
			return err
		}
	}
	for j, in := range k.Body {
		name := k.RefName(Ref(len(k.In) + j))
		if err := k.checkOp(in.Op); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		types := [3]ir.DType{}
		for i, a := range in.Args[:in.Arity()] {
			if a < 0 || int(a) >= len(k.In)+j {
				return fmt.Errorf("%s: operand %d is not computed before it", name, i)
			}
			types[i] = k.DType(a)
		}
		if in.Op == ir.OpConst {
			if err := in.DType.CheckRuns(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if !ir.IsElement(in.DType, in.Bits) {
				return fmt.Errorf("%s: %#x is not an element of %s", name, in.Bits, in.DType)
			}
			continue
		}
		got, err := in.Op.ResultType(in.DType, types[:in.Arity()]...)
		if err == nil && got != in.DType {
			err = fmt.Errorf("%s gives %s, not %s", in.Op, got, in.DType)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, in.Op, err)
		}
	}
	for _, r := range k.Out {
		if r < 0 || int(r) >= len(k.In)+len(k.Body) {
			return fmt.Errorf("a store of a value that does not exist")
		}
	}
	if err := k.checkFold(); err != nil {
		return err
	}
	if err := k.checkNative(); err != nil {
		return err
	}
	switch {
	case len(k.Out) == 0:
		return fmt.Errorf("a kernel without a store")
	case len(k.In)+len(k.Out) > MaxOperands:
		return fmt.Errorf("%d operands: a kernel has at most %d", len(k.In)+len(k.Out), MaxOperands)
	case k.Pointers() > MaxPointers:
		return fmt.Errorf("%d unit operands: a kernel has at most %d", k.Pointers(), MaxPointers)
	}
	return nil
}

// checkOp returns an error unless the kernel may have an instruction of op.
func (k *Kernel) checkOp(op ir.Op) error {
	switch {
	case op == ir.OpDot:
		return k.checkDot()
	case op == ir.OpPermute:
		return k.checkTranspose()
	case !op.IsElementwise() && op != ir.OpConst:
		return fmt.Errorf("%s is not elementwise", op)
	}
	return nil
}

func (k *Kernel) checkFold() error {
	switch {
	case k.Down:
		return k.checkDown()
	case k.Fold == nil:
		return nil
	}
	if k.Scans() {
		return k.checkScan()
	}
	folds := 0
	for i, by := range k.Fold {
		if by == ir.OpInvalid {
			continue
		}
		folds++
		if i >= len(k.Out) {
			break
		}
		d := k.DType(k.Out[i])
		if err := ir.CheckReduce(by, d); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	if folds == 0 || len(k.Fold) != len(k.Out) {
		return fmt.Errorf("%d folds for %d outputs: one for each, and none at all where nothing is folded", len(k.Fold), len(k.Out))
	}
	return nil
}

// checkNative returns an error unless what the kernel reduces, scans or multiplies is
// of types with such kernels: plans convert the others before.
func (k *Kernel) checkNative() error {
	for i, r := range k.Out {
		if d := k.DType(r); !d.Native() && (k.FoldOf(i) != ir.OpInvalid || k.Dots()) {
			return fmt.Errorf("output %d: %s is computed in %s: cast it before", i, d, d.Compute())
		}
	}
	return nil
}

// CheckBody returns an error unless a kernel has at most MaxBody instructions.
// A kernel that Expand made may have more.
func (k *Kernel) CheckBody() error {
	if n := len(k.Body); n > MaxBody {
		return fmt.Errorf("%d instructions: a kernel has at most %d before expansion", n, MaxBody)
	}
	return nil
}

// InTier returns the kernel in canonical form, in the fast tier or the default
// one. They are the same where no op of it has a fast expansion.
func (k *Kernel) InTier(fast bool) *Kernel {
	k = &Kernel{In: k.In, Body: k.Body, Out: k.Out, Fold: k.Fold, Down: k.Down, Fast: fast}
	k, _ = k.Canonical()
	return k
}

// SingleOp returns the kernel of one operation on operands of the given types
// and classes. given is the target of a cast.
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

// Eval computes one element of each output of an expanded kernel.
func (k *Kernel) Eval(in []uint64) []uint64 {
	vals := append(make([]uint64, 0, len(k.In)+len(k.Body)), in...)
	for _, inst := range k.Body {
		if inst.Op == ir.OpConst {
			vals = append(vals, inst.Bits)
			continue
		}
		var a [3]uint64
		for i := range inst.Arity() {
			a[i] = vals[inst.Args[i]]
		}
		// The operands' type is the last one's: a select's first is bool.
		vals = append(vals, inst.Op.Info().Ref(k.DType(inst.Args[inst.Arity()-1]), inst.DType, a))
	}
	out := make([]uint64, len(k.Out))
	for i, r := range k.Out {
		out[i] = vals[r]
	}
	return out
}
