package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// Linking slots: the places of their elements, in bytes. Tables are allocated here, once for all runs.

// allBytes has every byte value in order. It is never written.
var allBytes = func() (all [kernel.Bytes]byte) {
	for i := range all {
		all[i] = byte(i)
	}
	return all
}()

// base is the place of a slot's elements.
type base struct {
	size   int            // bytes of an element
	buffer int            // of the program; the number behind them for allBytes; or -1
	offset int            // bytes from there, or in scratch memory, to element 0
	table  unsafe.Pointer // of a table
	lo, hi int            // the least and the greatest location of an element
}

// slot returns the place of a slot's elements, which for a table is set later.
func (k *taskLinker) slot(s *nest.Slot) (base, error) {
	b := base{size: s.DType.Size(), buffer: -1, offset: s.Offset, hi: s.Elems - 1}
	switch s.Kind {
	case nest.Operand:
		if s.Buffer < 0 || s.Buffer >= len(k.l.buffers) {
			return b, fmt.Errorf("there is no buffer %d", s.Buffer)
		}
		buffer := &k.l.buffers[s.Buffer]
		if buffer.dtype != s.DType {
			return b, fmt.Errorf("buffer %d is no memory of %s", s.Buffer, s.DType)
		}
		b.buffer, b.offset = s.Buffer, -buffer.layout.Offset*b.size
		b.lo, b.hi = buffer.layout.Bounds()
		return b, nil
	case nest.Scratch:
		if s.Offset < 0 || s.Offset%memory.Alignment != 0 || s.Elems < 0 || s.Elems > (k.in.Scratch-s.Offset)/b.size {
			return b, fmt.Errorf("%d elements of %s at %d in %d bytes of scratch memory", s.Elems, s.DType, s.Offset, k.in.Scratch)
		}
		return b, nil
	case nest.Table:
		if s.Elems < 1 || s.Elems > nest.MaxTable/b.size {
			return b, fmt.Errorf("a table of %d elements", s.Elems)
		}
		return b, nil
	case nest.Bytes:
		if s.Elems != len(allBytes) || b.size != 1 {
			return b, fmt.Errorf("%d bytes of %s", s.Elems, s.DType)
		}
		b.buffer = len(k.l.buffers) // behind those of the program: see newState
		return b, nil
	}
	return b, fmt.Errorf("kind %d does not exist", s.Kind)
}

// tables allocates the tables.
func (k *taskLinker) tables() error {
	for i := range k.in.Slots {
		s, b := &k.in.Slots[i], &k.bases[i]
		if s.Kind != nest.Table {
			continue
		}
		table, err := k.out.allocate(s.Elems * b.size)
		if err != nil {
			return fmt.Errorf("slot %d: %w", i, err)
		}
		for at := 0; at < len(table); at += b.size {
			memory.StoreBits(s.DType, unsafe.Pointer(&table[at]), s.Bits)
		}
		b.table = unsafe.Pointer(&table[0])
	}
	return nil
}
