package passes

import "github.com/stridefuse/stridefuse/ir"

// rewrite writes f's body anew, value by value in topological order. edit gets
// each value with operands that are rewritten already, may Add values to f, and
// returns what stands for the value from there on: the value itself, which is
// then kept, or one that the new body has. Values that no result needs any more
// are dropped. Params stay: they are the interface.
//
// IDs are the positions in the body before and after, and differ in between.
func rewrite(f *ir.Func, edit func(v *ir.Value) (*ir.Value, error)) error {
	f.Number()
	old := f.Body
	var twin []*ir.Value // by the old ID; nil while each value stands for itself
	for i, v := range old {
		if twin == nil {
			f.Body = old[:i:i]
		}
		for j, a := range v.Args {
			v.Args[j] = current(a, twin)
		}
		w, err := edit(v)
		if err != nil {
			return err
		}
		if twin == nil && (w != v || len(f.Body) > i) {
			twin = append(make([]*ir.Value, 0, len(old)), old[:i]...)
			f.Body = append(make([]*ir.Value, 0, len(old)+64), f.Body...)
		}
		if twin != nil {
			twin = append(twin, w)
			if w == v {
				f.Body = append(f.Body, v)
			}
		}
	}
	if twin == nil {
		f.Body = old
	}
	for i, r := range f.Results {
		f.Results[i] = current(r, twin)
	}
	f.Sweep()
	return nil
}

// current returns what stands for a value.
func current(v *ir.Value, twin []*ir.Value) *ir.Value {
	if v.Op == ir.OpParam || twin == nil {
		return v
	}
	return twin[v.ID]
}
