// Package csv reads columns of numbers from CSV files into tensors.
//
//	x, err := csv.Read(file, graph.Float32, "height", "weight") // float32[n,2]
//
// A Format says how a file differs from the usual: another delimiter, a decimal comma, comments, words for missing
// numbers. ReadColumns gives each column a tensor of its own type, and reads dates as numbers:
//
//	german := csv.Format{Delimiter: ';', Decimal: ',', Missing: []string{"k. A."}}
//	t, err := german.ReadColumns(file, csv.Column{Name: "Jahr", Type: graph.Int32}, csv.Column{Name: "Preis", Type: graph.Float64})
//
// Errors name the line and the column of the file:
//
//	csv: line 3, column 2 (weight): "12,5 kg" is no float32: a cell has one number, without a unit, such as -1.5e3
package csv

import (
	"fmt"
	"io"

	"github.com/stridefuse/stridefuse/graph"
)

// Read reads named columns of a file whose first record has the names. The tensor has one row for each other record,
// and one column for each name, in the given order. Without names it reads all columns.
//
// Blank lines are skipped, so in a file of one column an empty cell is written "". Spaces around a cell are ignored. An
// empty cell and nan are NaN in a float type, and errors in other types. Numbers that the type can't hold are errors,
// and so are records of unequal length.
func Read(r io.Reader, dt graph.DType, columns ...string) (*graph.Tensor, error) {
	return Format{}.Read(r, dt, columns...)
}

// ReadUnnamed reads all columns of a file without a record of names.
func ReadUnnamed(r io.Reader, dt graph.DType) (*graph.Tensor, error) {
	return Format{Unnamed: true}.Read(r, dt)
}

// ReadColumns reads columns of a file whose first record has the names: see Format.ReadColumns.
func ReadColumns(r io.Reader, columns ...Column) ([]*graph.Tensor, error) {
	return Format{}.ReadColumns(r, columns...)
}

// Format says how a file is written. The zero Format has commas between cells, decimal points, a record of names and
// no comments.
type Format struct {
	Delimiter  rune     // between cells; 0 is a comma
	Decimal    rune     // before the fraction of a number; 0 is a point
	Comment    rune     // lines that begin with this character are skipped; 0 skips no line
	Missing    []string // cells that are missing numbers, such as "NA", besides the empty cell and nan
	LazyQuotes bool     // a quote may stand in a cell without quotes, and one quote in a cell with quotes
	Unnamed    bool     // the first record has numbers, not names
}

// Read reads columns of one type into a tensor [records, columns]: see the function Read. If the format is Unnamed,
// columns is empty, and all are read.
func (f Format) Read(r io.Reader, dt graph.DType, columns ...string) (*graph.Tensor, error) {
	s, err := f.open(r)
	if err != nil {
		return nil, err
	}
	to, err := newCells(Column{Type: dt}, f)
	if err != nil {
		return nil, err
	}
	at := places(len(s.first))
	if len(columns) > 0 {
		if at, err = s.find(columns); err != nil {
			return nil, err
		}
	}
	all := make([]cells, len(at))
	for i := range all {
		all[i] = to
	}
	rows, err := s.read(at, all)
	if err != nil {
		return nil, err
	}
	return to.tensor(rows, len(at)), nil
}

// Column is a column to read.
type Column struct {
	Name string
	Type graph.DType
	// Time is the layout of package time in which cells are times, such as time.DateOnly; they become seconds since 1970, UTC.
	// By the rule of time.Parse, the abbreviation of a zone, such as CEST in time.RFC822, has the offset that it has in
	// time.Local, and one that is not known there is taken as UTC: layouts with offsets, such as time.RFC822Z, avoid this.
	Time string
}

// ReadColumns reads columns into a tensor [records] each, in the given order. If the format is Unnamed, the names are
// the numbers of columns: "1" is the first.
//
// A column with a layout in Time has a float64 or an integer type. Its tensor has the seconds since 1970-01-01 00:00
// UTC; fractions of a second are dropped in integers. Times without a zone are UTC.
func (f Format) ReadColumns(r io.Reader, columns ...Column) ([]*graph.Tensor, error) {
	s, err := f.open(r)
	if err != nil {
		return nil, err
	}
	names, all := make([]string, len(columns)), make([]cells, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		if all[i], err = newCells(c, f); err != nil {
			return nil, err
		}
	}
	at, err := s.find(names)
	if err != nil {
		return nil, err
	}
	rows, err := s.read(at, all)
	if err != nil {
		return nil, err
	}
	out := make([]*graph.Tensor, len(columns))
	for i, c := range all {
		out[i] = c.tensor(rows)
	}
	return out, nil
}

// places returns 0, 1, ..., n-1.
func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// missing reports whether a cell is a missing number.
func (f Format) missing(cell string) bool {
	if cell == "" {
		return true
	}
	for _, word := range f.Missing {
		if cell == word {
			return true
		}
	}
	return false
}

// check returns an error for a format that no file has.
func (f Format) check() error {
	names := map[rune]string{}
	for _, m := range []struct {
		mark rune
		name string
	}{{or(f.Delimiter, ','), "Delimiter"}, {or(f.Decimal, '.'), "Decimal"}, {f.Comment, "Comment"}} {
		if m.mark == 0 {
			continue
		}
		if other, ok := names[m.mark]; ok {
			return fmt.Errorf("csv: %s and %s are both %q: set another %s", other, m.name, m.mark, other)
		}
		names[m.mark] = m.name
	}
	return nil
}

func or(mark, usual rune) rune {
	if mark == 0 {
		return usual
	}
	return mark
}
