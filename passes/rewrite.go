package passes

import "github.com/stridefuse/stridefuse/ir"

// rewrite writes f's body anew, value by value in topological order. edit gets
// each value with operands that are rewritten already, may Add values to f, and
// returns what stands for the value from there on: the value itself, which is
// then kept, or one that the new body has.
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
	f.Number()
	return nil
}
