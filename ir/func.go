package ir

import "fmt"

// Attr holds what an op needs besides its operands. Each op uses a few fields.
type Attr struct {
	Axes      []int   // permute, flip, squeeze, unsqueeze, diagonal (two), reductions
	Shape     Shape   // reshape, expand, iota, param: the shape of the result
	DType     DType   // cast, bitcast, const, extent, iota, param: the type of the result
	Axis      int     // slice, index, scan
	Begin     Dim     // slice, index: the first index; extent: the size
	Len       Dim     // slice: how many; a diagonal's follows from its axes
	Step      int     // slice: not 0; diagonal: its offset
	Bits      uint64  // const: the element
	At        *Layout // access; param: where the buffer's elements sit if not row-major
	Note      string  // copy: the reason for it
	By        Op      // fold: the lane op
	Exclusive bool    // scan: without the element itself
}

// Value is a node of a Func: an operation and its operands.
type Value struct {
	Op   Op
	Args []*Value
	Attr Attr
	Type Type
	Pos  Pos
	Name string // of a param
	ID   int    // its name in text: the position in the body, once Number has been called
}

// Func is a graph: params, a body in topological order, and results.
type Func struct {
	Name    string
	Params  []*Value
	Body    []*Value
	Results []*Value
	Fast    bool // composed ops have their fast expansions

	ids int // the ID of what Add appends next
}

// Param appends a parameter. At is nil for a row-major buffer.
func (f *Func) Param(name string, t Type, at *Layout) *Value {
	v := &Value{Op: OpParam, Type: t, Name: name, ID: len(f.Params), Attr: Attr{Shape: t.Shape, DType: t.DType, At: at}}
	f.Params = append(f.Params, v)
	return v
}

// Add appends the value of an operation, whose type Infer gives.
func (f *Func) Add(op Op, attr Attr, pos Pos, args ...*Value) (*Value, error) {
	var few [maxArity]Type
	types := few[:0]
	for _, a := range args {
		types = append(types, a.Type)
	}
	t, err := Infer(op, attr, types)
	if err != nil {
		return nil, &Error{Pos: pos, Op: op, Msg: err.Error()}
	}
	v := &Value{Op: op, Args: args, Attr: attr, Type: t, Pos: pos, ID: f.ids}
	f.ids++
	f.Body = append(f.Body, v)
	return v, nil
}

// Number gives params and body values the IDs of their positions. What Add appends
// later has higher ones, even if the body has been taken apart meanwhile.
func (f *Func) Number() {
	for i, v := range f.Params {
		v.ID = i
	}
	for i, v := range f.Body {
		v.ID = i
	}
	f.ids = len(f.Body)
}

func (f *Func) numbered() bool {
	for i, v := range f.Params {
		if v.ID != i {
			return false
		}
	}
	for i, v := range f.Body {
		if v.ID != i {
			return false
		}
	}
	return true
}

// Clone returns a copy of f whose values can be changed apart from f's.
func (f *Func) Clone() *Func {
	g, _ := f.rebuild(func(v *Value) (Attr, error) { return v.Attr, nil })
	return g
}

// Bind returns a copy of f where the named sizes are numbers. Slices are
// checked against the numbers; an error names the value's position.
func (f *Func) Bind(sizes map[string]int) (*Func, error) {
	g, err := f.rebuild(func(v *Value) (a Attr, err error) {
		a = v.Attr
		if a.Shape != nil {
			if a.Shape, err = a.Shape.Bind(sizes); err != nil {
				return a, err
			}
		}
		for _, d := range []*Dim{&a.Begin, &a.Len} {
			n, err := d.Bind(sizes)
			if err != nil {
				return a, err
			}
			*d = Fixed(n)
		}
		return a, nil
	})
	return g, err
}

// rebuild copies f with the attributes that attr returns, inferring types anew. It
// numbers f, if that has not been done since the body was edited.
func (f *Func) rebuild(attr func(*Value) (Attr, error)) (*Func, error) {
	if !f.numbered() {
		f.Number()
	}
	g := &Func{Name: f.Name, Fast: f.Fast, Body: make([]*Value, 0, len(f.Body))}
	twin := func(v *Value) *Value {
		if v.Op == OpParam {
			return g.Params[v.ID]
		}
		return g.Body[v.ID]
	}
	for _, p := range f.Params {
		a, err := attr(p)
		if err != nil {
			return nil, &Error{Pos: p.Pos, Msg: fmt.Sprintf("input %s: %v", p.Name, err)}
		}
		q := g.Param(p.Name, Type{p.Type.DType, a.Shape}, a.At)
		q.Pos = p.Pos
	}
	for _, v := range f.Body {
		args := make([]*Value, len(v.Args))
		for i, x := range v.Args {
			args[i] = twin(x)
		}
		a, err := attr(v)
		if err != nil {
			return nil, &Error{Pos: v.Pos, Op: v.Op, Msg: err.Error()}
		}
		if _, err := g.Add(v.Op, a, v.Pos, args...); err != nil {
			return nil, err
		}
	}
	for _, r := range f.Results {
		g.Results = append(g.Results, twin(r))
	}
	return g, nil
}

// Error is a mistake in a graph: where, in which op, and what to do.
type Error struct {
	Pos Pos
	Op  Op
	Msg string
}

func (e *Error) Error() string {
	text := e.Msg
	if e.Op != OpInvalid {
		text = e.Op.String() + ": " + text
	}
	if p := e.Pos.String(); p != "" {
		text = p + ": " + text
	}
	return text
}
