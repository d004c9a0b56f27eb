package ir

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Binding. The input is a graph and numbers for its named sizes. The output is a copy of the graph in which all sizes are numbers,
// checked as if it had been built from them.

// Bind returns a copy of f in which the named sizes are replaced by numbers. Slices are checked against the numbers; an error
// names the value's position.
func (f *Func) Bind(sizes map[string]int) (*Func, error) {
	if !slices.ContainsFunc(f.Params, (*Value).symbolic) && !slices.ContainsFunc(f.Body, (*Value).symbolic) {
		return f.Clone(), nil
	}
	params, own, attrs := make([]*Value, len(f.Params)), make([]Value, len(f.Params)), make([]Attr, len(f.Params))
	for i, p := range f.Params {
		q, attr := &own[i], &attrs[i]
		*q, *attr = *p, *p.Attr
		if err := attr.bind(sizes); err != nil {
			return nil, &Error{Pos: p.Pos, Op: p.Called(), Msg: err.Error()}
		}
		q.Attr, q.Type.Shape = attr, attr.Shape
		params[i] = q
	}
	return f.rebuild(params, func(g *Func, v Value) (*Value, error) {
		attr := v.Attr
		if v.symbolic() {
			own := *attr
			if err := own.bind(sizes); err != nil {
				return nil, &Error{Pos: v.Pos, Op: v.Called(), Msg: err.Error()}
			}
			if n, _ := own.Len.Int(); own.Clip && n < 0 {
				own.Begin, own.Len = Fixed(0), Fixed(0)
			}
			own.Clip = false
			attr = &own
		}
		w, err := g.Add(v.Op, *attr, v.Pos, v.Args...)
		if err == nil {
			return w, nil
		}
		var e *Error
		if errors.As(err, &e) {
			e.Op = v.Called()
			if v.Op.IsView() && attr.Note != "" {
				e.Msg = strconv.Quote(attr.Note) + ": " + e.Msg
			}
			if v.Op == OpReshape && slices.ContainsFunc(v.Type.Shape, Dim.rounds) {
				e.Msg += fmt.Sprintf(": the quotient of %s has a remainder", v.Type.Shape)
			}
		}
		return nil, err
	})
}

// Bound returns a copy of v in which the named sizes of its attributes and its type are replaced by numbers. Its operands stay as they are.
func (v *Value) Bound(sizes map[string]int) (*Value, error) {
	w, attr := *v, *v.attr()
	if err := attr.bind(sizes); err != nil {
		return nil, err
	}
	shape, err := v.Type.Shape.Bind(sizes)
	w.Attr, w.Type.Shape = &attr, shape
	return &w, err
}

// symbolic reports whether an attribute of v has a named size, or an invalid extent.
func (v *Value) symbolic() bool {
	symbolic := func(d Dim) bool { return d.expr != "" }
	return symbolic(v.Attr.Begin) || symbolic(v.Attr.Len) || slices.ContainsFunc(v.Attr.Shape, symbolic)
}

// bind replaces the named sizes by numbers.
func (a *Attr) bind(sizes map[string]int) (err error) {
	if a.Shape != nil {
		if a.Shape, err = a.Shape.Bind(sizes); err != nil {
			return err
		}
	}
	if a.Begin, err = a.Begin.number(sizes); err == nil {
		a.Len, err = a.Len.number(sizes)
	}
	return err
}

// number returns the result of Bind as a Dim.
func (d Dim) number(sizes map[string]int) (Dim, error) {
	n, err := d.Bind(sizes)
	return Fixed(n), err
}
