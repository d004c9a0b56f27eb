package main

import "slices"

// candidate is a result that may be the worst.
type candidate struct {
	ulps, x, y, got float64
}

// candidates are the worst results so far: those within the references' error of the maximum.
type candidates struct {
	max  float64
	list []candidate
}

const (
	slack    = 1e-5 // error of float64 references, in float32's ULP
	doubtful = 1e6  // ULP beyond which a result is wrong, not rounded
	mostKept = 512
)

func (c *candidates) least() float64 { return c.max - slack }

// raise sets the maximum and drops candidates too far below it.
func (c *candidates) raise(ulps float64) {
	if ulps > c.max {
		c.max = ulps
		c.list = slices.DeleteFunc(c.list, func(o candidate) bool { return o.ulps < c.least() })
	}
}

// add keeps a candidate, unless enough are equally bad.
func (c *candidates) add(n candidate) {
	c.raise(n.ulps)
	if n.ulps >= c.least() && len(c.list) < mostKept {
		c.list = append(c.list, n)
	}
}
