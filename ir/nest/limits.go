package nest

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
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
	k, ok := c.(*kernel.Kernel)
	switch {
	case !ok || k.Transposes():
	case k.Dots():
		limits[1].most = kernel.DotColumns(k.In[0].DType)
		limits = append(limits, limit{kernel.Field0 + 1, 1, ir.DotChunk})
	case k.Down:
		limits[1].least = kernel.DownCols
		limits = append(limits, limit{kernel.Field0, 1, ir.FoldChunk})
	case k.Fold != nil:
		limits[1].most = ir.FoldChunk
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
