//go:build unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The attack on micro-kernels: calls of any sizes that kernel.CheckSizes accepts, on any bits. Each operand is in
// memory exactly as long as kernel.Arg says, beside a page without access.

// bodies are bodies for micro-kernels that have one. Micro-kernels without a body are made for the types and ops of
// their rows.
var bodies = []string{
	"reduce [add] kernel (u0:f32) { store u0 }", "reduce [argmax, max] kernel (u0:f64) { store u0 u0 }", "reduce [_, add] kernel (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = exp t0; store t1 t1 }",
	"reduce_columns add kernel (u0:f32) { store u0 }", "reduce_columns max kernel (u0:f64) { store u0 }",
}

// microKernels returns every micro-kernel without a body, and some with one.
func microKernels() (all []*kernel.Micro, err error) {
	for _, text := range bodies {
		c, err := kernel.ParseCode(text)
		if err != nil {
			return nil, err
		}
		all = append(all, c.(*kernel.Micro))
	}
	for _, r := range kernel.MicroKinds() {
		ops := r.Ops()
		if len(ops) == 0 {
			ops = []ir.Op{ir.OpInvalid}
		}
		for _, op := range ops {
			for _, d := range r.Types().List() {
				for _, carry := range []bool{false, true} {
					if m := (&kernel.Micro{Kind: r, Op: op, Type: d, Carry: carry}); m.Verify() == nil {
						all = append(all, m)
					}
				}
			}
		}
	}
	return all, nil
}

// attackKernels makes a number of calls of micro-kernels on each engine. A call counts as verified if its sizes are,
// and as run unless it stopped at an index outside an axis. ran has the number of such calls of each kind.
func attackKernels(seed uint64, cases int) (t *tally, ran map[kernel.MicroKind]int, err error) {
	t, ran = &tally{name: "calls of micro-kernels"}, map[kernel.MicroKind]int{}
	all, err := microKernels()
	if err != nil {
		return t, ran, err
	}
	_, _ = (&runtime.Executor{}).Engine(kernel.ReadAhead.Signature()) // registers the built-in kernels
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	random := rand.New(rand.NewPCG(seed, 2))
	for i := range cases {
		m := all[i%len(all)]
		t.cases, t.parsed = t.cases+1, t.parsed+1
		c := frameOf{random: random, code: m}
		if !c.size() {
			continue
		}
		t.verified++
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				continue
			}
			g := &guarded{atEnd: random.IntN(2) == 0}
			frame, err := c.frame(g)
			if err == nil {
				switch err := called(fn, frame); {
				case err == nil:
					t.ran++
					ran[m.Kind]++
				case !errors.As(err, new(*ir.IndexError)):
					t.fail(fmt.Sprintf("%s on %s: %d rows, %d columns, fields %v, steps %v", m, e, c.rows, c.cols, c.fields, frame.Step[:len(m.Args())]), "%v", err)
				}
			}
			g.release()
		}
	}
	return t, ran, nil
}

// called calls a kernel, and returns the value of its panic.
func called(fn func(*abi.Frame), f *abi.Frame) (err error) {
	defer func() {
		if p := recover(); p != nil {
			var ok bool
			if err, ok = p.(error); !ok {
				err = fmt.Errorf("%v", p)
			}
		}
	}()
	fn(f)
	return nil
}

// frameOf makes the frame of a call.
type frameOf struct {
	random     *rand.Rand
	code       kernel.Code
	rows, cols int
	fields     []int
}

// size draws sizes that the kernel accepts. It reports whether it found some.
func (c *frameOf) size() bool {
	small := func() int {
		return []int{0, 1, 2, c.random.IntN(9), c.random.IntN(40), c.random.IntN(300)}[c.random.IntN(6)]
	}
	c.fields = make([]int, len(c.code.Fields()))
	for range 400 {
		c.rows, c.cols = small(), small()
		last := c.cols
		for i := range c.fields {
			c.fields[i] = []int{small(), small(), last, last + 1}[c.random.IntN(4)] // near another size, as the lengths of lines are
			last = c.fields[i]
		}
		for _, a := range c.code.Args() {
			if a.Work && a.Inner >= kernel.Field0 && c.random.IntN(2) == 0 { // scratch memory may have a least size
				c.fields[a.Inner-kernel.Field0] = 1 << c.random.IntN(12)
			}
		}
		for _, l := range kernel.LimitsOf(c.code) {
			if l.Extent >= kernel.Field0 {
				n := &c.fields[l.Extent-kernel.Field0]
				*n = min(max(*n, l.Least), l.Most)
			}
		}
		if kernel.CheckSizes(c.code, c.rows, c.cols, c.fields) == nil {
			return true
		}
	}
	return false
}

// frame lays out the operands and fills them.
func (c *frameOf) frame(g *guarded) (*abi.Frame, error) {
	f := &abi.Frame{Rows: c.rows, Cols: c.cols}
	args := c.code.Args()
	for i, a := range args {
		size := a.DType.Size()
		inner, lines, elements := size, a.Outer.Of(c.rows, c.cols, c.fields), a.Inner.Of(c.rows, c.cols, c.fields)
		if a.Across != kernel.One {
			inner *= []int{1, 1, 1, 2, 3, -1}[c.random.IntN(6)]
			if !a.Out && c.random.IntN(8) == 0 {
				inner = 0
			}
			c.fields[a.Across-kernel.Field0] = inner
		}
		outer := max(elements-1, 0)*max(inner, -inner) + size + []int{0, 0, size, 3 * size}[c.random.IntN(4)]
		switch turn := c.random.IntN(6); {
		case turn == 0:
			outer = -outer
		case turn == 1 && !a.Out:
			outer = 0
		}
		down, across := max(lines-1, 0)*outer, max(elements-1, 0)*inner
		low := min(down, 0) + min(across, 0)
		mem, err := g.allocate(max(down, 0) + max(across, 0) + size - low)
		if err != nil {
			return nil, err
		}
		fill(c.random, a.DType, mem)
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&mem[-low]), outer
	}
	for i, n := range c.fields {
		f.Step[c.code.FieldAt(i)] = n
	}
	return f, nil
}
