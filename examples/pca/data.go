package main

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/graph"
)

// Sepals and petals of 150 irises in cm, measured by E. Anderson (1935) and
// published by R. A. Fisher (1936), as the datasets package of R has them. Some
// other copies differ from the paper in flowers 35 and 38.
//
//go:embed iris.csv
var iris []byte

// flowers is a table whose last column names a species.
type flowers struct {
	measured []string      // names of the other columns
	values   *graph.Tensor // float64[n,d]
	species  []string      // of each flower
}

func read(file []byte, name string) (*flowers, error) {
	lines, err := csv.NewReader(bytes.NewReader(file)).ReadAll() // requires equal numbers of fields
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(lines) < 3 || len(lines[0]) < 2 {
		return nil, fmt.Errorf("%s: expected a header, and two flowers or more: numbers, then a species", name)
	}
	d := len(lines[0]) - 1
	f := &flowers{measured: lines[0][:d]}
	var values []float64
	for i, line := range lines[1:] {
		for _, field := range line[:d] {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, i+2, err)
			}
			values = append(values, v)
		}
		f.species = append(f.species, line[d])
	}
	f.values = graph.Of(values, len(f.species), d)
	return f, nil
}

// kinds returns the species in alphabetical order, each once.
func (f *flowers) kinds() []string {
	return slices.Compact(slices.Sorted(slices.Values(f.species)))
}
