package ir

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Attr holds what an op needs besides its operands. Each op uses a few fields. Once
// a value has them they never change: values share them.
type Attr struct {
	Axes      []int          // permute, flip, squeeze, unsqueeze, diagonal (two), reductions
	Shape     Shape          // reshape, expand, iota, param: the shape of the result
	Axis      int            // slice, index, window, scan
	Begin     Dim            // slice, index: the first index; extent: the size
	Len       Dim            // slice, sort: how many; a diagonal's follows from its axes
	Step      int            // slice: not 0; diagonal: its offset; window: from one to the next
	Size      int            // window: how many elements one has
	Dilation  int            // window: from one element of it to the next
	Bits      uint64         // const: the element
	At        *layout.Layout // access; param: where the buffer's elements sit if not row-major
	Note      string         // copy: the reason for it; slice, index: what the user wrote, or asked for; param: its name
	DType     DType          // cast, bitcast, const, extent, iota, param: the type of the result
	By        Op             // reduce_chunks: the lane op
	Exclusive bool           // scan: without the element itself
	Conv      *Conv          // convolutions
}

// noAttr is what all values share whose op has no attributes: most.
var noAttr Attr

// Of returns the attributes for values of an op.
func (a Attr) Of(op Op) *Attr {
	if info := op.Info(); op.IsElementwise() && info.fromType == nil && info.attrs == nil {
		return &noAttr
	}
	own := a
	return &own
}

// Value is a node of a Func: an operation and its operands.
type Value struct {
	Op   Op
	Call Call // that made it, if that is known
	ID   int  // its name in text: the position in the body, once Number has been called
	Args []*Value
	Type Type
	Attr *Attr // never nil in a Func, and never changed: values share it
	Pos  Pos
}

// Name returns the name of a param, which is its note; other values have none.
func (v *Value) Name() string {
	if v.Op != OpParam {
		return ""
	}
	return v.attr().Note
}

// Called returns what errors call v: the function or method that made it, or its op.
func (v *Value) Called() string {
	if v.Op == OpParam {
		return "input " + v.Name()
	}
	return cmp.Or(v.Call.String(), v.Op.Method())
}

// attr returns the attributes of a value that may have been made without.
func (v *Value) attr() *Attr {
	if v.Attr == nil {
		return &noAttr
	}
	return v.Attr
}

// Func is a graph: params, a body in topological order, and results.
type Func struct {
	Name    string
	Params  []*Value
	Body    []*Value
	Results []*Value
	Fast    bool // composed ops have their fast expansions

	ids   int // the ID of what Add appends next
	room  values
	own   *copied // memory of a copy that Bind has made
	types []Type  // of the operands of what Add appends
	need  []bool  // of Sweep
}

// fewArgs is how many operands most ops have at most.
const fewArgs = 3

// values is room for values to come and for their operands: they are made many at
// a time, as a large graph has more of them than the garbage collector likes.
type values struct {
	next []Value
	args []*Value
	size int // what was made last; it doubles, up to a limit
}

const fewValues, manyValues = 8, 64

// one returns a value with a copy of some operands.
func (r *values) one(args []*Value) *Value {
	if len(r.next) == 0 {
		r.size = min(max(2*r.size, fewValues), manyValues)
		r.next = make([]Value, r.size)
	}
	p := &r.next[0]
	r.next = r.next[1:]
	if n := len(args); n > 0 {
		if len(r.args) < n {
			r.args = make([]*Value, max(n, 2*r.size))
		}
		copy(r.args, args)
		p.Args, r.args = r.args[:n:n], r.args[n:]
	}
	return p
}

// Reserve makes room for params and results, and for values to be appended with their operands.
func (f *Func) Reserve(params, values, operands, results int) {
	refs := make([]*Value, params+values+results+operands)
	room := func(n int) []*Value {
		list := refs[:0:n]
		refs = refs[n:]
		return list
	}
	f.Params, f.Body, f.Results = append(room(params), f.Params...), append(room(values), f.Body...), append(room(results), f.Results...)
	f.room.next, f.room.args = make([]Value, values), refs
}

// Param appends a parameter. At is nil for a row-major buffer.
func (f *Func) Param(name string, t Type, at *layout.Layout) *Value {
	p := &struct { // one allocation
		v Value
		a Attr
	}{Value{Op: OpParam, Type: t, ID: len(f.Params)}, Attr{Shape: t.Shape, DType: t.DType, At: at, Note: name}}
	p.v.Attr = &p.a
	f.Params = append(f.Params, &p.v)
	return &p.v
}

// Add appends the value of an operation, whose type Infer gives.
func (f *Func) Add(op Op, attr Attr, pos Pos, args ...*Value) (*Value, error) {
	f.types = f.types[:0]
	for _, a := range args {
		f.types = append(f.types, a.Type)
	}
	t, err := Infer(op, attr, f.types)
	if err != nil {
		return nil, &Error{Pos: pos, Op: op.Method(), Msg: err.Error()}
	}
	return f.Append(Value{Op: op, Args: args, Attr: attr.Of(op), Type: t, Pos: pos}), nil
}

// Append appends a copy of a value whose type is known, with an ID and a list of
// operands of its own.
func (f *Func) Append(v Value) *Value {
	p := f.Next(v.Args)
	v.ID, v.Args = p.ID, p.Args
	*p = v
	return p
}

// Next appends a value with an ID and a copy of some operands, whose other fields are to be set.
func (f *Func) Next(args []*Value) *Value {
	p := f.room.one(args)
	p.ID = f.ids
	f.ids++
	f.Body = append(f.Body, p)
	return p
}

// Index returns the place of v in a list of f's values, params first: the others
// have IDs of their own.
func (f *Func) Index(v *Value) int {
	if v.Op == OpParam {
		return v.ID
	}
	return len(f.Params) + v.ID
}

// Number gives params and body values the IDs of their positions. What Add appends
// later has higher ones, even if the body has been taken apart meanwhile.
func (f *Func) Number() {
	for i, v := range f.Params {
		v.ID = i
	}
	for i, v := range f.Body {
		if v.ID != i { // most have it, and what is not written stays in other caches
			v.ID = i
		}
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

// Sweep drops the values that no result needs and numbers the others. Params stay:
// they are the interface.
func (f *Func) Sweep() {
	f.Number()
	need, left := slices.Grow(f.need[:0], len(f.Body))[:len(f.Body)], 0
	f.need = need
	clear(need)
	mark := func(v *Value) {
		if v.Op != OpParam && !need[v.ID] {
			need[v.ID] = true
			left++
		}
	}
	for _, r := range f.Results {
		mark(r)
	}
	for i, v := range slices.Backward(f.Body) {
		if need[i] {
			for _, a := range v.Args {
				mark(a)
			}
		}
	}
	if left == len(f.Body) {
		return
	}
	body := f.Body[:0]
	for i, v := range f.Body {
		if need[i] {
			v.ID = len(body)
			body = append(body, v)
		}
	}
	clear(f.Body[left:])
	f.Body, f.ids = body, left
}

// Keep drops what no result needs, params too, and returns which params are left.
func (f *Func) Keep() []int {
	f.Sweep()
	need := make([]bool, len(f.Params))
	mark := func(vs []*Value) {
		for _, v := range vs {
			if v.Op == OpParam {
				need[v.ID] = true
			}
		}
	}
	mark(f.Results)
	for _, v := range f.Body {
		mark(v.Args)
	}
	var left []int
	params := f.Params[:0]
	for i, p := range f.Params {
		if need[i] {
			left, params = append(left, i), append(params, p)
		}
	}
	f.Params = params
	f.Number()
	return left
}

// Layout applies a view to the layout of its operand.
func (v *Value) Layout(l layout.Layout) (layout.Layout, error) {
	if rule := v.Op.Info().Layout; rule != nil {
		return rule(v, l)
	}
	return l, fmt.Errorf("%s is not a view", v.Op)
}
