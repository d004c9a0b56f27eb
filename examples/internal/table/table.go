// Package table reads the numbers of a CSV file for the examples.
package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Table is a rectangle of numbers, row by row.
type Table struct {
	Header     []string // the names of the numeric columns, nil if there are none
	Rows, Cols int
	Data       []float32 // row-major
}

// Open reads the file at path; see Read.
func Open(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a CSV of numbers. A first line without numbers is the header, and
// columns whose first value is text are left out. A hole, a ragged line or text
// among numbers is an error that names the line and the column.
func Read(r io.Reader, name string) (*Table, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	records, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{}
	first := 0
	if len(records) > 0 && numbers(records[0]) == 0 {
		first = 1
	}
	if len(records) <= first {
		return nil, fmt.Errorf("%s: no rows of numbers", name)
	}
	keep := columns(records[first])
	if len(keep) == 0 {
		return nil, fmt.Errorf("%s:%d: no column holds a number", name, first+1)
	}
	if first == 1 {
		for _, c := range keep {
			if c < len(records[0]) {
				t.Header = append(t.Header, records[0][c])
			}
		}
	}
	for i, rec := range records[first:] {
		line := i + first + 1
		if len(rec) != len(records[first]) {
			return nil, fmt.Errorf("%s:%d: %d fields, the lines before have %d", name, line, len(rec), len(records[first]))
		}
		for _, c := range keep {
			v, err := number(rec[c])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: column %d: %w", name, line, c+1, err)
			}
			t.Data = append(t.Data, v)
		}
	}
	t.Rows, t.Cols = len(records)-first, len(keep)
	return t, nil
}

// columns returns the places of a record's numbers and holes.
func columns(record []string) []int {
	var keep []int
	for c, s := range record {
		if _, err := number(s); err == nil || strings.TrimSpace(s) == "" {
			keep = append(keep, c)
		}
	}
	return keep
}

func numbers(record []string) int {
	n := 0
	for _, s := range record {
		if _, err := number(s); err == nil {
			n++
		}
	}
	return n
}

func number(s string) (float32, error) {
	s = strings.TrimSpace(s)
	if s == "" || s == "NA" {
		return 0, errors.New("a hole: fill the value in or drop the row")
	}
	v, err := strconv.ParseFloat(s, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return float32(v), nil
}
