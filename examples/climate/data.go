package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/examples/internal/table"
	"github.com/stridefuse/stridefuse/graph"
)

// Both series are in the datasets package of R.

// CO2 at Mauna Loa, ppm: Keeling and Whorf, Scripps Institution of Oceanography.
//
//go:embed co2.csv
var co2 []byte

// Mean relative sunspot numbers: Swiss Federal Observatory, Zurich, and Tokyo
// Astronomical Observatory.
//
//go:embed sunspots.csv
var sunspots []byte

// record is a series with its first month, counted from January of year 0.
type record struct {
	first  int
	months *graph.Tensor // float64[n]
}

// read reads lines "decimal year,value", one per month, for whole years.
func read(file []byte, name string) (*record, error) {
	t, err := table.Read(bytes.NewReader(file), name)
	if err != nil {
		return nil, err
	}
	if t.Cols != 2 || t.Rows%year != 0 {
		return nil, fmt.Errorf("%s: %d lines of %d numbers: expected whole years of months, a year and a value each", name, t.Rows, t.Cols)
	}
	// float32, the type of the table, holds the five measured digits.
	values := make([]float64, t.Rows)
	for i := range values {
		values[i] = float64(t.Data[2*i+1])
	}
	return &record{int(math.Round(float64(t.Data[0]) * year)), graph.Of(values)}, nil
}

// from returns the record from January of one year to December of another.
func (r *record) from(begin, end int) *record {
	a, b := begin*year-r.first, (end+1)*year-r.first
	return &record{begin * year, r.months.SliceAxis(0, a, b, 1)}
}

// month returns the name of a month of the record.
func (r *record) month(i int) string {
	return fmt.Sprintf("%s %d", names[(r.first+i)%year], (r.first+i)/year)
}

var names = []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
