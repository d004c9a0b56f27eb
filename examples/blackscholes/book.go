package main

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

//go:embed book.csv
var madeUp string // 960 options

// columns is the header of a book.
const columns = "underlying,kind,quantity,spot,rate,strike,years,vol"

// chain holds the options of a book of one kind on one underlying.
type chain struct {
	underlying, kind             string // kind is call or put
	spot, rate                   float64
	quantity, strike, years, vol []float64 // one element per option; a negative quantity was sold
}

// load reads a book. Consecutive lines of one kind and underlying become one chain.
func load(path string) ([]*chain, error) {
	r, name := io.Reader(strings.NewReader(madeUp)), "book.csv"
	if path != "" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r, name = f, path
	}
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) < 2 || strings.Join(records[0], ",") != columns {
		return nil, fmt.Errorf("%s: a book is the line %q and a line for each option", name, columns)
	}
	var chains []*chain
	for i, rec := range records[1:] {
		v, err := option(rec)
		if err != nil {
			return nil, fmt.Errorf("%s: option %d: %w", name, i+1, err)
		}
		var c *chain
		if len(chains) > 0 {
			c = chains[len(chains)-1]
		}
		if c == nil || c.underlying != rec[0] || c.kind != rec[1] || c.spot != v[1] || c.rate != v[2] {
			c = &chain{underlying: rec[0], kind: rec[1], spot: v[1], rate: v[2]}
			chains = append(chains, c)
		}
		c.quantity, c.strike = append(c.quantity, v[0]), append(c.strike, v[3])
		c.years, c.vol = append(c.years, v[4]), append(c.vol, v[5])
	}
	return chains, nil
}

// option parses the numbers of a line.
func option(rec []string) (v [6]float64, err error) {
	if rec[1] != "call" && rec[1] != "put" {
		return v, fmt.Errorf("kind %q: call or put", rec[1])
	}
	for k, text := range rec[2:] {
		column := strings.Split(columns, ",")[k+2]
		v[k], err = strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v[k]) || math.IsInf(v[k], 0) {
			return v, fmt.Errorf("%s %q is no finite number", column, text)
		}
		if v[k] <= 0 && column != "quantity" && column != "rate" {
			return v, fmt.Errorf("%s %s: it is more than 0", column, text)
		}
	}
	return v, nil
}
