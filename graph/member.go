package graph

// IsIn reports for each element whether it equals one of values, a Node or Tensor of x's type and of any shape. NaN
// equals none. The values are sorted, and each element is looked up by binary search.
func (x Node) IsIn(values any) Node {
	if x.Err() != nil {
		return x
	}
	v := Node{operand(values, x.DType())}
	switch {
	case v.Err() != nil:
		return v
	case v.DType() != x.DType():
		return fail("dtypes %s and %s differ: Cast one of them", x.DType(), v.DType())
	case x.DType() == Bool:
		x, v = x.Cast(Uint8), v.Cast(Uint8)
	}
	sorted := v.Flatten().Sort(0)
	return sorted.SearchSorted(x, false).Ne(sorted.SearchSorted(x, true)).And(x.Eq(x))
}
