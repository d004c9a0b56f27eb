package passes

import "github.com/stridefuse/stridefuse/ir"

// rewrite writes f's body anew, value by value in topological order. edit gets
// each value with operands that are rewritten already, may Add values to f, and
// returns what stands for the value from there on: the value itself, which is
// then kept, or one that the new body has. Values that no result needs any more
// are dropped. Params stay: they are the interface.
func rewrite(f *ir.Func, edit func(v *ir.Value) (*ir.Value, error)) error {
	f.Number()
	old := f.Body
	twin := make([]*ir.Value, len(old)) // by the old ID
	current := func(v *ir.Value) *ir.Value {
		if v.Op == ir.OpParam {
			return v
		}
		return twin[v.ID]
	}
	f.Body = make([]*ir.Value, 0, len(old))
	for i, v := range old {
		for j, a := range v.Args {
			v.Args[j] = current(a)
		}
		w, err := edit(v)
		if err != nil {
			return err
		}
		if w == v {
			f.Body = append(f.Body, v)
		}
		twin[i] = w
	}
	for i, r := range f.Results {
		f.Results[i] = current(r)
	}
	sweep(f)
	return nil
}

// sweep drops the values that no result needs and numbers the others.
func sweep(f *ir.Func) {
	f.Number()
	need := make([]bool, len(f.Body))
	mark := func(v *ir.Value) {
		if v.Op != ir.OpParam {
			need[v.ID] = true
		}
	}
	for _, r := range f.Results {
		mark(r)
	}
	for i := len(f.Body) - 1; i >= 0; i-- {
		if need[i] {
			for _, a := range f.Body[i].Args {
				mark(a)
			}
		}
	}
	body := f.Body[:0]
	for i, v := range f.Body {
		if need[i] {
			body = append(body, v)
		}
	}
	clear(f.Body[len(body):])
	f.Body = body
	f.Number()
}
