package nest

import (
	"math"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// limitsOf returns the sizes that a kernel takes. Rows and columns are never negative.
func limitsOf(c kernel.Code) []kernel.Limit {
	return append([]kernel.Limit{{Dim: kernel.Rows, Most: math.MaxInt}, {Dim: kernel.Cols, Most: math.MaxInt}}, kernel.LimitsOf(c)...)
}

// dimName returns the name of a size of a call in text.
func dimName(c kernel.Code, d kernel.Dim) string {
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
