package graph

// IsIn reports for each element whether it equals one of values, a Node or Tensor of x's type and of any shape. NaN
// equals none. The values are sorted, and each element is looked up by binary search and compared with what is there.
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
	upTo := sorted.SearchSorted(x, true) // the number of values that are not greater
	return Concat(0, Fill(sorted.DType(), 0, 1), sorted).Take(0, upTo).Eq(x).And(upTo.Gt(0))
}
