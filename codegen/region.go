package codegen

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// A Region is a part of an expanded body that is computed at one place. What
// only the second operands of seldoms need is not in it but in the regions of
// its detours, which are entered where the seldoms' condition is true.
type Region struct {
	Has     []bool // for each value whether the region computes it
	Cold []*ColdBlock
}

// Detour is a set of seldoms with one condition.
type ColdBlock struct {
	Cond    kernel.Ref
	Selects []kernel.Ref
	Inputs  []kernel.Ref // what the cone reads of the regions round it
	Body    *Region      // what only the second operands need
}

const (
	// leastDetour is how much time of one element a detour must save: a test and
	// a jump have to be worth it.
	leastCold = 4
	// mostSeldoms bounds the results of a detour, which are in registers together.
	mostSelects = 4
)

// Split divides the values of an expanded body that differ along the columns
// into regions.
func Split(k *kernel.Kernel) *Region {
	s := &splitter{k: k, varies: Varying(k)}
	return s.region(k.Out, make([]bool, len(s.varies)))
}

type splitter struct {
	k      *kernel.Kernel
	varies []bool
}

// region finds what computes the roots from the values that there are.
func (s *splitter) region(roots []kernel.Ref, have []bool) *Region {
	plain := map[kernel.Ref]bool{} // seldoms that are not worth a detour
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

// rare lists the second operands of a detour's seldoms.
func (s *splitter) unlikely(d *ColdBlock) []kernel.Ref {
	var out []kernel.Ref
	for _, v := range d.Selects {
		out = append(out, s.k.Inst(v).Args[1])
	}
	return out
}

// reach returns what the roots need, without the second operands of seldoms
// that are not plain. With plain nil all are.
func (s *splitter) reach(roots []kernel.Ref, have []bool, plain map[kernel.Ref]bool) []bool {
	out := make([]bool, len(s.varies))
	mark := func(r kernel.Ref) { out[r] = s.varies[r] && !have[r] && s.k.Inst(r) != nil }
	for _, r := range roots {
		mark(r)
	}
	for j := len(s.k.Body) - 1; j >= 0; j-- {
		r := kernel.Ref(len(s.k.In) + j)
		if !out[r] {
			continue
		}
		in := s.k.Inst(r)
		for i, a := range in.Args[:in.Arity()] {
			if in.Op != ir.OpSeldom || i != 1 || plain == nil || plain[r] {
				mark(a)
			}
		}
	}
	return out
}

// group makes detours of a region's seldoms. One joins others of the same
// condition unless it needs a seldom's result from the first of them on: so
// every detour needs those alone that begin before it.
func (s *splitter) group(has []bool, plain map[kernel.Ref]bool) []*ColdBlock {
	var out []*ColdBlock
	needs := make([]kernel.Ref, len(has)) // the last of the seldoms that a value needs, or 0
	for j, in := range s.k.Body {
		r := kernel.Ref(len(s.k.In) + j)
		for _, a := range in.Args[:in.Arity()] {
			needs[r] = max(needs[r], needs[a])
		}
		if in.Op != ir.OpSeldom || !has[r] || plain[r] {
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
			out = append(out, &ColdBlock{Cond: in.Args[0], Selects: []kernel.Ref{r}})
		}
		needs[r] = r
	}
	return out
}

// inputs lists what the cone and the detour's seldoms read from outside it.
func (s *splitter) inputs(d *ColdBlock, cone []bool) []kernel.Ref {
	read := make([]bool, len(cone))
	for _, r := range s.unlikely(d) {
		read[r] = true
	}
	for j, in := range s.k.Body {
		if cone[len(s.k.In)+j] {
			for _, a := range in.Args[:in.Arity()] {
				read[a] = true
			}
		}
	}
	var out []kernel.Ref
	for r := range read {
		in := s.k.Inst(kernel.Ref(r))
		if read[r] && !cone[r] && (in == nil || in.Op != ir.OpConst) {
			out = append(out, kernel.Ref(r))
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
