package kernel

import (
	"errors"
	"fmt"
	"math"
)

// The sizes of a call: its rows, columns and fields. They and Arg determine the memory that a call touches, so CheckSizes decides
// what memory kernels may touch. It is called by the verifier and the evaluator of schedules, and by the tests that run kernels
// beside memory without access.

// Limit bounds an extent of a call. If Chunks is set, calls combine the elements along the extent by a tree: of a longer extent each
// call takes a chunk of Most, and the last one the rest.
type Limit struct {
	Extent
	Least, Most int
	Chunks      bool
}

// LimitsOf returns the limits of a kernel's extents. An extent without a limit may be any number from 0 on.
func LimitsOf(c Code) []Limit {
	if m, ok := c.(*Micro); ok && micros[m.Kind].limits != nil {
		return micros[m.Kind].limits(m)
	}
	return nil
}

// NameOf returns the name of an extent of a call in text.
func NameOf(c Code, d Extent) string {
	switch d {
	case One:
		return "one"
	case Rows:
		return "rows"
	case Cols:
		return "cols"
	}
	return c.Fields()[d-Field0]
}

// IsDistance reports whether a field is a distance in bytes, which may be negative.
func IsDistance(c Code, field int) bool {
	d := Field0 + Extent(field)
	m, ok := c.(*Micro)
	if !ok {
		return false
	}
	if micros[m.Kind].hint == d {
		return true
	}
	for _, a := range m.Args() {
		if a.Across == d {
			return true
		}
	}
	return false
}

// CheckSizes returns an error unless a kernel accepts a block of these sizes.
func CheckSizes(c Code, rows, cols int, fields []int) error {
	if want := len(c.Fields()); len(fields) != want {
		return fmt.Errorf("%d fields, the kernel has %d", len(fields), want)
	}
	check := func(d Extent, least, most int) error {
		if n := d.Of(rows, cols, fields); n < least || n > most {
			return fmt.Errorf("%s is %d, the kernel takes %d to %d", NameOf(c, d), n, least, most)
		}
		return nil
	}
	err := errors.Join(check(Rows, 0, math.MaxInt), check(Cols, 0, math.MaxInt))
	for i := range fields {
		if !IsDistance(c, i) {
			err = errors.Join(err, check(Field0+Extent(i), 0, math.MaxInt))
		}
	}
	for _, l := range LimitsOf(c) {
		err = errors.Join(err, check(l.Extent, l.Least, l.Most))
	}
	if err != nil {
		return err
	}
	if m, ok := c.(*Micro); ok && micros[m.Kind].fit != nil && !micros[m.Kind].fit(rows, cols, fields) {
		return errors.New("its sizes do not agree with each other")
	}
	return nil
}
