package ir

import "slices"

// Copies of graphs.

// Clone returns a copy of f whose values can be changed independently of f's. It numbers f if the body was edited since the
// last numbering.
func (f *Func) Clone() *Func {
	if !f.numbered() {
		f.Number()
	}
	params, n, results := len(f.Params), len(f.Params)+len(f.Body), len(f.Results)
	m := n + results + f.operands()
	values, refs := make([]Value, n), make([]*Value, m) // of the lists, then of the operands
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
	return &Func{Name: f.Name, Fast: f.Fast, Params: lists[:params:params], Body: lists[params:n:n], Results: lists[n:], Outputs: slices.Clone(f.Outputs), ids: len(f.Body), named: f.named}
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
	g := &Func{Name: f.Name, Fast: f.Fast, Outputs: slices.Clone(f.Outputs), named: f.named}
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
		y, err := add(g, w)
		if err != nil {
			return nil, err
		}
		y.Rename(v)
	}
	for _, r := range f.Results {
		g.Results = append(g.Results, copied(r))
	}
	return g, nil
}
