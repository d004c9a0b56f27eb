// Package table reads the numbers of a CSV file for the examples.
package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Table is a rectangle of numbers, row by row.
type Table struct {
	Header     []string // names of the numeric columns, or nil if the file has no header
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

// Read reads comma-separated values. A first line without numbers is the header. Columns without any number are
// dropped. A missing cell, a line of another length or text among numbers is an error that names the line and the
// column.
func Read(r io.Reader, name string) (*Table, error) {
	records, lines, err := records(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t := &Table{}
	var header []string
	if len(records) > 0 && numbers(records[0]) == 0 {
		header, records, lines = records[0], records[1:], lines[1:]
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: no rows of numbers: a row is numbers between commas", name)
	}
	for i, rec := range records {
		if len(rec) != len(records[0]) {
			return nil, fmt.Errorf("%s:%d: %d fields, the lines before have %d", name, lines[i], len(rec), len(records[0]))
		}
	}
	keep := columns(records)
	if len(keep) == 0 {
		return nil, fmt.Errorf("%s: no column holds a number: fields are separated by commas, decimals by points", name)
	}
	for _, c := range keep {
		if c < len(header) {
			t.Header = append(t.Header, header[c])
		}
	}
	for i, rec := range records {
		for _, c := range keep {
			v, err := number(rec[c])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: column %d: %w", name, lines[i], c+1, err)
			}
			t.Data = append(t.Data, v)
		}
	}
	t.Rows, t.Cols = len(records), len(keep)
	return t, nil
}

// records reads all records and the line of each.
func records(r io.Reader) (records [][]string, lines []int, err error) {
	buf := bufio.NewReader(r)
	if mark, err := buf.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = buf.Discard(3) // a byte order mark
	}
	in := csv.NewReader(buf)
	in.FieldsPerRecord = -1
	for {
		rec, err := in.Read()
		if err == io.EOF {
			return records, lines, nil
		}
		if err != nil {
			return nil, nil, err
		}
		line, _ := in.FieldPos(0)
		records, lines = append(records, rec), append(lines, line)
	}
}

// columns returns the numbers of the columns that contain a number.
func columns(records [][]string) []int {
	var keep []int
	for c := range records[0] {
		if slices.ContainsFunc(records, func(rec []string) bool { return numbers(rec[c:c+1]) > 0 }) {
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
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is past float32", s)
	case err != nil:
		return 0, fmt.Errorf("%q is no number", s)
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Errorf("%s is no finite number", s)
	}
	return float32(v), nil
}
