package nest

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The memory of one call of Eval, and the check that the call stays inside it.

// errBytes is the error for a slot of kind Bytes with the wrong size.
var errBytes = fmt.Errorf("bytes are %d elements of one byte each", kernel.Bytes)

// isBytes reports whether a slot of the kind Bytes has the required size and type.
func (s *Slot) isBytes() bool { return s.Elems == kernel.Bytes && s.DType.Size() == 1 }

// memory is the bytes of a slot.
type memory struct {
	bytes    []byte
	size     int // of an element of the slot
	readOnly bool
}

// get returns the element of a type at a byte offset.
func (m *memory) get(d ir.DType, at int) uint64 {
	switch b := m.bytes[at:]; d.Size() {
	case 4:
		return ir.Wrap(d, int64(binary.LittleEndian.Uint32(b)))
	case 8:
		return ir.Wrap(d, int64(binary.LittleEndian.Uint64(b)))
	case 2:
		return ir.Wrap(d, int64(binary.LittleEndian.Uint16(b)))
	default:
		return ir.Wrap(d, int64(b[0]))
	}
}

// set stores an element.
func (m *memory) set(d ir.DType, at int, bits uint64) {
	switch b := m.bytes[at:]; d.Size() {
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(bits))
	case 8:
		binary.LittleEndian.PutUint64(b, bits)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(bits))
	default:
		b[0] = byte(bits)
	}
}

// element returns element k of a buffer that the program does not write.
func element(b *plan.Buffer, inputs [][]uint64, k int) uint64 {
	switch b.Kind {
	case plan.ParamBuffer:
		return inputs[b.Index][k]
	case plan.ConstBuffer:
		return b.Bits
	case plan.IotaBuffer:
		return ir.ElementOf(b.DType, k)
	}
	panic(fmt.Sprintf("BUG: nest: a %s has no elements", b.Kind))
}

// slot returns the memory of a slot.
func (e *evaluator) slot(t *Task, s *Slot) (memory, error) {
	m := memory{size: s.DType.Size()}
	bytes := s.Elems * m.size
	switch s.Kind {
	case Operand:
		if s.Buffer < 0 || s.Buffer >= len(e.buffers) {
			return m, fmt.Errorf("there is no buffer %%%d", s.Buffer)
		}
		m.bytes, m.readOnly = e.buffers[s.Buffer], e.p.Buffers[s.Buffer].Kind.ReadOnly()
	case Scratch:
		if s.Offset < 0 || bytes < 0 || s.Offset+bytes > t.Scratch {
			return m, fmt.Errorf("bytes %d to %d are outside the scratch of %d", s.Offset, s.Offset+bytes, t.Scratch)
		}
		m.bytes = e.scratch[s.Offset:][:bytes:bytes]
	case Table:
		if s.Elems < 0 {
			return m, errors.New("a table has no negative number of elements")
		}
		m.bytes, m.readOnly = make([]byte, bytes), true
		for i := range s.Elems {
			m.set(s.DType, i*m.size, s.Bits)
		}
	case Bytes:
		if !s.isBytes() {
			return m, errBytes
		}
		m.bytes, m.readOnly = make([]byte, bytes), true
		for i := range m.bytes {
			m.bytes[i] = byte(i)
		}
	default:
		return m, errors.New("there is no such kind of slot")
	}
	return m, nil
}

// block is the memory of one call.
type block struct {
	rows, cols int
	fields     []int
	args       []blockArg
}

// blockArg holds the places of the elements of an argument.
type blockArg struct {
	memory
	dtype               ir.DType
	begin, outer, inner int // bytes: of the first element, from line to line, from element to element
}

func (b *block) Rows() int       { return b.rows }
func (b *block) Cols() int       { return b.cols }
func (b *block) Field(i int) int { return b.fields[i] }

func (b *block) Get(arg, outer, inner int) uint64 {
	a := &b.args[arg]
	return a.get(a.dtype, a.begin+outer*a.outer+inner*a.inner)
}

func (b *block) Set(arg, outer, inner int, element uint64) {
	a := &b.args[arg]
	a.set(a.dtype, a.begin+outer*a.outer+inner*a.inner, element)
}

// extent returns the value of an extent in the call.
func (b *block) extent(d kernel.Extent) int { return d.Of(b.rows, b.cols, b.fields) }

// call runs a call at a position.
func (e *evaluator) call(c *Call, at position) error {
	if c.Kernel == nil {
		return errors.New(": a call of no kernel")
	}
	ref, err := e.reference(c.Kernel)
	if err != nil {
		return fmt.Errorf(": %w", err)
	}
	b := &block{}
	err = errors.Join(into(&b.rows, at, c.Rows), into(&b.cols, at, c.Cols))
	for _, f := range c.Fields {
		var n int
		err = errors.Join(err, into(&n, at, f))
		b.fields = append(b.fields, n)
	}
	if err == nil {
		err = b.check(c)
	}
	for i := range c.Args {
		if err != nil {
			break
		}
		var a blockArg
		if a, err = e.arg(c, b, i, at); err != nil {
			err = fmt.Errorf("argument %d: %w", i, err)
		}
		b.args = append(b.args, a)
	}
	if err != nil {
		return fmt.Errorf(", call of %s, iteration %v: %w", c.Kernel.Signature(), at.at, err)
	}
	ref(e.arithmetic, b)
	return nil
}

func into(n *int, at position, s Size) (err error) {
	*n, err = at.size(s)
	return err
}

// check returns an error unless the kernel accepts the sizes of the block.
func (b *block) check(c *Call) error {
	if want := len(c.Kernel.Args()); len(c.Args) != want {
		return fmt.Errorf("%d arguments, the kernel has %d", len(c.Args), want)
	}
	return kernel.CheckSizes(c.Kernel, b.rows, b.cols, b.fields)
}

// arg returns argument i of a call at a position, or an error if one of its elements is outside its slot.
func (e *evaluator) arg(c *Call, b *block, i int, at position) (blockArg, error) {
	a, info := &c.Args[i], c.Kernel.Args()[i]
	if a.Slot < 0 || a.Slot >= len(e.slots) {
		return blockArg{}, fmt.Errorf("there is no slot %d", a.Slot)
	}
	out := blockArg{memory: e.slots[a.Slot], dtype: info.DType, inner: info.DType.Size()}
	begin, err := at.offset(a)
	if err != nil {
		return out, err
	}
	out.begin, out.outer = begin*out.size, a.Step*out.size
	if info.Across != kernel.One {
		out.inner = b.extent(info.Across)
	}
	if info.Out && out.readOnly {
		return out, errors.New("it is stored to read-only memory")
	}
	lines, elements := b.extent(info.Outer), b.extent(info.Inner)*info.Each()
	if lines == 0 || elements == 0 {
		return out, nil
	}
	outer, inner := (lines-1)*out.outer, (elements-1)*out.inner
	lo := out.begin + min(0, outer) + min(0, inner)
	hi := out.begin + max(0, outer) + max(0, inner) + info.DType.Size()
	if lo < 0 || hi > len(out.bytes) {
		return out, fmt.Errorf("bytes %d to %d are outside slot %d, which has %d", lo, hi, a.Slot, len(out.bytes))
	}
	return out, nil
}

// reference returns the meaning of a kernel.
func (e *evaluator) reference(c kernel.Code) (kernel.Reference, error) {
	if ref := e.references[c.Signature()]; ref != nil {
		return ref, nil
	}
	ref, err := ReferenceOf(c)
	e.references[c.Signature()] = ref
	return ref, err
}
