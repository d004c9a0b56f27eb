package plan

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// step checks a step and records the buffers that it reads and writes.
func (v *planVerifier) step(i int) {
	s := &v.p.Steps[i]
	at := step(i)
	if err := s.check(); err != nil {
		v.fail(at, "%v", err)
		return
	}
	if v.oneBlock(i) == nil {
		v.fail(at, "it does not have the axes of %s", v.group[i])
		return
	}
	for o, a := range s.In {
		if msg := v.access(i, a, s.InExtents(a), s.Body.In[o].DType); msg != "" {
			v.fail(at.in(o), "input %s: %s", a, msg)
			return
		}
		v.read(i, o, a)
		v.ownRows(i, o, a, s.InExtents(a))
	}
	for o, out := range s.Out {
		msg := v.access(i, out.Access, s.OutExtents(o), s.OutType(o))
		if msg == "" && !layout.Injective(v.outLayout(i, o)) {
			msg = "two stores to one element"
		}
		if msg != "" {
			v.fail(at.out(o), "output %s: %s", out.Access, msg)
			return
		}
	}
	v.runsOnce(i)
	for o := range s.Out {
		v.write(i, o)
	}
}

// check returns an error unless a step is valid on its own: its body, its axes, and both for its role.
func (s *Step) check() error {
	if s.Body == nil {
		return errors.New("there is no kernel")
	}
	if err := s.Body.VerifyBody(); err != nil {
		return err
	}
	if err := cmp.Or(s.Body.CheckBody(), kernel.CheckSignature(s.Body)); err != nil {
		return err
	}
	if s.Body.Interleaved() {
		return errors.New("operands of a step are not interleaved: a schedule interleaves them")
	}
	if _, err := layout.NumElems(s.Extents()); err != nil || len(s.Axes) < 2 || len(s.Axes) > layout.MaxRank {
		return fmt.Errorf("the extents are %v, want two or more, not negative, with a product within int", s.Extents())
	}
	if len(s.In) != len(s.Body.In) || len(s.Out) != len(s.Body.Out) {
		return fmt.Errorf("%d inputs and %d outputs, the kernel has %d and %d", len(s.In), len(s.Out), len(s.Body.In), len(s.Body.Out))
	}
	for i, a := range s.In {
		if s.Body.In[i].Splat != a.fixed() {
			return fmt.Errorf("input %s: a splat is one element for the whole step, and nothing else is", a)
		}
	}
	return s.checkRole()
}

// fixed reports whether an access is the same element at each index.
func (a Access) fixed() bool {
	for _, n := range a.Strides {
		if n != 0 {
			return false
		}
	}
	return true
}

// checkParallel returns an error if an output is combined.
func (s *Step) checkParallel(_, combined int) error {
	if combined > 0 {
		return errors.New("a combiner, and no axis to combine along")
	}
	return nil
}

// checkCombiners returns an error unless each combiner reduces the body's elements.
func (s *Step) checkCombiners() error {
	for o := range s.Out {
		if s.Out[o].Stored() {
			continue
		}
		if err := ir.CheckReduce(s.Out[o].Combine, s.Body.DType(s.Body.Out[o])); err != nil {
			return fmt.Errorf("output %d: %w", o, err)
		}
	}
	return nil
}

// checkReduce returns an error unless an output is reduced.
func (s *Step) checkReduce(_, combined int) error {
	if combined == 0 {
		return errors.New("an axis is reduced, and no output has a combiner")
	}
	return s.checkCombiners()
}

// checkScan returns an error unless the step scans the elements of one input.
func (s *Step) checkScan(_, combined int) error {
	if len(s.In) != 1 || len(s.Body.Body) > 0 || len(s.Out) != 1 || combined != 1 || s.Out[0].Combine.ScannedBy() == ir.OpInvalid {
		return errors.New("a scan combines the elements of one input, and does nothing else")
	}
	return s.checkCombiners()
}

// checkContract returns an error unless the step multiplies the matrices of two
// inputs: see ir.DotLine.
func (s *Step) checkContract(_, _ int) error {
	if err := s.checkCombiners(); err != nil {
		return err
	}
	k, last := s.Body, len(s.Axes)-1
	switch {
	case kernel.ProductOf(k) == ir.OpInvalid:
		return errors.New("a contraction multiplies two inputs, and does nothing else")
	case s.Out[0].Combine != ir.OpAdd:
		return errors.New("a contraction adds its products")
	case !ir.OpDot.Info().Domain.Has(k.In[0].DType):
		return fmt.Errorf("no contraction of %s", k.In[0].DType)
	case s.Axes[last].Role == Contract || s.Axes[last-1].Role == Contract:
		return errors.New("a contraction has its pairs, rows and columns as the last axes")
	}
	for a := range s.Accesses() {
		if len(a.Strides) != len(s.Axes) {
			return fmt.Errorf("operand %s: %d strides for %d axes", a, len(a.Strides), len(s.Axes))
		}
	}
	at := s.Product()
	for _, fixed := range []struct {
		access     *Access
		first, end int
	}{{&s.In[0], at.Cols, last + 1}, {&s.In[1], at.Rows, at.Cols}, {&s.Out[0].Access, at.Pairs, at.Rows}} {
		for k := fixed.first; k < fixed.end; k++ {
			if s.moves(fixed.access, k) {
				return errors.New("its operands are not the matrices of a product")
			}
		}
	}
	for _, a := range s.Axes[at.Pairs:at.Rows] {
		if a.Extent == 0 {
			return errors.New("a contraction of no pairs")
		}
	}
	return nil
}

// checkLine returns an error unless the step has the operands of an op on lines.
func (s *Step) checkLine(axis, _ int) error {
	if len(s.Out) != 1 || len(s.Body.Body) > 0 {
		return errors.New("an op on lines has one output, and a body that computes nothing")
	}
	var types []ir.DType
	for _, in := range s.Body.In {
		types = append(types, in.DType)
	}
	by := s.Out[0].Combine
	if err := ir.CheckLine(by, types...); err != nil {
		return err
	}
	var lengths []int
	for _, in := range s.In {
		lengths = append(lengths, s.InExtents(in)[axis])
	}
	return ir.CheckLengths(by, s.Axes[axis].Extent, lengths)
}
