package runtime

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// StepInfo says how a step of a plan is run.
type StepInfo struct {
	Signature string // of the body
	Compiled  string // "kernel" for one for the whole body, or "cover of 5"
	Engine    string // "avx2", "portable", or "avx2+portable" for a mixed cover
	Packed    []int  // operands that are copied into scratch: tile by tile or block by block, or once if a tile repeats
	Streamed  []int  // operands, outputs all, that are stored past the caches
	Blocks    int    // kernel calls, were nothing tiled
	Chunks    int    // what the workers share out
	Elements  int    // of the index space
	Read      int    // bytes, each element counted once
	Written   int    // bytes
	Group     int    // the row group that it belongs to, or -1
	Block     int    // rows of a block of that
	Pos       ir.Pos
}

// info describes step i of a plan, which parts compute.
func info(in *plan.FlatStep, parts []*step, read, written int) StepInfo {
	x := StepInfo{Read: read, Written: written, Group: -1, Pos: in.Pos}
	for i, s := range parts {
		if i == 0 {
			x.Signature, x.Compiled, x.Engine = s.kernel.Signature(), s.compiled, s.engine
			for o := range s.operands {
				if s.operands[o].packed || s.operands[o].turned {
					x.Packed = append(x.Packed, o)
				}
				if s.operands[o].streamed {
					x.Streamed = append(x.Streamed, o)
				}
			}
		}
		x.Blocks += s.blocks
		x.Elements += s.elems
	}
	return x
}

// choose finds what computes the step, and the calls that fold its lanes.
func (e *Executor) choose(s *step, buffers []buffer) error {
	f := e.finder()
	switch {
	case s.dot != nil:
		return s.dot.link(f, s)
	case s.crossed != nil:
		return s.crossed.link(f, s)
	}
	s.streamOuts(f, e, buffers)
	if s.scan != nil {
		var err error
		s.scratch, err = s.scan.link(f, s)
		return err
	}
	if err := e.chooseKernels(s, f, buffers); err != nil {
		return err
	}
	if s.program != nil {
		s.scratch = s.program.scratch
	}
	switch {
	case s.long != nil:
		return s.long.link(s, f)
	case s.down == nil:
		return s.linkTurns(f)
	}
	s.down.findMany(s, f)
	var err error
	s.scratch, err = s.down.link(s, f, s.scratch)
	return err
}

// chooseKernels finds what computes the step: the order is Link's.
func (e *Executor) chooseKernels(s *step, f finder, buffers []buffer) error {
	if f.engines[0] == abi.AVX2 {
		if e.whole(s, f, abi.AVX2) {
			return nil
		}
		// A cover that lacks assembly for most of its operations loses to the
		// portable kernel.
		if c, err := coverStep(s, f, buffers); err == nil && 2*c.on[abi.AVX2] >= c.count() {
			c.install(s)
			return nil
		}
	}
	if e.whole(s, f, abi.Portable) {
		return nil
	}
	c, err := coverStep(s, f, buffers)
	if err != nil {
		return err
	}
	c.install(s)
	return nil
}

// whole takes one kernel for the body, if there is one.
func (e *Executor) whole(s *step, f finder, on abi.Engine) bool {
	fn, ok := f.lookup(on, kernel.CodeOf(s.kernel).Signature())
	if !ok || e.NoFused {
		return false
	}
	for i := range s.operands {
		if o := &s.operands[i]; o.packed || o.streamed {
			p, err := wholeProgram(s, fn, f)
			if err != nil {
				return false
			}
			s.program = p
			break
		}
	}
	if s.program == nil {
		s.fn = fn
	}
	s.engine, s.compiled = on.String(), "kernel"
	return true
}

// finder looks kernels up, on the better engine first.
type finder struct {
	lookup  func(abi.Engine, string) (func(*abi.Frame), bool)
	engines []abi.Engine
}

func (e *Executor) finder() finder {
	f := finder{lookup: e.lookup, engines: []abi.Engine{abi.AVX2, abi.Portable}}
	if f.lookup == nil {
		f.lookup = abi.Lookup
	}
	if e.Portable || !abi.HasAVX2() {
		f.engines = f.engines[1:]
	}
	return f
}

// find returns the kernel of a signature and the engine that has it.
func (f finder) find(sig string) (func(*abi.Frame), abi.Engine, error) {
	for _, on := range f.engines {
		if fn, ok := f.lookup(on, sig); ok {
			return fn, on, nil
		}
	}
	return nil, 0, fmt.Errorf("no kernel is registered for %s", sig)
}
