package ir

import (
	"errors"
	"fmt"
	"math"
)

// Ranges of numbers, for nodes and tensors: one rule for the number of elements, their values, and the ranges that an element type
// has.

// A Range is the elements start, start+step, ... of a type. Each is computed from its index i alone: exactly for an integer type, otherwise
// as start + i*step, rounded once to float64 and then to the type.
type Range struct {
	DType       DType
	Start, Step float64
	Len         int
}

// NewRange returns the numbers from start up to but not including stop: ceil((stop-start)/step) of them, computed in float64 as in
// NumPy's arange, and none if stop is not after start. It returns an error if an element is not in the type.
func NewRange(d DType, start, stop, step float64) (Range, error) {
	r := Range{DType: d, Start: start, Step: step}
	if err := d.Check(); err != nil {
		return r, err
	}
	if d == Bool {
		return r, errors.New("dtype bool has no numbers: use a numeric one and compare")
	}
	for _, f := range [...]float64{start, stop, step, stop - start} {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return r, fmt.Errorf("%v in place of a finite number, among the arguments or as the length of their range", f)
		}
	}
	if step == 0 {
		return r, errors.New("the step is 0: it must be positive or negative")
	}
	if !Fractions.Has(d) && (start != math.Trunc(start) || step != math.Trunc(step)) {
		return r, fmt.Errorf("start %v and step %v must be integers for dtype %s", start, step, d)
	}
	count := max(math.Ceil((stop-start)/step), 0)
	if count >= math.MaxInt {
		return r, fmt.Errorf("from %v to %v by %v are %.3g elements, which passes int", start, stop, step, count)
	}
	r.Len = int(count)
	return r, r.check()
}

// check returns an error for the first element that is not in the type. Elements ascend or descend, so all are between the first and
// the last.
func (r Range) check() error {
	if r.Len == 0 {
		return nil
	}
	first, err := Encode(r.DType, r.Start)
	if err != nil {
		return fmt.Errorf("element 0: %w", err)
	}
	last := r.Len - 1
	if Fractions.Has(r.DType) {
		if _, err = Encode(r.DType, r.float(last)); err != nil {
			return fmt.Errorf("element %d: %w", last, err)
		}
		return nil
	}
	end := maxOf(r.DType) // the bound that the elements move towards
	if r.Step < 0 {
		end = 0
		if Complements.Has(r.DType) {
			end = Wrap(r.DType, int64(SignBit(r.DType)))
		}
	}
	room := end - first
	if r.Step < 0 {
		room = first - end
	}
	fitting := uint64(0)
	if step := math.Abs(r.Step); step < 1<<64 {
		fitting = room / uint64(step)
	}
	if uint64(last) > fitting {
		return fmt.Errorf("element %d: %w", fitting+1, outside(r.DType, r.float(int(fitting+1))))
	}
	return nil
}

// Bits returns the start and the step as elements of an integer type d, wrapped. start + i*step, wrapped, is then exact for each element
// if the range's type has no more bits than d.
func (r Range) Bits(d DType) (start, step uint64) { return wrapFloat(d, r.Start), wrapFloat(d, r.Step) }

// wrapFloat wraps an integer to a type. For a magnitude of more than 64 bits it returns an arbitrary element: no step between elements of a
// type is that large.
func wrapFloat(d DType, f float64) uint64 {
	v := uint64(math.Abs(f))
	if f < 0 {
		v = -v
	}
	return Wrap(d, int64(v))
}

// Element returns element i.
func (r Range) Element(i int) uint64 {
	if Fractions.Has(r.DType) {
		return FromFloat(r.DType, r.float(i))
	}
	start, step := r.Bits(r.DType)
	return Wrap(r.DType, int64(start+uint64(i)*step))
}

func (r Range) float(i int) float64 { return math.FMA(float64(i), r.Step, r.Start) }
