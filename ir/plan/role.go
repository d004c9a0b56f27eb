package plan

import (
	"errors"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Roles of axes. The kind of a step is the one role besides Parallel that its axes have. This file alone distinguishes kinds: it
// has a table with a row for each role, and methods of Step, which all other packages call instead of testing roles.

// Role is what a step does along an axis.
type Role uint8

// The roles. A step has at most one axis that is not Parallel, except for Contract: the pairs of a product are one or more
// adjacent axes.
const (
	// Parallel: each index is computed independently.
	Parallel Role = iota
	// Reduce: an output with a combiner has one element for each chunk of ir.ReduceChunk indices, combined by the tree of
	// ir.ReduceRow; its stride along the axis is that from chunk to chunk. An output without a combiner is stored for each
	// index.
	Reduce
	// Scan: the output is the running value of ir.ScanLine, including the element itself.
	Scan
	// ScanExclusive: the output is the running value without the element itself.
	ScanExclusive
	// Contract: the output is the sum of products of ir.DotLine over the indices of these
	// axes in row-major order; the body multiplies. See Step.Product.
	Contract
	// Line: an op on lines, the output's combiner, computes lines of the output from lines of the inputs. The body is not
	// used.
	Line
	numRoles
)

// roleInfo is a row of the table of roles.
type roleInfo struct {
	name    string
	inPlace bool // see Step.InPlace
	// check returns an error unless a step with this role along the axis has a valid body and valid combiners. combined
	// is the number of outputs with combiners.
	check func(s *Step, axis, combined int) error
	// outExtent returns the number of elements of output o along an axis of n indices. nil means n.
	outExtent func(o *Output, n int) int
}

var roles [numRoles]roleInfo

func init() { // not an initializer, as the checks read roles
	roles = [numRoles]roleInfo{
		Parallel:      {name: "parallel", inPlace: true, check: (*Step).checkParallel},
		Reduce:        {name: "reduce", check: (*Step).checkReduce, outExtent: chunksOf},
		Scan:          {name: "scan", inPlace: true, check: (*Step).checkScan},
		ScanExclusive: {name: "scan_exclusive", check: (*Step).checkScan},
		Contract:      {name: "contract", check: (*Step).checkContract, outExtent: func(_ *Output, n int) int { return min(1, n) }},
		Line:          {name: "line", check: (*Step).checkLine},
	}
}

func chunksOf(o *Output, n int) int {
	if o.Stored() {
		return n
	}
	return ir.Chunks(n)
}

// String returns the role's name in text.
func (r Role) String() string {
	if r >= numRoles {
		return "invalid"
	}
	return roles[r].name
}

// roleNames returns the names in text.
func roleNames() []string {
	names := make([]string, numRoles)
	for r := range names {
		names[r] = roles[r].name
	}
	return names
}

// Kind returns the role of the step besides Parallel and its first axis, or Parallel and -1 if all axes are parallel.
func (s *Step) Kind() (role Role, axis int) {
	for k, a := range s.Axes {
		if a.Role != Parallel {
			return a.Role, k
		}
	}
	return Parallel, -1
}

func (s *Step) has(r Role) bool {
	role, _ := s.Kind()
	return role == r
}

// Along returns the first axis that is not parallel, or -1.
func (s *Step) Along() int {
	_, axis := s.Kind()
	return axis
}

// ParallelAxes returns the axes that are parallel.
func (s *Step) ParallelAxes() []int {
	axes := make([]int, 0, len(s.Axes))
	for k, a := range s.Axes {
		if a.Role == Parallel {
			axes = append(axes, k)
		}
	}
	return axes
}

// Elementwise reports whether all axes are parallel.
func (s *Step) Elementwise() bool { return s.has(Parallel) }

// Reduces reports whether outputs are reduced along an axis.
func (s *Step) Reduces() bool { return s.has(Reduce) }

// Scans reports whether the step stores the running values along an axis.
func (s *Step) Scans() bool { return s.has(Scan) || s.has(ScanExclusive) }

// Exclusive reports whether the step is a scan whose running values exclude the element itself.
func (s *Step) Exclusive() bool { return s.has(ScanExclusive) }

// Contracts reports whether the step multiplies matrices.
func (s *Step) Contracts() bool { return s.has(Contract) }

// OnLines reports whether the step computes lines from lines.
func (s *Step) OnLines() bool { return s.has(Line) }

// Gathers reports whether the step reads elements by indices. It may also combine them.
func (s *Step) Gathers() bool {
	return s.OnLines() && s.Out[0].Combine.Info().Gathers()
}

// Scatters reports whether the step is a scatter.
func (s *Step) Scatters() bool { return s.OnLines() && s.Out[0].Combine.Info().Scatters() }

// TakesOne reports whether the step is a gather of a single element of a line for each index of its parallel axes.
func (s *Step) TakesOne() bool { return s.Gathers() && s.Axes[s.Along()].Extent == 1 }

// LineOf returns the number of elements along a line of an access in a step on lines.
func (s *Step) LineOf(a Access) int {
	if a.Line != 0 {
		return a.Line
	}
	return s.Axes[s.Along()].Extent
}

// InPlace reports whether a step may store one buffer over another that it reads. It may not if an output needs an element after
// another has been stored there, as a chunk that is scanned again does. Each output in buffer to must have the same access as
// each input in buffer from.
func (s *Step) InPlace(from, to int) bool {
	role, axis := s.Kind()
	if !roles[role].inPlace || role == Scan && ir.RescansChunks(s.Out[0].Combine, s.Body.In[0].DType, s.Axes[axis].Extent) {
		return false
	}
	extents := s.Extents()
	for _, in := range s.In {
		for _, out := range s.Out {
			if in.Buffer == from && out.Buffer == to && !sameElements(extents, in, out.Access) {
				return false
			}
		}
	}
	return true
}

// sameElements reports whether two accesses are at the same place at each index. Strides along an axis of one index do not
// matter.
func sameElements(extents []int, a, b Access) bool {
	for k, n := range extents {
		if n > 1 && a.Strides[k] != b.Strides[k] {
			return false
		}
	}
	return a.Offset == b.Offset
}

// Stored reports whether an output is stored as the body computes it, without a combiner.
func (o *Output) Stored() bool { return o.Combine == ir.OpInvalid }

// OutType returns the element type of output o.
func (s *Step) OutType(o int) ir.DType {
	switch {
	case s.Out[o].Combine.IsArgReduction():
		return ir.Int32
	case s.OnLines():
		return ir.LineType(s.Out[o].Combine, s.Body.In[0].DType)
	}
	return s.Body.DType(s.Body.Out[o])
}

// OutExtents returns the extents over which output o moves: those of the axes, but the number of chunks for a reduced axis, and 1 for a
// contracted axis.
func (s *Step) OutExtents(o int) []int {
	extents := s.Extents()
	for k, a := range s.Axes {
		if of := roles[a.Role].outExtent; of != nil {
			extents[k] = of(&s.Out[o], a.Extent)
		}
	}
	return extents
}

// CombinesAll reports whether every output is combined, so that none is stored for each index.
func (s *Step) CombinesAll() bool {
	return !slices.ContainsFunc(s.Out, func(o Output) bool { return o.Stored() })
}

// checkRole returns an error unless at most one axis is not parallel, or several adjacent axes contract, and the outputs' combiners and
// the body fit the role.
func (s *Step) checkRole() error {
	role, axis := s.Kind()
	for k, a := range s.Axes {
		switch {
		case a.Role >= numRoles:
			return errors.New("there is no such role")
		case a.Role == Parallel || k == axis:
		case a.Role != Contract || s.Axes[k-1].Role != Contract:
			return errors.New("more than one axis is not parallel")
		}
	}
	combined := 0
	for o := range s.Out {
		if !s.Out[o].Stored() {
			combined++
		}
	}
	return roles[role].check(s, axis, combined)
}
