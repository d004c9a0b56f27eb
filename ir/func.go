package ir

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Attr holds the attributes of an op. Each op uses a few of the fields. An Attr never changes once a value has it, as values share
// it.
type Attr struct {
	Axes      []int          // permute, flip, squeeze, unsqueeze, diagonal (two), reductions
	Shape     Shape          // reshape, expand, iota, param: the shape of the result
	Axis      int            // slice, index, window, scan
	Begin     Dim            // slice, index: the first index; extent: the size
	Len       Dim            // slice, sort: number of elements; a diagonal's follows from its axes
	Step      int            // slice: not 0; diagonal: its offset; window: distance between windows
	Size      int            // window: number of its elements
	Dilation  int            // window: distance between its elements
	Bits      uint64         // const: the element
	At        *layout.Layout // access; param: where the buffer's elements sit if not row-major
	Note      string         // copy: the reason for it; slice, index: what the user wrote, or asked for; param: its name; gather, scatter: the end of errors about indices
	DType     DType          // cast, bitcast, const, extent, iota, param: the type of the result
	By        Op             // reduce_chunks: the lane op
	Exclusive bool           // scan: without the element itself
	Clip      bool           // slice: empty for sizes that make Len negative
	Conv      *Conv          // convolutions
}

// Equal reports whether two values of one op and one type have the same attributes, besides notes. Accesses have no attribute
// but their layouts.
func (a *Attr) Equal(b *Attr) bool {
	if a.At != nil && b.At != nil {
		return a.At.Equal(*b.At)
	}
	return a.At == b.At && slices.Equal(a.Axes, b.Axes) && a.Axis == b.Axis && a.Begin == b.Begin && a.Step == b.Step &&
		a.Size == b.Size && a.Dilation == b.Dilation && a.Bits == b.Bits && a.By == b.By && a.Exclusive == b.Exclusive && a.Clip == b.Clip && a.Conv.Equal(b.Conv)
}

// noAttr is shared by all values of ops without attributes, which are the most.
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
	Call Call // the call that made it, if known
	ID   int  // its position in the body after a call of Number
	Args []*Value
	Type Type
	Attr *Attr // never nil in a Func and never changed, as values share it
	Pos  Pos

	label int // 1 + the number that is its name in text, 0 if that is its position: see Func.Label
}

// Name returns the name of a param, which is its note; other values have none.
func (v *Value) Name() string {
	if v.Op != OpParam {
		return ""
	}
	return v.attr().Note
}

// Called returns the name of v in errors: the function or method that made it, or its op.
func (v *Value) Called() string {
	if v.Op == OpParam {
		return "input " + v.Name()
	}
	return cmp.Or(v.Call.String(), v.Op.Method())
}

// attr returns the attributes of a value whose Attr may be nil.
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
	Outputs []string // the names of the results, "" for those without one; nil if none has one
	Fast    bool     // composed ops use their fast expansions

	ids   int // the ID of what Add appends next
	named int // the greatest label so far
	room  values
	types []Type // of the operands of what Add appends
	need  []bool // of Sweep
}

// fewArgs is the greatest number of operands of most ops.
const fewArgs = 3

// values is memory for new values and their operands. They are allocated many at a time, because single ones of a large
// graph would burden the garbage collector.
type values struct {
	next []Value
	args []*Value
	size int // number of values allocated last; it doubles up to a limit
}

const fewValues, manyValues = 8, 64

// one returns a value with a copy of the operands.
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

// Reserve allocates memory for params and results, and for values to be appended with their operands.
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

// Add appends the value of an operation. Infer determines its type.
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

// Append appends a copy of a value whose type is known. The copy has its own ID and list of operands.
func (f *Func) Append(v Value) *Value {
	p := f.Next(v.Args)
	v.ID, v.Args = p.ID, p.Args
	*p = v
	return p
}

// Next appends a value with an ID and a copy of the operands. The caller sets its other fields.
func (f *Func) Next(args []*Value) *Value {
	p := f.room.one(args)
	p.ID = f.ids
	f.ids++
	f.Body = append(f.Body, p)
	return p
}

// Output returns the name of a result, or "".
func (f *Func) Output(result int) string {
	if f.Outputs == nil {
		return ""
	}
	return f.Outputs[result]
}

// Index returns the index of v in a list of f's params followed by the other values. These must have IDs of their own.
func (f *Func) Index(v *Value) int {
	if v.Op == OpParam {
		return v.ID
	}
	return len(f.Params) + v.ID
}

// Number sets the IDs of params and body values to their positions. Values that Add appends later have higher IDs, even if values
// are removed from the body in between.
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

// Label gives each value of the body that has no name a new one, in order. Names are numbers. Values keep them from then on, also in
// copies of f, whatever is removed or inserted before them. Before the first call the name of a value is its position.
func (f *Func) Label() {
	met := make(map[int]bool, len(f.Body))
	for _, v := range f.Body {
		f.named = max(f.named, v.label)
	}
	for _, v := range f.Body {
		if v.label == 0 || met[v.label] { // a copy of a value has its label
			f.named++
			v.label = f.named
		}
		met[v.label] = true
	}
}

// Rename gives v the name that w has in text if v has none of its own: it computes what w did.
func (v *Value) Rename(w *Value) {
	if v.label == 0 {
		v.label = w.label
	}
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

// Sweep removes the values that no result needs, and numbers the others. It keeps all params, which are the interface.
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

// Keep removes everything that no result needs, including params, and returns the indices of the params that are left.
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

// Layout returns the layout of view v, given that of its operand.
func (v *Value) Layout(l layout.Layout) (layout.Layout, error) {
	if rule := v.Op.Info().Layout; rule != nil {
		return rule(v, l)
	}
	return l, fmt.Errorf("%s is not a view", v.Op)
}
