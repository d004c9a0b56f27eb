// Package csv reads columns of numbers from CSV files into tensors.
//
//	x, err := csv.Read(file, graph.Float32, "height", "weight") // float32[n,2]
//
// Errors name the line and the column of the file:
//
//	csv: line 3, column 2 (weight): "12,5" is no float32: a missing number is an empty cell or nan
//
// To read columns of different types, open and read the file once for each type.
package csv

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
)

// Read reads named columns of a file whose first record has the names. The tensor has one row for each other record,
// and one column for each name, in the given order. Without names it reads all columns.
//
// Blank lines are skipped, so in a file of one column an empty cell is written "". Spaces around a cell are ignored. An
// empty cell is NaN in a float type and an error in other types. Numbers that the type can't hold are errors, and so
// are records of unequal length.
func Read(r io.Reader, dt graph.DType, columns ...string) (*graph.Tensor, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	names, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("csv: the record with the names of columns: %w", err)
	}
	names = slices.Clone(names)
	names[0] = strings.TrimPrefix(names[0], "\ufeff") // a byte order mark
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	at := make([]int, len(columns))
	for i, name := range columns {
		if at[i] = slices.Index(names, name); at[i] < 0 {
			return nil, fmt.Errorf("csv: no column is called %q: there are %q", name, names)
		}
		if slices.Contains(names[at[i]+1:], name) {
			return nil, fmt.Errorf("csv: several columns are called %q: read all columns, and take some", name)
		}
	}
	if len(columns) == 0 {
		at = places(len(names))
	}
	return read(&source{in, names}, dt, at)
}

// ReadUnnamed reads all columns of a file without a record of names.
func ReadUnnamed(r io.Reader, dt graph.DType) (*graph.Tensor, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	return read(&source{in, nil}, dt, nil)
}

// source is a file with the names of its columns, or nil names.
type source struct {
	in    *csv.Reader
	names []string
}

// readers has a function for each element type.
var readers = map[graph.DType]func(s *source, at []int) (*graph.Tensor, error){
	graph.Bool:    columnsOf(strconv.ParseBool),
	graph.Uint8:   columnsOf(unsigned[uint8]),
	graph.Uint16:  columnsOf(unsigned[uint16]),
	graph.Uint32:  columnsOf(unsigned[uint32]),
	graph.Uint64:  columnsOf(unsigned[uint64]),
	graph.Int8:    columnsOf(signed[int8]),
	graph.Int16:   columnsOf(signed[int16]),
	graph.Int32:   columnsOf(signed[int32]),
	graph.Int64:   columnsOf(signed[int64]),
	graph.Float32: columnsOf(float[float32]),
	graph.Float64: columnsOf(float[float64]),
}

func read(s *source, dt graph.DType, at []int) (*graph.Tensor, error) {
	f, ok := readers[dt]
	if !ok {
		return nil, fmt.Errorf("csv: columns of %s are not read: read another type, and Cast it", dt)
	}
	return f(s, at)
}

// columnsOf returns a function that reads the columns with the given numbers (all if at is nil), using a function that
// parses a cell.
func columnsOf[T graph.Element](parse func(cell string) (T, error)) func(s *source, at []int) (*graph.Tensor, error) {
	return func(s *source, at []int) (*graph.Tensor, error) {
		var data []T
		rows := 0
		for ; ; rows++ {
			record, err := s.in.Read()
			if err == io.EOF {
				break
			}
			if errors.Is(err, csv.ErrFieldCount) {
				line, column := s.in.FieldPos(len(record) - 1)
				return nil, fmt.Errorf("csv: line %d ends with column %d, which begins at character %d: the record before has %d columns", line, len(record), column, s.in.FieldsPerRecord)
			}
			if err != nil {
				return nil, fmt.Errorf("csv: %w", err)
			}
			if at == nil {
				at = places(len(record))
			}
			for _, i := range at {
				v, err := parse(strings.TrimSpace(record[i]))
				if err != nil {
					return nil, s.wrong(record, i, graph.Of([]T{v}).DType(), err)
				}
				data = append(data, v)
			}
		}
		return graph.Of(data, rows, len(at)), nil
	}
}

// places returns 0, 1, ..., n-1.
func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// wrong returns the error for a cell.
func (s *source) wrong(record []string, i int, dt graph.DType, err error) error {
	line, _ := s.in.FieldPos(i)
	where := fmt.Sprintf("line %d, column %d", line, i+1)
	if s.names != nil {
		where += " (" + s.names[i] + ")"
	}
	switch {
	case record[i] == "":
		return fmt.Errorf("csv: %s is empty, which no %s is", where, dt)
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("csv: %s: %q is beyond the range of %s", where, record[i], dt)
	}
	hint := ""
	if dt == graph.Float32 || dt == graph.Float64 {
		hint = ": a missing number is an empty cell or nan"
	}
	return fmt.Errorf("csv: %s: %q is no %s%s", where, record[i], dt, hint)
}

// bits returns the size of a Go number in bits.
func bits[T any]() int { return 8 * int(unsafe.Sizeof(*new(T))) }

func unsigned[T uint8 | uint16 | uint32 | uint64](cell string) (T, error) {
	v, err := strconv.ParseUint(cell, 10, bits[T]())
	return T(v), err
}

func signed[T int8 | int16 | int32 | int64](cell string) (T, error) {
	v, err := strconv.ParseInt(cell, 10, bits[T]())
	return T(v), err
}

func float[T float32 | float64](cell string) (T, error) {
	if cell == "" {
		return T(math.NaN()), nil
	}
	if strings.Contains(cell, "_") { // Go's literals may have underscores, CSV's may not
		return 0, strconv.ErrSyntax
	}
	v, err := strconv.ParseFloat(cell, bits[T]())
	return T(v), err
}
