package nest

import (
	"math"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// limit says how great one size of a call may be.
type limit struct {
	kernel.Dim
	least, most int
}

// limitsOf returns the sizes that a kernel takes. Rows and columns are never negative.
func limitsOf(c kernel.Code) []limit {
	limits := []limit{{kernel.Rows, 0, math.MaxInt}, {kernel.Cols, 0, math.MaxInt}}
	for _, l := range kernel.LimitsOf(c) {
		limits = append(limits, limit{l.Dim, l.Least, l.Most})
	}
	return limits
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
