package plan

// Product is the position of the axes of a matrix product. The axes before Pairs count its matrices. Then come the pairs that are
// multiplied and added, the rows of the left matrix, which is the first input, and the columns of the right matrix: one or more
// axes of each. The left matrix does not move along the columns, nor the right one along the rows.
//
//	[8, 64 contract, 3 contract, 3 contract, 128, 54, 54]
//
// are 8 products of 128 rows, 64*3*3 pairs and 54*54 columns: the windows of 8 images.
type Product struct{ Pairs, Rows, Cols int }

// Product returns the position of the axes of a step that contracts. The columns are the axes from the first one behind the first
// row axis along which the right matrix moves, or the last axis.
func (s *Step) Product() Product {
	pairs := s.Along()
	rows := pairs
	for rows < len(s.Axes) && s.Axes[rows].Role == Contract {
		rows++
	}
	cols := rows + 1
	for cols < len(s.Axes)-1 && !s.moves(&s.In[1], cols) {
		cols++
	}
	return Product{pairs, rows, cols}
}

// moves reports whether an access moves along an axis.
func (s *Step) moves(a *Access, axis int) bool {
	return s.Axes[axis].Extent > 1 && a.Strides[axis] != 0
}
