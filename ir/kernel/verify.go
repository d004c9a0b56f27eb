package kernel

import (
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Verify returns an error unless the kernel is sound, and within the limit on pointers.
func (k *Kernel) Verify() error {
	if err := k.VerifyBody(); err != nil {
		return err
	}
	if n := k.Pointers(); n > MaxPointers {
		return fmt.Errorf("%d unit operands: a kernel has at most %d", n, MaxPointers)
	}
	return nil
}

// VerifyBody returns an error unless every instruction is elementwise and reads earlier values of types that its op takes, constants
// are elements of their types, something is stored, and there are not too many operands. It does not check the limit on the
// body, which only holds before expansion: see CheckBody. Nor does it check the limit on pointers: some operands of a step's
// body are splats in the kernel that computes it, as they have one element for all columns.
func (k *Kernel) VerifyBody() error {
	for _, in := range k.In {
		if err := in.DType.Check(); err != nil {
			return err
		}
	}
	for j, in := range k.Body {
		if err := k.checkInst(j, in); err != nil {
			return fmt.Errorf("%s: %w", k.RefName(Ref(len(k.In)+j)), err)
		}
	}
	for _, r := range k.Out {
		if r < 0 || int(r) >= len(k.In)+len(k.Body) {
			return errors.New("a store of a value that does not exist")
		}
	}
	switch {
	case len(k.Out) == 0:
		return errors.New("a kernel without a store")
	case len(k.In)+len(k.Out) > MaxOperands:
		return fmt.Errorf("%d operands: a kernel has at most %d", len(k.In)+len(k.Out), MaxOperands)
	}
	return k.checkInterleaved()
}

// checkInst returns an error unless instruction j of the body is valid.
func (k *Kernel) checkInst(j int, in Inst) error {
	if in.Op == ir.OpConst {
		if err := in.DType.Check(); err != nil {
			return err
		}
		if !ir.IsElement(in.DType, in.Bits) {
			return fmt.Errorf("%#x is not an element of %s", in.Bits, in.DType)
		}
		return nil
	}
	if !inBodies(in.Op) {
		return fmt.Errorf("%s is not elementwise", in.Op)
	}
	if _, known := ir.Table(in.Bits); in.Op == ir.OpTable && (!known || in.DType != ir.Float32) {
		return fmt.Errorf("no table %x of %s is known", in.Bits, in.DType)
	}
	types := [3]ir.DType{}
	for i, a := range in.Args[:in.Arity()] {
		if a < 0 || int(a) >= len(k.In)+j {
			return fmt.Errorf("operand %d is not computed before it", i)
		}
		types[i] = k.DType(a)
	}
	got, err := in.Op.ResultType(in.DType, types[:in.Arity()]...)
	if err == nil && got != in.DType {
		err = fmt.Errorf("%s gives %s, not %s", in.Op, got, in.DType)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", in.Op, err)
	}
	return nil
}

// inBodies reports whether instructions of bodies may have an op.
func inBodies(op ir.Op) bool { return op.IsElementwise() || op.Info().Kind == ir.Inner }

// CheckBody returns an error unless a kernel has at most MaxBody instructions, none of which only expansions may contain. A kernel
// returned by Expand may violate both.
func (k *Kernel) CheckBody() error {
	if n := len(k.Body); n > MaxBody {
		return fmt.Errorf("%d instructions: a kernel has at most %d before expansion", n, MaxBody)
	}
	for _, in := range k.Body {
		if in.Op.Info().Kind == ir.Inner {
			return fmt.Errorf("%s: expansions alone have it", in.Op)
		}
	}
	return nil
}
