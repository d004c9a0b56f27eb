package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// A cover computes a body that has no kernel of its own from kernels of its
// parts, tile by tile: the registered kernels are the instruction set, and this
// is instruction selection, then register allocation.
type cover struct {
	s       *step
	k       *kernel.Kernel
	f       finder
	buffers []buffer
	program *program
	on      [abi.NumEngines]int // kernels taken from each

	values []coverValue // of the body; then values that are saved copies
	pieces []choice     // for each instruction of the body
	rows   []coverInst  // values of one element a row
	insts  []coverInst  // for each tile
	args   []kernelArg  // those of the calls
}

// coverValue is what is known of a value of the body.
type coverValue struct {
	dtype ir.DType
	splat bool // one element for all columns
	once  bool // and for all rows
	inner bool // one instruction reads it, nothing else does
	slot  int  // where it is, or -1
	last  int  // the last of insts that reads it
}

// coverInst is a kernel of the cover before it is bound to slots.
type coverInst struct {
	fn    func(*abi.Frame)
	order []int // the kernel's operand i is args[order[i]]
	args  []kernel.Ref
	value kernel.Ref // that it computes, or -1 for a copy of one
	out   int        // the output that it writes, or -1 for a register
	wide  int        // see kernelCall
	fold  bool       // that it folds its argument to
}

// coverStep covers the body of a step. It fails when an operation has no kernel.
func coverStep(s *step, f finder, buffers []buffer) (*cover, error) {
	c := &cover{s: s, k: s.kernel, f: f, buffers: buffers, program: &program{}}
	values := len(c.k.In) + len(c.k.Body) + len(c.k.Out)
	c.values = make([]coverValue, 0, values)
	c.insts = make([]coverInst, 0, values)
	if err := c.operandSlots(); err != nil {
		return nil, err
	}
	stored := c.stored()
	c.addValues(stored)
	if err := c.addPieces(stored); err != nil {
		return nil, err
	}
	for o, r := range c.k.Out {
		if c.k.FoldOf(o) != ir.OpInvalid {
			continue
		}
		if v := c.values[r]; int(r) < len(c.k.In) || v.splat || stored[r] != o+1 {
			if err := c.addCopy(r, -1, o); err != nil {
				return nil, err
			}
		}
	}
	if err := c.addFolds(); err != nil {
		return nil, err
	}
	if err := c.delayStores(); err != nil {
		return nil, err
	}
	c.streamStores()
	c.allocate()
	return c, nil
}

// stored returns of each value 1 + the first output that it is stored to, or -1
// if it is folded alone.
func (c *cover) stored() []int {
	stored := make([]int, len(c.k.In)+len(c.k.Body))
	for o := len(c.k.Out) - 1; o >= 0; o-- {
		if r := c.k.Out[o]; c.k.FoldOf(o) == ir.OpInvalid {
			stored[r] = o + 1
		} else if stored[r] == 0 {
			stored[r] = -1
		}
	}
	return stored
}

// operandSlots makes the slots of the step's operands, and the values of those
// that are inputs.
func (c *cover) operandSlots() error {
	widest := 1
	for i := range c.s.operands {
		o := &c.s.operands[i]
		c.program.slots = append(c.program.slots, slot{})
		widest = max(widest, o.size)
		if o.packed {
			pack, err := packFor(o, c.f)
			if err != nil {
				return err
			}
			c.program.packs = append(c.program.packs, packing{operand: i, fn: pack})
		}
		if i < c.s.ins {
			dt := c.k.DType(kernel.Ref(i))
			c.values = append(c.values, coverValue{dtype: dt, splat: o.splat, once: o.splat && o.rowStep == 0, slot: i})
		}
	}
	for _, in := range c.k.Body {
		widest = max(widest, in.DType.Size())
	}
	c.program.setTile(c.s, tileBytes/widest)
	c.program.reservePacks(c.s)
	return nil
}

// addValues makes the values of the body.
func (c *cover) addValues(stored []int) {
	for j := range c.k.Body {
		r, in := kernel.Ref(len(c.k.In)+j), &c.k.Body[j]
		v := coverValue{dtype: in.DType, splat: true, once: true, slot: -1}
		for _, a := range in.Args[:in.Arity()] {
			v.splat = v.splat && c.values[a].splat
			v.once = v.once && c.values[a].once
		}
		c.values = append(c.values, v)
		if in.Op == ir.OpConst {
			c.addConstant(r, in)
		}
	}
	reader := make([]kernel.Ref, len(c.values)) // 0: none yet
	for j := range c.k.Body {
		r, in := kernel.Ref(len(c.k.In)+j), &c.k.Body[j]
		for _, a := range in.Args[:in.Arity()] {
			c.values[a].inner = reader[a] == 0 || reader[a] == r && c.values[a].inner
			reader[a] = r
		}
	}
	for r := range c.values {
		v := &c.values[r]
		v.inner = v.inner && !v.splat && stored[r] == 0 && r >= len(c.k.In)
	}
}

func (c *cover) addConstant(r kernel.Ref, in *kernel.Inst) {
	element := new(uint64)
	memory.StoreBits(in.DType, unsafe.Pointer(element), in.Bits)
	c.values[r].slot = len(c.program.slots)
	c.program.slots = append(c.program.slots, slot{class: constantSlot, ptr: unsafe.Pointer(element)})
}

// addCopy copies a value to an output or, if out is -1, to the value to.
func (c *cover) addCopy(from, to kernel.Ref, out int) error {
	v := &c.values[from]
	key := pieceKey{n: 1, ins: 1, insts: [maxPiece]pieceInst{{op: ir.OpCopy, dtype: v.dtype}}}
	key.in[0] = kernel.Operand{DType: v.dtype, Splat: v.splat}
	part := partOf(key)
	fn, on, err := c.f.find(part.sig)
	c.insts = append(c.insts, coverInst{fn: fn, order: part.order, args: []kernel.Ref{from}, value: to, out: out})
	c.on[on]++
	return err
}

// addFolds folds values, in tiles, to outputs.
func (c *cover) addFolds() error {
	for o, r := range c.k.Out {
		by := c.k.FoldOf(o)
		if by == ir.OpInvalid {
			continue
		}
		dt := c.values[r].dtype
		if c.values[r].splat { // a row of it
			tile := kernel.Ref(len(c.values))
			c.values = append(c.values, coverValue{dtype: dt, slot: -1})
			if err := c.addCopy(r, tile, -1); err != nil {
				return err
			}
			r = tile
		}
		key := pieceKey{ins: 1, fold: by}
		key.in[0].DType = dt
		part := partOf(key)
		fn, on, err := c.f.find(part.sig)
		if err != nil {
			return err
		}
		c.insts = append(c.insts, coverInst{fn: fn, order: part.order, args: []kernel.Ref{r}, value: -1, out: o, fold: true})
		c.on[on]++
	}
	return nil
}

// delayStores finds the stores that would change an operand still to be read,
// because the output lies where the operand does, and puts them at the end.
func (c *cover) delayStores() error {
	for p := 0; p < len(c.insts); p++ {
		i := &c.insts[p]
		out := i.out
		if out < 0 || i.fold || !c.readLater(p, out) {
			continue
		}
		i.out = -1
		if i.value < 0 { // a copy: to a register first
			i.value = kernel.Ref(len(c.values))
			c.values = append(c.values, coverValue{dtype: c.values[i.args[0]].dtype, slot: -1})
		}
		if err := c.addCopy(i.value, -1, out); err != nil {
			return err
		}
	}
	return nil
}

// readLater reports whether an instruction after p reads an operand that may
// share memory with an output.
func (c *cover) readLater(p, out int) bool {
	written := c.s.operands[c.s.ins+out].buffer
	for _, i := range c.insts[p+1:] {
		for _, a := range i.args {
			if int(a) >= c.s.ins {
				continue
			}
			if o := &c.s.operands[a]; !o.packed && !o.turned && mayAlias(c.buffers, o.buffer, written) {
				return true
			}
		}
	}
	return false
}

// count returns the number of kernels.
func (c *cover) count() int { return len(c.rows) + len(c.insts) }

// install makes the cover the step's program.
func (c *cover) install(s *step) {
	s.program = c.program
	s.compiled = fmt.Sprintf("cover of %d", c.count())
	switch {
	case c.on[abi.AVX2] > 0 && c.on[abi.Portable] > 0:
		s.engine = abi.AVX2.String() + "+" + abi.Portable.String()
	case c.on[abi.AVX2] > 0:
		s.engine = abi.AVX2.String()
	default:
		s.engine = abi.Portable.String()
	}
}
