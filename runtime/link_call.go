package runtime

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// Linking a call. Its kernel becomes a function; its arguments become pointers in a frame, with the distances in bytes by which loops move
// them.

// call links a call and appends it to the items of the nest.
func (k *taskLinker) call(n *loopNest, in *nest.Call) error {
	if in.Kernel == nil {
		return errors.New("a call of no kernel")
	}
	code, err := k.kernel(in.Kernel)
	if err != nil {
		return err
	}
	steps := code.fieldsAt + len(in.Fields)
	if steps > len(k.steps) { // an error, which arguments reports
		k.steps = make([]int, steps)
	}
	c := linkedCall{kernel: code.linkedKernel, step: k.steps[:steps:steps]}
	k.steps = k.steps[steps:]
	index := len(k.out.calls)
	if err := k.arguments(&c, index, in); err != nil {
		return fmt.Errorf("%s: %w", code.signature, err)
	}
	if err := k.sizes(&c, index, in); err != nil {
		return fmt.Errorf("%s: %w", code.signature, err)
	}
	if kernel.Fences(in.Kernel) {
		k.out.fence = code.fn
	}
	if in.NonTemporal {
		if err := k.past(&c); err != nil {
			return err
		}
	}
	if code.time.Unit == kernel.Paired && k.in.First == k.in.Last {
		k.out.chunkElements = k.l.exec.tuned().DotChunkElems // the elements of a product are pairs
	}
	nanos, long := c.estimate(k.out.piece, k.largest(in.Rows), k.largest(in.Cols), func(field int) int { return k.largest(in.Fields[field]) })
	k.out.calls = append(k.out.calls, c)
	n.items = append(n.items, item{call: index, long: long, fn: code.fn, nanos: nanos, copies: kernel.Moves(in.Kernel)})
	return nil
}

// past makes a call store past the caches. The micro-kernel that copies past the caches is the fence.
func (k *taskLinker) past(c *linkedCall) error {
	code, err := k.kernel(kernel.CopyNT)
	if err != nil {
		return err
	}
	c.nonTemporal, k.out.fence = 1, code.fn
	return nil
}

// arguments links the arguments of a call.
func (k *taskLinker) arguments(c *linkedCall, index int, in *nest.Call) error {
	if args := len(c.kernel.args); len(in.Args) != args || args > kernel.MaxOperands {
		return fmt.Errorf("%d arguments, want %d", len(in.Args), args)
	}
	for i := range in.Args {
		if err := k.argument(c, index, i, &in.Args[i]); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	if _, ok := in.Kernel.(*kernel.Kernel); ok {
		c.joins = !k.readsAbove(in, slices.IndexFunc(c.kernel.args, func(a kernel.Arg) bool { return a.Out }))
	}
	return nil
}

// readsAbove reports whether a call reads what it stores at another place: elements of a row that it computed earlier. Two slots may have the
// same memory.
func (k *taskLinker) readsAbove(c *nest.Call, ins int) bool {
	for _, in := range c.Args[:ins] {
		for _, out := range c.Args[ins:] {
			if k.in.Slots[in.Slot] == k.in.Slots[out.Slot] && in.Offset != out.Offset {
				return true
			}
		}
	}
	return false
}

// argument links an argument: its place in the first iteration of all loops, and the distances that loops move it.
func (k *taskLinker) argument(c *linkedCall, index, arg int, in *nest.Arg) error {
	if in.Slot < 0 || in.Slot >= len(k.bases) {
		return fmt.Errorf("there is no slot %d", in.Slot)
	}
	if len(in.Strides) != len(k.scope) {
		return fmt.Errorf("%d strides in %d loops", len(in.Strides), len(k.scope))
	}
	b := &k.bases[in.Slot]
	if in.Offset < b.lo || in.Offset > b.hi {
		return fmt.Errorf("there is no element %d in slot %d", in.Offset, in.Slot)
	}
	at, moves := argumentOf(index, arg), false
	for i, stride := range in.Strides {
		if l := k.scope[i].linked; l != nil && stride != 0 {
			l.moves = append(l.moves, move{at, stride * b.size})
			moves = true
		}
	}
	c.step[arg] = in.Step * b.size
	p := place{at, b.buffer, b.offset + in.Offset*b.size}
	switch {
	case b.table != nil:
		if moves {
			return errors.New("a loop moves it in a table")
		}
		c.tables = append(c.tables, tableArg{arg, unsafe.Add(b.table, in.Offset*b.size)})
	case b.buffer >= 0:
		k.out.operands = append(k.out.operands, at)
		k.part.places = append(k.part.places, p)
	case moves:
		k.part.places = append(k.part.places, p)
	default:
		k.out.fixed = append(k.out.fixed, p)
	}
	return nil
}

// sizes links the rows, columns and fields of a call.
func (k *taskLinker) sizes(c *linkedCall, index int, in *nest.Call) error {
	fields := in.Kernel.Fields()
	if len(in.Fields) != len(fields) {
		return fmt.Errorf("%d fields, want %d", len(in.Fields), len(fields))
	}
	var err error
	if c.rows, err = k.sizeOf(index, in.Rows); err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	if c.cols, err = k.sizeOf(index, in.Cols); err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	for i, f := range in.Fields {
		s, err := k.sizeOf(index, f)
		if err != nil {
			return fmt.Errorf("field %s: %w", fields[i], err)
		}
		if at := c.kernel.fieldsAt + i; s.loop < 0 {
			c.step[at] = s.n
		} else {
			c.fields = append(c.fields, field{at, s})
		}
	}
	return nil
}

// sizeOf links a size of a call and records the call with the loop that the size depends on.
func (k *taskLinker) sizeOf(call int, in nest.Size) (size, error) {
	s, err := k.size(in)
	if err == nil && s.loop >= 0 {
		l := k.scope[in.Loop].linked
		if n := len(l.sized); n == 0 || l.sized[n-1] != call {
			l.sized = append(l.sized, call)
		}
	}
	return s, err
}

// largest returns the largest value of a size.
func (k *taskLinker) largest(s nest.Size) int {
	switch {
	case s.Loop < 0:
		return s.N
	case k.scope[s.Loop].indices > 0:
		return s.N * k.scope[s.Loop].indices
	}
	return s.N * k.scope[s.Loop].linked.tile
}

// count adds up the memory for the linked form of items.
func (k *taskLinker) count(items []nest.Item, n *itemSizes) {
	for _, it := range items {
		switch {
		case it.Nest != nil:
			k.count(it.Nest.Items, n)
			continue
		case it.Call == nil: // an error, which nest reports
			continue
		}
		n.calls++
		n.steps += len(it.Call.Args) + len(it.Call.Fields)
		for i := range it.Call.Args {
			if slot := it.Call.Args[i].Slot; slot >= 0 && slot < len(k.bases) && k.bases[slot].buffer >= 0 {
				n.operands++
			} else {
				n.others++
			}
		}
	}
}
