package schedule

import (
	"github.com/stridefuse/stridefuse/ir/plan"
)

// rowsCan returns why a row reduction can't compute a step in normal form, or "".
func rowsCan(s *plan.Step) string {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		if o.Stored() && s.Axes[last].Extent > 1 && o.Strides[last] != 1 {
			return "an output that is stored is not contiguous along the lines"
		}
	}
	return ""
}

// columnsCan returns why a column reduction can't compute a step in normal form, or "".
func columnsCan(s *plan.Step) string {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		switch {
		case o.Combine.IsArgReduction():
			return "an index is found along a row alone"
		case s.Axes[last-1].Extent > 1 && o.Strides[last-1] != 1:
			return "an output is not contiguous across the lines"
		}
	}
	return ""
}
