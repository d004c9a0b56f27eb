package fft

import (
	"context"
	"unsafe"

	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
	"github.com/stridefuse/stridefuse/x/fft/internal/roots"
)

// This file transforms single lines. A line of n = rows*cols numbers is a matrix: its columns are transformed, multiplied
// by twiddle factors and transposed, and the columns of the result are transformed (Bailey, FFTs in external or
// hierarchical memory, 1990). Both transforms take tiles of some columns, which stay in a cache, through all of their
// stages. So each number is read from memory and written to it twice.

// Sizes of tiles, in bytes of one of the two buffers of a tile.
const (
	tileBytes = 32 << 10
	oneTable  = 1 << 15 // up to so many numbers, every number has a twiddle factor of its own
	cacheLine = 64
)

// matrix transforms lines as matrices.
type matrix[T kernel.Element] struct {
	rows, cols             int // of the line
	down, across           *stages[T]
	lanes                  int
	downTile, acrossTile   int // columns
	paddedRows, paddedCols int // multiples of the lanes
	line                   int // numbers of a row of the transposed matrix, a little more than rows
	turn                   func(*kernel.Frame)
	table                  []T // twiddle factors, in the order in which turn takes them: of all tiles, or of the first one
	second                 []T // or nil: factors of each row, for each tile
}

func padded(n, lanes int) int { return (n + lanes - 1) / lanes * lanes }

// shape returns the best number of rows of a matrix of n numbers, or 0 if no matrix has at least as many rows as lanes and
// half as many columns.
func shape(n, lanes int) int {
	best, least := 0, 0.0
	for rows := lanes; 2*n >= rows*lanes && rows <= 64*n/rows; rows++ {
		if n%rows != 0 {
			continue
		}
		cols := n / rows
		if rows%lanes != 0 && rows < 2*lanes && padded(rows, lanes) < 2*lanes {
			continue
		}
		cost := float64(float64(padded(cols, lanes))/float64(cols)*stageCost(rows)) +
			float64(float64(padded(rows, lanes))/float64(rows)*stageCost(cols))
		if rows%lanes != 0 || cols%lanes != 0 {
			cost += 0.5 // a copy
		}
		if imbalance := max(rows, cols) / min(rows, cols); imbalance > 8 {
			cost += 0.3
		}
		if best == 0 || cost < least {
			best, least = rows, cost
		}
	}
	return best
}

// stageCost estimates the time per number of a transform of n numbers.
func stageCost(n int) float64 {
	cost := 0.0
	for _, r := range radices(n) {
		cost += map[int]float64{1: 0.5, 2: 0.6, 3: 0.9, 4: 1, 5: 1.4, 7: 2, 8: 1.4}[r]
	}
	return cost
}

func newMatrix[T kernel.Element](n int, find func(radix int, form kernel.Form) func(*kernel.Frame)) *matrix[T] {
	lanes := kernel.Lanes[T]()
	rows := shape(n, lanes)
	if rows == 0 {
		return nil
	}
	var t T
	size := int(unsafe.Sizeof(t))
	m := &matrix[T]{rows: rows, cols: n / rows, lanes: lanes}
	m.paddedRows, m.paddedCols = padded(m.rows, lanes), padded(m.cols, lanes)
	m.down, m.across = newStages[T](m.rows, find), newStages[T](m.cols, find)
	m.downTile = tile(m.paddedRows, m.paddedCols, lanes, size, n, false)
	m.acrossTile = tile(m.cols, m.paddedRows, lanes, size, n, m.rows%lanes != 0)
	m.line = m.paddedRows
	if m.line*size%512 == 0 {
		m.line += cacheLine / size
	}
	unity := roots.Of(n)
	form, factors := kernel.Turned, m.paddedCols
	if n > oneTable {
		form, factors = kernel.TurnedTwice, m.downTile
		m.second = make([]T, 0, 2*m.paddedCols/m.downTile*m.paddedRows)
		for first := 0; first < m.paddedCols; first += m.downTile {
			for k := range m.paddedRows {
				re, im := unity.At(k * first % n)
				m.second = append(m.second, T(re), T(im))
			}
		}
	}
	m.turn = find(0, form)
	m.table = make([]T, 0, 2*factors*m.paddedRows)
	for first := 0; first < factors; first += m.downTile {
		for row := 0; row < m.paddedRows; row += lanes {
			for col := first; col < first+m.downTile; col += lanes {
				for k := row; k < row+lanes; k++ {
					var im []T
					for j := col; j < col+lanes; j++ {
						a, b := unity.At(k * j % n)
						m.table, im = append(m.table, T(a)), append(im, T(b))
					}
					m.table = append(m.table, im...)
				}
			}
		}
	}
	return m
}

// tile returns the number of columns of tiles: a multiple of the lanes that divides the padded number of all columns.
func tile(rows, cols, lanes, size, n int, several bool) int {
	best := lanes
	for c := lanes; c <= cols; c += lanes {
		if cols%c != 0 || several && c == cols {
			continue
		}
		if 2*rows*c*size <= tileBytes || n > oneTable && c*size <= 2*cacheLine {
			best = c
		}
	}
	return best
}

// copies reports whether rows are not whole vectors, so that the memory of lines must have room for lanes more numbers.
func (m *matrix[T]) copies() bool { return m.rows%m.lanes != 0 || m.cols%m.lanes != 0 }

// run transforms the line at src to dst, which may be the same. If m.copies, numbers beyond their ends are read and
// written.
func (m *matrix[T]) run(ctx context.Context, dst, src unsafe.Pointer, inverse bool, scale *T, w *work[T], workers int) error {
	size := int(unsafe.Sizeof(*scale))
	l := matrixLine[T]{m: m, scale: scale, size: size,
		from: memory{re: src, row: 2 * m.cols * size, form: pairs},
		to:   memory{re: dst, row: 2 * m.rows * size, form: pairs}}
	if inverse {
		l.from.form, l.to.form = swapped, swapped
	}
	n := 2 * m.paddedCols * m.line
	middle, err := w.middle.borrow(n)
	if err != nil {
		return err
	}
	defer middle.release()
	if middle.Tensor != nil {
		if err := touch(ctx, middle.data, w, workers); err != nil {
			return err
		}
	}
	l.turned = memory{unsafe.Pointer(&middle.data[0]), unsafe.Pointer(&middle.data[n/2]), m.line * size, split}
	if workers > 1 {
		return l.parallel(ctx, workers, w)
	}
	for i := range m.paddedCols / m.downTile {
		if m.second != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		l.down(i, w)
	}
	for i := m.paddedRows/m.acrossTile - 1; i >= 0; i-- { // see across
		if m.second != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		l.across(i, w)
	}
	return nil
}

// matrixLine is a transform of a line that is running.
type matrixLine[T kernel.Element] struct {
	m                *matrix[T]
	from, to, turned memory
	scale            *T
	size             int
}

// parallel does the work of run on several goroutines.
func (l matrixLine[T]) parallel(ctx context.Context, workers int, w *work[T]) error {
	m := l.m
	err := each(ctx, workers, m.paddedCols/m.downTile, w, func(i int, w *work[T]) error {
		l.down(i, w)
		return nil
	})
	if err != nil {
		return err
	}
	tiles := m.paddedRows / m.acrossTile
	if m.rows%m.lanes != 0 {
		tiles--
		l.across(tiles, w)
	}
	return each(ctx, workers, tiles, w, func(i int, w *work[T]) error {
		l.across(i, w)
		return nil
	})
}

// down transforms tile i of the columns.
func (l *matrixLine[T]) down(i int, w *work[T]) {
	m := l.m
	columns := buffer(w.columns.take(2*m.paddedRows*m.downTile), m.paddedRows, m.downTile)
	m.down.run(columns, l.from.at(i*m.downTile, l.size), m.downTile, nil, w)
	m.transpose(i, l.turned, columns, &w.frame)
}

// across transforms tile i of the transposed matrix. If the number of rows is not a multiple of the lanes, the last tile
// writes beyond each row, where the first tile writes after it.
func (l *matrixLine[T]) across(i int, w *work[T]) {
	m := l.m
	m.across.run(l.to.at(i*m.acrossTile, l.size), l.turned.at(i*m.acrossTile, l.size), m.acrossTile, l.scale, w)
}

// transpose multiplies tile i by twiddle factors and writes it to rows of the transposed matrix.
func (m *matrix[T]) transpose(i int, turned, columns memory, f *kernel.Frame) {
	var t T
	size := int(unsafe.Sizeof(t))
	skip := i * m.downTile * m.line * size
	*f = kernel.Frame{
		Rows: m.paddedRows / m.lanes, Cols: m.downTile,
		In: columns.re, InIm: columns.im, InLeg: columns.row, InRow: m.lanes * columns.row,
		Out: unsafe.Add(turned.re, skip), OutIm: unsafe.Add(turned.im, skip), OutLeg: turned.row, OutRow: m.lanes * size,
	}
	if m.second == nil {
		f.Table = unsafe.Pointer(&m.table[2*i*m.paddedRows*m.downTile])
	} else {
		f.Table, f.Second = unsafe.Pointer(&m.table[0]), unsafe.Pointer(&m.second[2*i*m.paddedRows])
	}
	first, row := *f, 2*m.lanes*size // a row of blocks has a row of factors for each column, and one in second
	most := max(1, mostCalled/(m.lanes*f.Cols))
	for done := 0; done < first.Rows; done += f.Rows {
		f.Rows = min(first.Rows-done, most)
		f.In, f.InIm = unsafe.Add(first.In, done*f.InRow), unsafe.Add(first.InIm, done*f.InRow)
		f.Out, f.OutIm = unsafe.Add(first.Out, done*f.OutRow), unsafe.Add(first.OutIm, done*f.OutRow)
		f.Table, f.Second = unsafe.Add(first.Table, done*f.Cols*row), advanced(first.Second, done*row)
		m.turn(f)
	}
}
