package csv

// The records of a file: the first one with its names, and the cells of the others.

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// source is an open file. Its first record has been read.
type source struct {
	format Format
	in     *csv.Reader
	first  []string // the names of columns; the first numbers if the format is Unnamed; nil if the file is empty
}

// byteOrderMark is what spreadsheets write before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// open reads the first record.
func (f Format) open(r io.Reader) (*source, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, errors.New("csv: the reader is nil")
	}
	b := bufio.NewReader(r)
	head, err := b.Peek(binfile.KindBytes)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("csv: %w", err)
	}
	if kind := binfile.Kind(head); kind != "" {
		return nil, fmt.Errorf("csv: the file is %s", kind)
	}
	if strings.HasPrefix(string(head), byteOrderMark) {
		b.Discard(len(byteOrderMark))
	}
	in := csv.NewReader(b)
	in.Comma, in.Comment, in.LazyQuotes = or(f.Delimiter, ','), f.Comment, f.LazyQuotes
	s := &source{format: f, in: in}
	switch s.first, err = in.Read(); {
	case err == io.EOF && f.Unnamed:
	case err == io.EOF:
		return nil, errors.New("csv: the file is empty: it has no record with the names of columns")
	case err != nil:
		what := "the record with the names of columns"
		if f.Unnamed {
			what = "the first record"
		}
		return nil, fmt.Errorf("csv: %s: %w", what, err)
	}
	for i := range s.first {
		s.first[i] = strings.TrimSpace(s.first[i])
	}
	in.ReuseRecord = true
	return s, nil
}

// find returns the places of columns.
func (s *source) find(columns []string) ([]int, error) {
	at := make([]int, len(columns))
	for i, name := range columns {
		if s.format.Unnamed {
			n, err := strconv.Atoi(name)
			if err != nil || n < 1 || n > len(s.first) {
				return nil, fmt.Errorf("csv: no column has the number %q: the file has no names, and its columns are 1 to %d", name, len(s.first))
			}
			at[i] = n - 1
			continue
		}
		if at[i] = slices.Index(s.first, name); at[i] < 0 {
			return nil, fmt.Errorf("csv: no column is called %q: there are %q%s%s", name, s.first, s.otherDelimiter(s.first), s.unnamed())
		}
		if slices.Contains(s.first[at[i]+1:], name) {
			return nil, fmt.Errorf("csv: several columns are called %q: read all columns, and take some", name)
		}
	}
	return at, nil
}

// unnamed returns advice for a file whose first record has only numbers.
func (s *source) unnamed() string {
	for _, cell := range s.first {
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			return ""
		}
	}
	return ": if these are numbers, not names, read the file with csv.Format{Unnamed: true}"
}

// read appends the cells at the given places of each record to cells, and returns the number of records.
func (s *source) read(at []int, to []cells) (rows int, err error) {
	record := s.first
	if s.format.Unnamed && record == nil {
		return 0, nil
	}
	for ; ; rows++ {
		if rows > 0 || !s.format.Unnamed {
			if record, err = s.in.Read(); err == io.EOF {
				return rows, nil
			}
		}
		if errors.Is(err, csv.ErrFieldCount) {
			line, column := s.in.FieldPos(len(record) - 1)
			return 0, fmt.Errorf("csv: line %d ends with column %d, which begins at character %d: the record before has %d columns%s", line, len(record), column, s.in.FieldsPerRecord, s.comments())
		}
		if err != nil {
			return 0, fmt.Errorf("csv: %w", err)
		}
		for i, k := range at {
			if err := to[i].add(strings.TrimSpace(record[k])); err != nil {
				return 0, s.wrong(record, k, to[i].dtype(), err)
			}
		}
	}
}

// wrong returns the error for a cell.
func (s *source) wrong(record []string, i int, dt graph.DType, err error) error {
	line, _ := s.in.FieldPos(i)
	where := fmt.Sprintf("line %d, column %d", line, i+1)
	if !s.format.Unnamed {
		where += " (" + s.first[i] + ")"
	}
	cell := record[i]
	var layout *layoutError
	switch {
	case s.format.missing(strings.TrimSpace(cell)):
		what := " is empty"
		if strings.TrimSpace(cell) != "" {
			what = fmt.Sprintf(": %q is a missing number", cell)
		}
		advice := ": read float64, in which it is NaN"
		if dt == graph.Bool {
			advice = ""
		}
		return fmt.Errorf("csv: %s%s, which no %s is%s", where, what, dt, advice)
	case errors.As(err, &layout):
		return fmt.Errorf("csv: %s: %q is no time in the layout %q", where, cell, layout.layout)
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("csv: %s: %q is beyond the range of %s", where, cell, dt)
	}
	hint := s.otherDelimiter(record)
	if hint == "" {
		hint = s.format.hint(strings.TrimSpace(cell), dt)
	}
	return fmt.Errorf("csv: %s: %q is no %s%s", where, cell, dt, hint)
}

// forWords is advice for a column of words.
const forWords = "words are read with encoding/csv, and as keys of GroupBy they are numbers from a map of the words"

// hint returns advice for a cell that is no number of a type.
func (f Format) hint(cell string, dt graph.DType) string {
	_, err := float[float64](graph.Float64, f, "").(*typed[float64]).parse(cell)
	digits := strings.IndexFunc(cell, isDigit) >= 0
	switch floats := dt == graph.Float32 || dt == graph.Float64; {
	case dt == graph.Bool:
		return ": a bool is true, t, 1, false, f or 0"
	case !floats && err == nil:
		return ": read float64"
	case !digits && floats:
		return fmt.Sprintf(": a missing number is an empty cell or nan, or with csv.Format{Missing: []string{%q}} this word; %s", cell, forWords)
	case !digits:
		return ": " + forWords
	case strings.ContainsAny(cell, ",.") && (or(f.Decimal, '.') != '.' || strings.Contains(cell, ".") || strings.Count(cell, ",") > 1):
		return fmt.Sprintf(": the decimal mark is %q, and thousands separators are not read", or(f.Decimal, '.'))
	case strings.Contains(cell, ","):
		return ": if a comma is the decimal mark, read the file with csv.Format{Decimal: ','}, and if it separates thousands, remove it"
	}
	return ": a cell has one number, without a unit, such as -1.5e3"
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// otherDelimiter returns advice for a record of one cell that has the delimiter of another format.
func (s *source) otherDelimiter(record []string) string {
	if len(record) != 1 {
		return ""
	}
	for _, mark := range ";\t|" {
		if strings.ContainsRune(record[0], mark) {
			return fmt.Sprintf(": if %q is between cells, read the file with csv.Format{Delimiter: %q}", mark, mark)
		}
	}
	return ""
}

// comments returns advice for a file whose first line looks like a comment.
func (s *source) comments() string {
	if s.format.Comment == 0 && len(s.first) > 0 && strings.HasPrefix(s.first[0], "#") {
		return ": if lines with # are comments, read the file with csv.Format{Comment: '#'}"
	}
	return ""
}
