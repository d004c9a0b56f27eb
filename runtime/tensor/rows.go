package tensor

import "fmt"

// Matrices as Go programs hold them: slices of rows, or separate columns.

// OfRows returns a matrix of copies of the given rows, which must have equal lengths.
func OfRows[T Element](rows [][]T) *Tensor {
	return gathered(rows, "row", func(data []T, i int, row []T) {
		copy(data[i*len(row):], row)
	}, func(n, width int) []int { return []int{n, width} })
}

// OfColumns returns a matrix of copies of the given columns, which must have equal lengths.
func OfColumns[T Element](columns ...[]T) *Tensor {
	return gathered(columns, "column", func(data []T, i int, column []T) {
		for r, e := range column {
			data[r*len(columns)+i] = e
		}
	}, func(n, width int) []int { return []int{width, n} })
}

// gathered returns a matrix of slices of one length in new memory; put stores each slice.
func gathered[T Element](slices [][]T, name string, put func(data []T, i int, s []T), shape func(n, width int) []int) *Tensor {
	width := 0
	if len(slices) > 0 {
		width = len(slices[0])
	}
	for i, s := range slices {
		if len(s) != width {
			return Failf("of%ss: %s %d has %d elements, %s 0 has %d: they must be the same", name, name, i, len(s), name, width)
		}
	}
	data := make([]T, len(slices)*width)
	for i, s := range slices {
		put(data, i, s)
	}
	return Of(data, shape(len(slices), width)...)
}

// Rows returns copies of the rows of a matrix.
func Rows[T Element](t *Tensor) ([][]T, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if t.Rank() != 2 {
		return nil, fmt.Errorf("rows of a tensor of shape %v: it is no matrix", t.Shape())
	}
	n, width := t.Extent(0), t.Extent(1)
	data := make([]T, n*width)
	if err := CopyTo(t, data); err != nil {
		return nil, err
	}
	rows := make([][]T, n)
	for i := range rows {
		rows[i] = data[i*width : (i+1)*width : (i+1)*width]
	}
	return rows, nil
}

// Columns returns copies of the columns of a matrix.
func Columns[T Element](t *Tensor) ([][]T, error) { return Rows[T](t.Transpose()) }
