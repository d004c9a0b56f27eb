package ir

import (
	"errors"
	"fmt"
)

// Verify returns every violation of a plan's invariants, joined, each with the
// text of its buffer or step:
//
//   - a buffer has a type that runs and a shape within int; a constant is one
//     element; only a param has a layout; results and params have positions 0, 1, ...;
//   - a temporary's bytes begin at a multiple of 64 and lie inside the arena, and
//     no other temporary that is live at the same time shares them, but for one
//     that a step reads for the last time exactly where it writes the other;
//   - a step's kernel is valid, within MaxBody, and has an operand of the right type for each of
//     its inputs and outputs;
//   - extents are at least two and not negative, blocks are not empty, strides
//     have the extents' rank;
//   - every access is inside its buffer; a splat operand has stride 0 along the
//     columns, an output stride 1;
//   - params and constants are not written; a result or temporary is written
//     once, in full, each element once, and is not read before.
func (p *Plan) Verify() error {
	if p == nil {
		return errors.New("no plan")
	}
	v := &planVerifier{p: p, first: make([]int, len(p.Buffers)), last: make([]int, len(p.Buffers))}
	for i := range p.Buffers {
		v.first[i], v.last[i] = never, never
		v.buffer(i)
	}
	if len(v.errs) > 0 {
		return errors.Join(v.errs...) // what follows relies on buffers
	}
	for i := range p.Steps {
		v.step(i)
	}
	for i := range p.Buffers {
		v.written(i)
		for j := range i {
			v.share(i, j)
		}
	}
	return errors.Join(v.errs...)
}

const never = -1

type planVerifier struct {
	p     *Plan
	first []int // the step that writes a buffer
	last  []int // the last step that reads it
	errs  []error
}

func (v *planVerifier) fail(line, format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%s: %s", line, fmt.Sprintf(format, args...)))
}

func (v *planVerifier) buffer(i int) {
	b := &v.p.Buffers[i]
	line := v.p.bufferLine(i)
	if err := b.DType.CheckRuns(); err != nil {
		v.fail(line, "%v", err)
	}
	n, err := NumElems(b.Shape)
	bytes, ok := mulInt(n, b.DType.Size())
	if err != nil || !ok || len(b.Shape) > MaxRank {
		v.fail(line, "the shape passes the greatest rank or int")
		return
	}
	v.memory(line, b, bytes)
	if b.Kind > TempBuffer {
		v.fail(line, "there is no such kind of buffer")
	}
	if b.Kind == ConstBuffer && (n != 1 || !isElement(b.DType, b.Bits)) {
		v.fail(line, "a constant is one element of its type")
	}
	if at := v.position(i); b.Kind <= ResultBuffer && b.Index != at {
		v.fail(line, "the position is %d, want %d", b.Index, at)
	}
}

// memory checks where a buffer's elements are.
func (v *planVerifier) memory(line string, b *Buffer, bytes int) {
	if b.At != nil && b.Kind != ParamBuffer {
		v.fail(line, "only a param has a layout")
	} else if b.At != nil {
		p := &Value{Type: Type{b.DType, ShapeOf(b.Shape...)}, Attr: Attr{At: b.At}}
		if err := checkParamLayout(p); err != nil {
			v.fail(line, "%v", err)
		}
	}
	end, ok := addInt(b.Offset, bytes)
	if b.Kind == TempBuffer && (b.Offset%64 != 0 || b.Offset < 0 || !ok || end > v.p.Arena) {
		v.fail(line, "bytes %d to %d, want a multiple of 64 and an end within the arena's %d", b.Offset, end, v.p.Arena)
	}
}

// position returns how many buffers of the same kind stand before buffer i.
func (v *planVerifier) position(i int) int {
	n := 0
	for _, b := range v.p.Buffers[:i] {
		if b.Kind == v.p.Buffers[i].Kind {
			n++
		}
	}
	return n
}

// step checks a step and records which buffers it reads and writes.
func (v *planVerifier) step(i int) {
	s := &v.p.Steps[i]
	line := v.p.stepLine(i)
	if s.Kernel == nil {
		v.fail(line, "there is no kernel")
		return
	}
	if err := s.Kernel.Verify(); err != nil {
		v.fail(line, "%v", err)
		return
	}
	if err := s.Kernel.CheckBody(); err != nil {
		v.fail(line, "%v", err)
	}
	inputs := len(s.Kernel.In)
	if _, err := NumElems(s.Extents); err != nil || len(s.Extents) < 2 || len(s.Extents) > MaxRank {
		v.fail(line, "the extents are %v, want two or more, not negative, with a product within int", s.Extents)
		return
	}
	if s.Rows < 1 || s.Cols < 1 {
		v.fail(line, "blocks of %d rows and %d columns are empty", s.Rows, s.Cols)
	}
	if want := inputs + len(s.Kernel.Out); len(s.Operands) != want {
		v.fail(line, "%d operands, the kernel has %d", len(s.Operands), want)
		return
	}
	for o, a := range s.Operands {
		if msg := v.operand(s, o); msg != "" {
			v.fail(line, "operand %s: %s", a, msg)
		} else if o < inputs {
			v.read(i, a)
		}
	}
	for _, a := range s.Operands[inputs:] {
		v.write(i, a)
	}
}

// operand returns what is wrong with an access on its own, or "".
func (v *planVerifier) operand(s *Step, o int) string {
	a, k := s.Operands[o], s.Kernel
	if a.Buffer < 0 || a.Buffer >= len(v.p.Buffers) {
		return "there is no such buffer"
	}
	if len(a.Strides) != len(s.Extents) {
		return fmt.Sprintf("%d strides for %d extents", len(a.Strides), len(s.Extents))
	}
	b := &v.p.Buffers[a.Buffer]
	l := Layout{Shape: s.Extents, Strides: a.Strides, Offset: a.Offset}
	first, last := b.bounds()
	cols := s.Extents[len(s.Extents)-1]
	out := o >= len(k.In)
	want := Float32
	if out {
		want = k.DType(k.Out[o-len(k.In)])
	} else {
		want = k.In[o].DType
	}
	switch lo, hi := l.Bounds(); {
	case b.DType != want:
		return fmt.Sprintf("the buffer has %s, the kernel %s", b.DType, want)
	case lo <= hi && (lo < first || hi > last):
		return fmt.Sprintf("elements %d to %d are outside the buffer, which has %d to %d", lo, hi, first, last)
	case !out && k.In[o].Splat && cols > 1 && a.Inner() != 0:
		return fmt.Sprintf("stride %d along the columns of a splat operand, want 0", a.Inner())
	case out && cols > 1 && a.Inner() != 1:
		return fmt.Sprintf("stride %d along the columns of an output, want 1", a.Inner())
	case out && !injective(l):
		return "two stores to one element"
	}
	return ""
}

// bounds returns the least and the greatest location of a buffer's elements.
func (b *Buffer) bounds() (lo, hi int) {
	if b.At != nil {
		return b.At.Bounds()
	}
	return 0, b.Size() - 1
}

func (v *planVerifier) read(i int, a Access) {
	b := &v.p.Buffers[a.Buffer]
	computed := b.Kind == TempBuffer || b.Kind == ResultBuffer
	if computed && v.first[a.Buffer] == never && b.Size() > 0 {
		v.fail(v.p.stepLine(i), "operand %s: the buffer is read before it is written", a)
	}
	v.last[a.Buffer] = i
}

func (v *planVerifier) write(i int, a Access) {
	if a.Buffer < 0 || a.Buffer >= len(v.p.Buffers) {
		return
	}
	b, line := &v.p.Buffers[a.Buffer], v.p.stepLine(i)
	size, _ := NumElems(v.p.Steps[i].Extents)
	switch {
	case b.Kind == ParamBuffer || b.Kind == ConstBuffer:
		v.fail(line, "operand %s: a %s is never written", a, b.Kind)
	case v.first[a.Buffer] != never:
		v.fail(line, "operand %s: the buffer is written a second time", a)
	case size != b.Size():
		v.fail(line, "operand %s: %d elements are written, the buffer has %d", a, size, b.Size())
	}
	v.first[a.Buffer] = i
}

// written checks that a result has been computed.
func (v *planVerifier) written(i int) {
	if b := &v.p.Buffers[i]; b.Kind == ResultBuffer && v.first[i] == never && b.Size() > 0 {
		v.fail(v.p.bufferLine(i), "no step writes the result")
	}
}
