package ir

import "sync"

// Copies of graphs. A new copy reuses the memory of one that was released.

// Clone returns a copy of f whose values can be changed independently of f's. It numbers f if the body was edited since the
// last numbering.
func (f *Func) Clone() *Func { return f.cloneIn(new(copied), 0) }

// copied is memory for a copy of a graph.
type copied struct {
	f      Func
	values []Value
	refs   []*Value
	need   []bool // of Sweep
}

// cloneIn is Clone in the given memory, with room for more additional values.
func (f *Func) cloneIn(c *copied, more int) *Func {
	if !f.numbered() {
		f.Number()
	}
	params, n, results := len(f.Params), len(f.Params)+len(f.Body), len(f.Results)
	m := n + results + f.operands()
	if len(c.values) < n {
		c.values = make([]Value, n+more)
	}
	if len(c.refs) < m {
		c.refs = make([]*Value, m+more)
	}
	values, refs := c.values[:n:n], c.refs[:m:m] // of the lists, then of the operands
	for i := range values {
		refs[i] = &values[i]
	}
	lists, args := refs[:n+results:n+results], refs[n+results:]
	ref := func(to, from []*Value) {
		for i, v := range from {
			to[i] = lists[f.Index(v)]
		}
	}
	for i, p := range f.Params {
		values[i] = *p
	}
	for i, v := range f.Body {
		w, k := &values[params+i], len(v.Args)
		*w = *v
		w.Args, args = args[:k:k], args[k:]
		ref(w.Args, v.Args)
	}
	ref(lists[n:], f.Results)
	c.f = Func{Name: f.Name, Fast: f.Fast, Params: lists[:params:params], Body: lists[params:n:n], Results: lists[n:], ids: len(f.Body), need: c.need}
	c.f.room.next, c.f.room.args = c.values[n:], c.refs[m:]
	return &c.f
}

// operands returns the total number of operands of the values of the body.
func (f *Func) operands() (n int) {
	for _, v := range f.Body {
		n += len(v.Args)
	}
	return n
}

// rebuild copies f with other params. For each value it calls add, with the value's operands in the copy, to append to the copy.
func (f *Func) rebuild(params []*Value, add func(g *Func, v Value) (*Value, error)) (*Func, error) {
	if !f.numbered() {
		f.Number()
	}
	g := &Func{Name: f.Name, Fast: f.Fast}
	g.Reserve(len(params), len(f.Body), f.operands(), len(f.Results))
	g.Params = append(g.Params, params...)
	copied := func(v *Value) *Value {
		if v.Op == OpParam {
			return g.Params[v.ID]
		}
		return g.Body[v.ID]
	}
	args := make([]*Value, 0, fewArgs)
	for _, v := range f.Body {
		w := *v
		args = args[:0]
		for _, x := range v.Args {
			args = append(args, copied(x))
		}
		w.Args = args
		if _, err := add(g, w); err != nil {
			return nil, err
		}
	}
	for _, r := range f.Results {
		g.Results = append(g.Results, copied(r))
	}
	return g, nil
}

// copies holds the *copied of graphs that have been released.
var copies sync.Pool

// MostKept is the greatest number of values of a graph whose memory is kept for reuse: here that of a copy, in other packages that
// of readers and lowerings. For a larger graph, reuse saves little compared with the memory that its program keeps.
const MostKept = 1024

// copy is Clone in the memory of a released graph, if there is one.
func (f *Func) copy() *Func {
	n := len(f.Params) + len(f.Body)
	if n > MostKept {
		return f.Clone()
	}
	c, ok := copies.Get().(*copied)
	if !ok {
		c = new(copied)
	}
	g := f.cloneIn(c, n/4)
	g.own = c
	return g
}

// Release empties a graph to which, and to whose values, nothing refers any more. If the graph is a copy made by Bind, a later copy
// reuses its memory.
func (f *Func) Release() {
	c, need := f.own, f.need
	*f = Func{}
	if c != nil {
		c.need = need
		clear(c.values)
		clear(c.refs)
		copies.Put(c)
	}
}
