package runtime

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// buffer is a plan's buffer, for linking and running. Locations count elements; location origin is that of the element at index
// 0,...,0.
type buffer struct {
	kind   plan.BufferKind
	dtype  ir.DType
	dense  bool
	number int // among those of the program
	size   int // bytes of an element
	elems  int
	// first and end are the distances in bytes from the element at index 0,...,0 to the first byte of all elements and to the end of
	// the last. first may be negative, which wraps. Both are 0 without elements.
	first, end uintptr
	layout     layout.Layout // the required shape and strides of a tensor
	name       string
	index      int // among the buffers of its kind
	offset     int // of a temporary: bytes from the start of the arena
}

// bytes returns the size of all elements.
func (b *buffer) bytes() int { return b.elems * b.size }

// linkBuffers checks the buffers of a plan or program and sorts them.
func (l *Linked) linkBuffers(buffers []plan.Buffer, arena int) error {
	l.buffers = make([]buffer, len(buffers))
	var n [plan.IotaBuffer + 1]int // of each kind
	axes := 0
	for i := range buffers {
		n[min(buffers[i].Kind, plan.IotaBuffer)]++ // buffer.link reports kinds that do not exist
		axes += len(buffers[i].Shape)
	}
	ports := make([]*buffer, n[plan.ParamBuffer]+n[plan.ResultBuffer])
	l.params, l.results = ports[:n[plan.ParamBuffer]:n[plan.ParamBuffer]], ports[n[plan.ParamBuffer]:]
	l.consts = make([]uint64, 0, n[plan.ConstBuffer])
	var layouts layout.Space
	layouts.Reserve(axes)
	for i := range buffers {
		b := &l.buffers[i]
		b.number = i
		err := b.link(&buffers[i], arena, &layouts)
		if err != nil {
			return fmt.Errorf("buffer %d %q: %w", i, buffers[i].Name, err)
		}
		switch b.kind {
		case plan.ConstBuffer:
			b.index = len(l.consts)
			l.consts = append(l.consts, 0)
			memory.StoreBits(b.dtype, unsafe.Pointer(&l.consts[b.index]), buffers[i].Bits)
		case plan.TempBuffer:
			l.temps = append(l.temps, i)
		case plan.ParamBuffer:
			err = enlist(l.params, b)
		case plan.ResultBuffer:
			err = enlist(l.results, b)
		}
		if err != nil {
			return fmt.Errorf("buffer %d %q: %w", i, b.name, err)
		}
	}
	return nil
}

// enlist puts a buffer at its index in the list of its kind. It returns an error if another buffer has that index, so that all buffers
// together fill the list.
func enlist(list []*buffer, b *buffer) error {
	if b.index < 0 || b.index >= len(list) || list[b.index] != nil {
		return fmt.Errorf("index %d among its kind is taken or out of range", b.index)
	}
	list[b.index] = b
	return nil
}

// link links a buffer. Its layout is in memory of a space that is never reset.
func (b *buffer) link(p *plan.Buffer, arena int, layouts *layout.Space) error {
	b.kind, b.dtype, b.size, b.name, b.index, b.offset, b.dense = p.Kind, p.DType, p.DType.Size(), p.Name, p.Index, p.Offset, true
	if err := p.DType.Check(); err != nil {
		return err
	}
	switch {
	case p.Kind == plan.ParamBuffer && p.At != nil:
		if len(p.At.Shape) != len(p.Shape) || len(p.At.Strides) != len(p.Shape) {
			return fmt.Errorf("layout %v and shape %v differ in rank", *p.At, p.Shape)
		}
		for k, n := range p.Shape {
			if p.At.Shape[k] != n {
				return fmt.Errorf("layout %v is not of shape %v", *p.At, p.Shape)
			}
		}
		b.layout, b.dense = *p.At, p.At.IsRowMajor()
	case p.Kind > plan.IotaBuffer:
		return fmt.Errorf("kind %d does not exist", p.Kind)
	case p.Kind == plan.ScratchBuffer:
		return fmt.Errorf("a program has no scratch buffers: a task has slots for them")
	case p.Kind != plan.ConstBuffer:
		b.layout = layouts.RowMajor(p.Shape...)
	}
	var err error
	if b.elems, err = layout.NumElems(b.layout.Shape); err != nil {
		return err
	}
	if span := b.layout.Span(); span > (math.MaxInt/2)/b.size {
		return fmt.Errorf("%d elements of %d bytes pass int", span, b.size)
	}
	if b.elems > 0 {
		lo, hi := b.layout.Bounds()
		b.first, b.end = uintptr((lo-b.layout.Offset)*b.size), uintptr((hi+1-b.layout.Offset)*b.size)
	}
	if p.Kind == plan.IotaBuffer {
		return checkIota(b)
	}
	if p.Kind == plan.TempBuffer {
		if b.offset < 0 || b.offset%memory.Alignment != 0 || b.offset > arena || b.bytes() > arena-b.offset {
			return fmt.Errorf("%d bytes at %d do not fit an arena of %d bytes, on a multiple of %d",
				b.bytes(), b.offset, arena, memory.Alignment)
		}
	}
	return nil
}

// takes reports whether t has the type and layout of b.
func (b *buffer) takes(t *tensor.Tensor) bool {
	dtype, l, _ := t.Parts()
	return b.fits(dtype, l)
}

// fits reports whether a type and a layout are those of b. It is called in every run.
func (b *buffer) fits(dtype ir.DType, l *layout.Layout) bool { // ir.Invalid, which no buffer has, is the type of a failed tensor
	shape := b.layout.Shape
	if dtype != b.dtype || len(l.Shape) != len(shape) {
		return false
	}
	strides, want := l.Strides[:len(shape)], b.layout.Strides[:len(shape)]
	for k, n := range l.Shape {
		if n != shape[k] || strides[k] != want[k] && n > 1 && b.elems > 0 {
			return false
		}
	}
	return true
}

// mistake returns why t does not fit b.
func (b *buffer) mistake(t *tensor.Tensor) error {
	switch {
	case !t.Valid():
		return t.Err()
	case t.DType() != b.dtype || t.Rank() != len(b.layout.Shape):
		return fmt.Errorf("%s given for %s", tensor.TypeText(t.DType(), t.Shape()), tensor.TypeText(b.dtype, b.layout.Shape))
	}
	for k, n := range b.layout.Shape {
		if t.Extent(k) != n {
			return fmt.Errorf("%s given for %s", tensor.TypeText(t.DType(), t.Shape()), tensor.TypeText(b.dtype, b.layout.Shape))
		}
	}
	return fmt.Errorf("strides %v given, the plan is for %v", t.Strides(), b.layout.Strides)
}
