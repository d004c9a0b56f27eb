package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Verify returns every violation of a plan's invariants, joined, each with the
// text of its buffer or step:
//
//   - a buffer has a type that runs and a shape within int; a constant is one
//     element; only a param has a layout; results and params have positions 0, 1, ...;
//   - a temporary's bytes begin at a multiple of 64 and are inside the arena, and
//     no other temporary that is live at the same time shares them, but for one
//     that a step reads for the last time exactly where it writes the other;
//   - a step's body is valid, within MaxBody, and has an access of the right type for
//     each of its inputs and outputs; an input is a splat if and only if it is one
//     element for the whole step;
//   - axes are at least two, with extents that are not negative; at most one is not
//     parallel; combiners, and what a scan or a contraction has besides, fit its role;
//   - every access is inside its buffer, and no output stores an element twice;
//   - a step marked once is in no row group and reads only params, constants and
//     what such steps store; only such steps store its outputs, which are
//     temporaries, and are written in full if other steps read them;
//   - row groups are in order, and their steps have their axes; what one step
//     of a group makes for another belongs to the same row; scratch buffers are
//     used in one group, and are in its scratch;
//   - params, constants and iotas are not written; a result or temporary is written
//     in full, each element once, by one step or by several whose elements are
//     in runs of their own, and is not read before.
func (p *Plan) Verify() error { return p.verify(true) }

// VerifyUnplaced is Verify for a plan whose temporaries and scratch buffers have no memory yet: it does not check their bytes.
func (p *Plan) VerifyUnplaced() error { return p.verify(false) }

// Placed reports whether all temporaries and scratch buffers have memory or need none.
func (p *Plan) Placed() bool {
	places := p.Arena != 0
	for i := range p.Rows {
		places = places || p.Rows[i].Scratch != 0
	}
	return places || !slices.ContainsFunc(p.Buffers, func(b Buffer) bool {
		return (b.Kind == TempBuffer || b.Kind == ScratchBuffer) && b.Size() != 0
	})
}

func (p *Plan) verify(placed bool) error {
	if p == nil {
		return errors.New("no plan")
	}
	v := &planVerifier{p: p, placed: placed, first: make([]int, len(p.Buffers)), last: make([]int, len(p.Buffers)), parts: make([][]part, len(p.Buffers)), stored: make([]int, len(p.Buffers))}
	for i := range p.Buffers {
		v.first[i], v.last[i] = never, never
		v.buffer(i)
	}
	if p.Arena < 0 || p.Arena > maxArena {
		v.fail(arenaPlace, "it is below 0, or above %d", maxArena)
	}
	if len(v.errs) > 0 {
		return errors.Join(v.errs...) // what follows relies on buffers
	}
	v.findPanels()
	if v.rowGroups(); len(v.errs) > 0 {
		return errors.Join(v.errs...)
	}
	v.findOnce()
	for i := range p.Steps {
		v.step(i)
	}
	for i := range p.Buffers {
		v.written(i)
	}
	if placed {
		v.lifetimes()
	}
	return errors.Join(v.errs...)
}

const never = -1

// maxArena is the greatest size of a plan's arena in bytes, which exceeds the address space. A plan's schedule may add temporaries.
const maxArena = min(1<<56, math.MaxInt/2)

type planVerifier struct {
	p      *Plan
	placed bool        // temporaries and scratch have memory
	first  []int       // the first step that writes a buffer
	parts  [][]part    // the parts of each buffer that steps write
	last   []int       // the last step that reads or writes it
	group  []*RowGroup // of each step, or nil
	panels map[int]int // by buffer: the number of its elements that a product reads in panels
	once   []bool      // by buffer: whether a step that runs once writes it
	kept   []bool      // by buffer: whether such a step writes it and another step reads it
	errs   []error

	kinds  [IotaBuffer + 1]int // number of buffers of each kind that were checked
	stored []int               // by buffer: number of elements written
}

// maxErrors is about the number of violations that Verify returns.
const maxErrors = 20

func (v *planVerifier) fail(at place, format string, args ...any) {
	if len(v.errs) >= maxErrors {
		return
	}
	v.errs = append(v.errs, &ir.Violation{At: at.String(), Msg: v.line(at) + ": " + fmt.Sprintf(format, args...)})
}

// read records that step i reads a buffer, by input k.
func (v *planVerifier) read(i, k int, a Access) {
	b := &v.p.Buffers[a.Buffer]
	computed := b.Kind == TempBuffer || b.Kind == ResultBuffer || b.Kind == ScratchBuffer
	if computed && !v.complete(a.Buffer) {
		v.fail(step(i).in(k), "operand %s: the buffer is read before it is written", a)
	}
	v.last[a.Buffer] = i
}

// maxParts is the greatest number of steps that write one buffer.
const maxParts = 1024

// part is the elements of a buffer that a step writes.
type part struct {
	step int
	at   layout.Layout
}

// complete reports whether all elements of a buffer are written. Only the missing columns of the last panel of a product's
// right operand need not be, unless the buffer is a result or kept between runs.
func (v *planVerifier) complete(buffer int) bool {
	b := &v.p.Buffers[buffer]
	n, panels := v.panels[buffer]
	return v.stored[buffer] == b.Size() || panels && v.stored[buffer] == n && b.Kind != ResultBuffer && !v.kept[buffer]
}

// findPanels counts the elements of buffers that steps read in panels. Several steps may read the same elements, or parts that are
// disjoint, as the groups of a convolution do. If parts overlap in another way, the count is too great and the buffer is
// refused.
func (v *planVerifier) findPanels() {
	v.panels = map[int]int{}
	type reading struct {
		at    layout.Layout
		elems int
	}
	readings := map[int][]reading{}
	for i := range v.p.Steps {
		s := &v.p.Steps[i]
		for k, a := range s.In {
			if a.Panel == nil || len(a.Strides) != len(s.Axes) {
				continue
			}
			at, ok := a.Layout(s.Extents())
			if !ok {
				continue
			}
			n := 1
			for j, axis := range s.Axes {
				if a.Strides[j] != 0 {
					n, _ = layout.MulInt(n, axis.Extent)
				}
			}
			known := readings[a.Buffer]
			if slices.ContainsFunc(known, func(u reading) bool { return covers(u.at, at) }) {
				continue
			}
			known = slices.DeleteFunc(known, func(u reading) bool { return covers(at, u.at) })
			if len(known) >= maxParts {
				v.fail(step(i).in(k), "operand %s: more than %d parts of the buffer are read in panels", a, maxParts)
				return
			}
			readings[a.Buffer] = append(known, reading{at, n})
		}
	}
	for buffer, list := range readings {
		for _, r := range list {
			v.panels[buffer] += r.elems
		}
	}
}

// covers reports whether part, which shares elements with whole, lies between the first and the last element of whole.
func covers(whole, part layout.Layout) bool {
	first, last := whole.Bounds()
	lo, hi := part.Bounds()
	return first <= lo && hi <= last && !layout.Apart(whole, part)
}

func (v *planVerifier) write(i, o int) {
	a := v.p.Steps[i].Out[o].Access
	b, at := &v.p.Buffers[a.Buffer], step(i).out(o)
	w := v.outLayout(i, o)
	switch {
	case b.Kind.ReadOnly():
		v.fail(at, "operand %s: a %s is never written", a, b.Kind)
	case len(v.parts[a.Buffer]) >= maxParts:
		v.fail(at, "operand %s: the buffer is written by more than %d steps", a, maxParts)
		return
	case slices.ContainsFunc(v.parts[a.Buffer], func(u part) bool { return !layout.Apart(u.at, w) }):
		v.fail(at, "operand %s: the buffer is written a second time", a)
	}
	v.parts[a.Buffer] = append(v.parts[a.Buffer], part{i, w})
	v.stored[a.Buffer] += w.Size()
	v.last[a.Buffer] = i
	if v.first[a.Buffer] == never {
		v.first[a.Buffer] = i
	}
}

// written checks that the inputs of a step have been computed in full.
func (v *planVerifier) written(i int) {
	b := &v.p.Buffers[i]
	switch n := v.stored[i]; {
	case v.complete(i) || b.Kind.ReadOnly():
	case n > 0:
		v.fail(buffer(i), "%d elements are written, the buffer has %d", n, b.Size())
	case b.Kind == ResultBuffer:
		v.fail(buffer(i), "no step writes the result")
	}
}
