package csv

// Cells of a type become numbers.

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
)

// cells collects the numbers of one or more columns.
type cells interface {
	add(cell string) error
	dtype() graph.DType
	tensor(shape ...int) *graph.Tensor
}

// typed is cells of an element type.
type typed[T graph.Element] struct {
	dt    graph.DType
	parse func(cell string) (T, error)
	data  []T
}

func (c *typed[T]) add(cell string) error {
	v, err := c.parse(cell)
	c.data = append(c.data, v)
	return err
}

func (c *typed[T]) dtype() graph.DType                { return c.dt }
func (c *typed[T]) tensor(shape ...int) *graph.Tensor { return graph.Of(c.data, shape...) }

// makers has a function for each element type.
var makers = map[graph.DType]func(dt graph.DType, f Format, layout string) cells{
	graph.Bool:    boolean,
	graph.Uint8:   unsigned[uint8],
	graph.Uint16:  unsigned[uint16],
	graph.Uint32:  unsigned[uint32],
	graph.Uint64:  unsigned[uint64],
	graph.Int8:    signed[int8],
	graph.Int16:   signed[int16],
	graph.Int32:   signed[int32],
	graph.Int64:   signed[int64],
	graph.Float32: float[float32],
	graph.Float64: float[float64],
}

// newCells returns empty cells of a column's type.
func newCells(c Column, f Format) (cells, error) {
	maker, ok := makers[c.Type]
	switch {
	case c.Type == graph.DType(0):
		return nil, fmt.Errorf("csv: column %s has no Type", c.Name)
	case !ok:
		return nil, fmt.Errorf("csv: columns of %s are not read: read another type, and Cast it", c.Type)
	case c.Time != "" && c.Type != graph.Float64 && c.Type != graph.Int64 && c.Type != graph.Int32 && c.Type != graph.Uint32 && c.Type != graph.Uint64:
		return nil, fmt.Errorf("csv: column %s: times are seconds, which %s can't hold: read float64, or an integer of 32 or 64 bits", c.Name, c.Type)
	}
	return maker(c.Type, f, c.Time), nil
}

func boolean(dt graph.DType, _ Format, _ string) cells {
	return &typed[bool]{dt: dt, parse: strconv.ParseBool}
}

func unsigned[T uint8 | uint16 | uint32 | uint64](dt graph.DType, _ Format, layout string) cells {
	if layout != "" {
		return &typed[T]{dt: dt, parse: wholeSeconds[T](layout)}
	}
	return &typed[T]{dt: dt, parse: func(cell string) (T, error) {
		v, err := strconv.ParseUint(cell, 10, bits[T]())
		return T(v), err
	}}
}

func signed[T int8 | int16 | int32 | int64](dt graph.DType, _ Format, layout string) cells {
	if layout != "" {
		return &typed[T]{dt: dt, parse: wholeSeconds[T](layout)}
	}
	return &typed[T]{dt: dt, parse: func(cell string) (T, error) {
		v, err := strconv.ParseInt(cell, 10, bits[T]())
		return T(v), err
	}}
}

func float[T float32 | float64](dt graph.DType, f Format, layout string) cells {
	return &typed[T]{dt: dt, parse: func(cell string) (T, error) {
		switch {
		case f.missing(cell), strings.EqualFold(strings.TrimLeft(cell, "+-"), "nan"):
			return T(math.NaN()), nil
		case layout != "":
			at, err := parseTime(layout, cell)
			return T(float64(at.Unix()) + float64(at.Nanosecond())/1e9), err
		case strings.ContainsAny(cell, "_xX"): // Go's literals may have underscores and be hexadecimal, CSV's may not
			return 0, strconv.ErrSyntax
		}
		if or(f.Decimal, '.') != '.' {
			if strings.Contains(cell, ".") {
				return 0, strconv.ErrSyntax
			}
			cell = strings.Replace(cell, string(f.Decimal), ".", 1)
		}
		v, err := strconv.ParseFloat(cell, bits[T]())
		return T(v), err
	}}
}

// bits returns the size of a Go number in bits.
func bits[T any]() int { return 8 * int(unsafe.Sizeof(*new(T))) }

// wholeSeconds returns a function that parses a time as whole seconds since 1970.
func wholeSeconds[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64](layout string) func(string) (T, error) {
	return func(cell string) (T, error) {
		at, err := parseTime(layout, cell)
		if err != nil {
			return 0, err
		}
		seconds := at.Unix()
		if v := T(seconds); int64(v) == seconds && (v < 0) == (seconds < 0) {
			return v, nil
		}
		return 0, strconv.ErrRange
	}
}

// layoutError is the error of a cell that is no time in a layout.
type layoutError struct{ layout string }

func (e *layoutError) Error() string { return "it is no time in the layout " + e.layout }

func parseTime(layout, cell string) (time.Time, error) {
	at, err := time.Parse(layout, cell)
	if err != nil {
		return at, &layoutError{layout}
	}
	return at, nil
}
