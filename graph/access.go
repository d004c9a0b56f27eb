package graph

// extent returns the extent of an axis of a tensor. It copies the shape: fine
// where a plan is looked for, not in RunInto's first try.
func extent(t *Tensor, axis int) int { return t.Shape()[axis] }

// stride returns the step from one index of an axis to the next, in elements.
func stride(t *Tensor, axis int) int { return t.Strides()[axis] }
