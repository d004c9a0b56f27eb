package graph

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// checkIns computes the sizes from the shapes of the inputs, or returns what is wrong with the inputs.
func (p *Program) checkIns(ins []*Tensor) (map[string]int, error) {
	if len(ins) != len(p.inputs) {
		return nil, p.misuse("run", "%d inputs given, the program takes %d: %s", len(ins), len(p.inputs), list(p.inputs))
	}
	for i, t := range ins {
		if err := p.checkType(&p.inputs[i], t); err != nil {
			return nil, err
		}
	}
	var sizes map[string]int
	type axis struct{ input, axis int }
	var given map[string]axis                   // the first input that gives each size
	for _, alone := range []bool{true, false} { // extents that are a plain name, such as n, before expressions such as 2*n
		for i, t := range ins {
			in := p.inputs[i]
			for k, d := range in.Shape {
				name, n, ok := solve(d, t.Extent(k))
				if (d.String() == name) != alone || name == "" {
					continue
				}
				have, known := sizes[name]
				switch {
				case known && alone && have != n:
					return nil, p.inputError(&in, "the size %s is %d in axis %d of this input and %d in axis %d of %s: they must be equal", name, n, k, have, given[name].axis, p.inputs[given[name].input].Name)
				case known:
					continue
				case !ok:
					return nil, p.inputError(&in, "axis %d is %d and must be %s for some %s", k, t.Extent(k), d, name)
				case sizes == nil:
					sizes, given = map[string]int{}, map[string]axis{}
				}
				sizes[name], given[name] = n, axis{i, k}
			}
		}
	}
	for i, t := range ins { // the expressions, now that all names have numbers
		for k, d := range p.inputs[i].Shape {
			want, err := d.Bind(sizes)
			if err != nil {
				return nil, p.inputError(&p.inputs[i], "%w", err)
			}
			if have := t.Extent(k); have != want {
				return nil, p.inputError(&p.inputs[i], "axis %d is %d and must be %s = %d, where %s", k, have, d, want, p.compiled.SizesText(sizes))
			}
		}
	}
	return sizes, nil
}

// solve finds the value of the only name in an extent a*name + b for which the extent is n; ok is false if there is
// none.
func solve(d Extent, n int) (name string, value int, ok bool) {
	name, a, b, linear := d.Linear()
	if !linear {
		return "", 0, false
	}
	return name, (n - b) / a, (n-b)%a == 0 && (n-b)/a >= 0
}

// checkType returns an error unless a tensor has the element type and the known extents of an input.
func (p *Program) checkType(in *Port, t *Tensor) error {
	if err := t.Err(); err != nil {
		return cmp.Or(givenFailed(t, "input "+in.Name), p.inputError(in, "%w", err))
	}
	mismatch := func(format string, args ...any) error {
		have := ir.Type{DType: t.DType(), Shape: ir.ShapeOf(t.Shape()...)}
		return p.inputError(in, "want %s, got %s: %s", in.typeText(), specText(have, nil), fmt.Sprintf(format, args...))
	}
	switch {
	case t.DType() != in.DType:
		return mismatch("give a tensor of %s, or Cast in the graph", in.DType)
	case t.Rank() != len(in.Shape):
		return mismatch("it must have %d axes", len(in.Shape))
	}
	for k, d := range in.Shape {
		if n, fixed := d.Int(); fixed && t.Extent(k) != n {
			return mismatch("axis %d must be %d", k, n)
		}
	}
	return nil
}

// ownError returns the error that a failed tensor carries, with the line of the mistake. It returns nil for a nil or
// zero tensor, which carries none.
func ownError(t *Tensor) *Error {
	var e *Error
	if errors.As(t.Err(), &e) && e.Pos != (Pos{}) {
		return e
	}
	return nil
}

// givenFailed returns the error of a failed tensor, with what the tensor was given for. It returns nil where ownError
// does.
func givenFailed(t *Tensor, as string) error {
	if e := ownError(t); e != nil {
		return &Error{Pos: e.Pos, Op: e.Op, Msg: e.Msg + "; it is given for " + as}
	}
	return nil
}

// inputError returns an error about a tensor given for an input, at the line of the user's call.
func (p *Program) inputError(in *Port, format string, args ...any) error {
	return p.misuse("run", "input %s of %s: %w", in.Name, in.Pos, fmt.Errorf(format, args...))
}

// misuse returns an error at the line that calls a method, prefixed with the name of the program if it has one.
func (p *Program) misuse(call, format string, args ...any) error {
	return &Error{Pos: ir.CallerPos(), Op: p.called(call), Msg: fmt.Errorf(format, args...).Error()}
}

// called returns the name of a call for errors: followed by the name of the program if it has one.
func (p *Program) called(call string) string {
	if p != nil && p.name != defaultName {
		return call + " " + p.name
	}
	return call
}
