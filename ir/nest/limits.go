package nest

import (
	"math"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// limitsOf returns the sizes that a kernel takes. Rows and columns are never negative.
func limitsOf(c kernel.Code) []kernel.Limit {
	return append([]kernel.Limit{{Extent: kernel.Rows, Most: math.MaxInt}, {Extent: kernel.Cols, Most: math.MaxInt}}, kernel.LimitsOf(c)...)
}

// extentName returns the name of a size of a call in text.
func extentName(c kernel.Code, d kernel.Extent) string {
	switch d {
	case kernel.One:
		return "one"
	case kernel.Rows:
		return "rows"
	case kernel.Cols:
		return "cols"
	}
	return c.Fields()[d-kernel.Field0]
}
