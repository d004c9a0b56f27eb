package kernel

import (
	"github.com/stridefuse/stridefuse/ir"
)

// Split divides the values of a kernel's body into regions by unlikely selects (ir.OpUnlikely), whose condition rarely holds.
// Values that only the second operands of such selects need go to cold blocks, which run only where the condition holds.
//
// Input is an expanded kernel; output is a tree of regions. Every value that varies
// along the columns and that an output needs is in exactly one region on each path.

// Region is a set of values that are computed at one place: the main path of a
// kernel, or a cold block.
type Region struct {
	Has  []bool // for each value whether the region computes it
	Cold []*ColdBlock
}

// ColdBlock is a set of unlikely selects with one condition, and the values that only
// their second operands need.
type ColdBlock struct {
	Cond    Ref
	Selects []Ref
	Inputs  []Ref // what the body reads of the regions around it
	Body    *Region
}

const (
	// leastCold is the least cost of the body of a cold block, in time of one element:
	// a test and a jump have to be worth it.
	leastCold = 4
	// mostSelects bounds the results of a cold block, which are in registers together.
	mostSelects = 4
)

// Split returns the main region of an expanded
func Split(k *Kernel) *Region {
	s := &splitter{k: k, varies: Varying(k)}
	return s.region(k.Out, make([]bool, len(s.varies)))
}

type splitter struct {
	k      *Kernel
	varies []bool
}

// region finds the values that the roots need and that are not computed yet (have).
func (s *splitter) region(roots []Ref, have []bool) *Region {
	plain := map[Ref]bool{} // selects that are not worth a cold block
	for {
		r := &Region{Has: s.reach(roots, have, plain)}
		known := union(have, r.Has)
		r.Cold = s.group(r.Has, plain)
		kept := len(r.Cold)
		for _, d := range r.Cold {
			if s.cost(s.reach(s.unlikely(d), known, nil)) < leastCold {
				kept--
				for _, v := range d.Selects {
					plain[v] = true
				}
			}
		}
		if kept < len(r.Cold) {
			continue
		}
		for _, d := range r.Cold {
			d.Inputs = s.inputs(d, s.reach(s.unlikely(d), known, nil))
			d.Body = s.region(s.unlikely(d), known)
		}
		return r
	}
}

// unlikely lists the second operands of the selects of a cold block.
func (s *splitter) unlikely(d *ColdBlock) []Ref {
	var out []Ref
	for _, v := range d.Selects {
		out = append(out, s.k.Inst(v).Args[1])
	}
	return out
}

// reach returns the values that the roots need, without the second operands of
// unlikely selects. Those in plain count as ordinary selects; with plain nil all do.
func (s *splitter) reach(roots []Ref, have []bool, plain map[Ref]bool) []bool {
	out := make([]bool, len(s.varies))
	mark := func(r Ref) { out[r] = s.varies[r] && !have[r] && s.k.Inst(r) != nil }
	for _, r := range roots {
		mark(r)
	}
	for j := len(s.k.Body) - 1; j >= 0; j-- {
		r := Ref(len(s.k.In) + j)
		if !out[r] {
			continue
		}
		in := s.k.Inst(r)
		for i, a := range in.Args[:in.Arity()] {
			if in.Op != ir.OpUnlikely || i != 1 || plain == nil || plain[r] {
				mark(a)
			}
		}
	}
	return out
}

// group collects a region's unlikely selects into cold blocks. A select joins the
// block of its condition unless it needs the result of that block's first select or
// of a later one: so each block needs only blocks that begin before it.
func (s *splitter) group(has []bool, plain map[Ref]bool) []*ColdBlock {
	var out []*ColdBlock
	needs := make([]Ref, len(has)) // the last unlikely select that a value needs, or 0
	for j, in := range s.k.Body {
		r := Ref(len(s.k.In) + j)
		for _, a := range in.Args[:in.Arity()] {
			needs[r] = max(needs[r], needs[a])
		}
		if in.Op != ir.OpUnlikely || !has[r] || plain[r] {
			continue
		}
		joined := false
		for _, d := range out {
			if d.Cond == in.Args[0] && needs[r] < d.Selects[0] && len(d.Selects) < mostSelects {
				d.Selects = append(d.Selects, r)
				joined = true
				break
			}
		}
		if !joined {
			out = append(out, &ColdBlock{Cond: in.Args[0], Selects: []Ref{r}})
		}
		needs[r] = r
	}
	return out
}

// inputs lists what the body and the selects of a block read from outside it.
func (s *splitter) inputs(d *ColdBlock, body []bool) []Ref {
	read := make([]bool, len(body))
	for _, r := range s.unlikely(d) {
		read[r] = true
	}
	for j, in := range s.k.Body {
		if body[len(s.k.In)+j] {
			for _, a := range in.Args[:in.Arity()] {
				read[a] = true
			}
		}
	}
	var out []Ref
	for r := range read {
		in := s.k.Inst(Ref(r))
		if read[r] && !body[r] && (in == nil || in.Op != ir.OpConst) {
			out = append(out, Ref(r))
		}
	}
	return out
}

func (s *splitter) cost(has []bool) float64 {
	sum := 0.0
	for j, in := range s.k.Body {
		if has[len(s.k.In)+j] {
			sum += in.Op.Info().Cost
		}
	}
	return sum
}

func union(a, b []bool) []bool {
	out := make([]bool, len(a))
	for i := range a {
		out[i] = a[i] || b[i]
	}
	return out
}

// Varying reports which values differ along the columns: the others are
// computed once a row.
func Varying(k *Kernel) []bool {
	v := make([]bool, len(k.In)+len(k.Body))
	for i, in := range k.In {
		v[i] = !in.Splat
	}
	for j, in := range k.Body {
		for _, a := range in.Args[:in.Arity()] {
			v[len(k.In)+j] = v[len(k.In)+j] || v[a]
		}
	}
	return v
}
