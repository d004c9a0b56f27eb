package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Partitioning: a component that is too large for one kernel is divided into segments of a
// topological order, so that each segment reads earlier ones and never the reverse. The
// cost of a partition is the bytes that cross from segment to segment through memory. Of
// all partitions of one order, dynamic programming from front to back finds the cheapest:
// the cheapest partition up to an end is the cheapest up to some earlier end, and one
// segment between the two.
//
// Input: the values of a component in topological order. Output: segments, each within the
// limits of a kernel. Two orders are tried, as the order decides how many values cross: the
// order of the body, and the depth-first order of [partitioner.depthFirst].

// The reasons for a cut.
const (
	fullOps      = "its loop has as many ops as one kernel takes"
	fullOperands = "its loop has as many operands as one kernel takes"
	fullNest     = "no loop nest gives strides to its operands and to its reader's"
)

// partitioner divides components. Its slices are by ID, params after the others; each
// run that it looks at has a number, so that they need not be cleared.
type partitioner struct {
	readers  []int32 // how often a value is read, results counted
	params   int     // the number of values that are none
	bytes    []int   // of a value
	number   int32
	inside   []int32 // the last run that computes a value
	read     []int32 // that reads it
	fetched  []int32 // that reads its buffer
	left     []int32 // readers of a value beyond the run
	position []int32 // in the component
	plain    []bool  // a value fits every loop nest
	placed   map[*ir.Value]location
	space    layout.Space
	nest     nesting // of the last scan
	reduces  bool    // the component has a reduction
	whole    [1]segment
}

func newPartitioner(s *State, readers []int32) *partitioner {
	f, placed, numbers := s.Func, s.placed, &s.Pass.Numbers
	n := len(f.Body) + len(f.Params)
	c := &s.cut
	*c = partitioner{readers: readers, placed: placed, params: len(f.Body), bytes: s.Pass.Ints.Take(n), left: numbers.Take(n), position: numbers.Take(n),
		inside: numbers.Take(n), read: numbers.Take(n), fetched: numbers.Take(n), plain: s.Pass.Flags.Take(len(f.Body)), space: c.space, nest: c.nest}
	for _, values := range [][]*ir.Value{f.Body, f.Params} {
		for _, v := range values {
			c.bytes[c.id(v)] = rewrite.Bytes(v)
		}
	}
	for i, v := range f.Body {
		c.plain[i] = v.Op.IsElementwise() && placed[v].in == nil && !slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return a.Attr.At != nil })
	}
	return c
}

// forget takes back all but the memory for the nests of the next graph.
func (c *partitioner) forget() {
	clear(c.nest.layouts[:cap(c.nest.layouts)])
	c.space.Forget()
	*c = partitioner{space: c.space, nest: nesting{layouts: c.nest.layouts}}
}

func (c *partitioner) id(v *ir.Value) int {
	if v.Op == ir.OpParam {
		return c.params + v.ID
	}
	return v.ID
}

// segment is a run of values that one kernel takes.
type segment struct {
	values []*ir.Value
	why    string // the segment before takes no more
}

// partition divides a component, given in topological order.
func (c *partitioner) partition(values []*ir.Value) []segment {
	whole := 0
	c.reduces = slices.ContainsFunc(values, func(v *ir.Value) bool { return v.Op == ir.OpReduceChunks })
	c.scan(values, func(n, _ int) { whole = n })
	if whole == len(values) {
		return c.undivided(values)
	}
	cuts, narrow := c.candidates(values)
	best, cost := c.cheapest(values, cuts)
	if narrow {
		return best
	}
	if other := c.depthFirst(values); !slices.Equal(other, values) {
		cuts, _ = c.candidates(other)
		if p, c := c.cheapest(other, cuts); c.less(cost) {
			return p
		}
	}
	return best
}

// undivided returns a component as one segment, which is valid until the next call.
func (c *partitioner) undivided(values []*ir.Value) []segment {
	c.whole[0].values = values
	return c.whole[:]
}

// cost is what a partition costs: the bytes that its segments read and write, and between
// equal ones how unequal the segments are.
type cost struct{ bytes, squares int }

func (p cost) less(q cost) bool {
	return p.bytes < q.bytes || p.bytes == q.bytes && p.squares < q.squares
}

// cheapest returns the cheapest partition of values in this order, with cuts at candidates.
func (c *partitioner) cheapest(values []*ir.Value, candidate []bool) ([]segment, cost) {
	type prefix struct { // the cheapest partition of the first values
		cost
		from int // where its last segment begins, -1: none is known
		why  string
	}
	best := make([]prefix, len(values)+1)
	for i := range best[1:] {
		best[1+i].from = -1
	}
	for i := range values {
		at := &best[i]
		if at.from < 0 {
			continue
		}
		extend := func(n, bytes int) {
			to := &best[i+n]
			p := cost{at.bytes + bytes + rewrite.LoopBytes, at.squares + n*n}
			if to.from < 0 || p.less(to.cost) {
				to.cost, to.from = p, i
			}
		}
		longest, bytes, line := 0, 0, false // whether a line ends in it
		at.why = c.scan(values[i:], func(n, b int) {
			longest, bytes = n, b
			if candidate[i+n] {
				extend(n, b)
				line = line || lineEnds(values, i+n)
			}
		})
		if !line {
			extend(longest, bytes)
		}
	}
	var out []segment
	for end := len(values); end > 0; {
		from := best[end].from
		out = append(out, segment{values: values[from:end:end]})
		end = from
	}
	slices.Reverse(out)
	at := 0
	for i := range out[1:] {
		out[1+i].why = best[at].why
		at += len(out[i].values)
	}
	return out, best[len(values)].cost
}

// candidates finds the positions to cut at: of each few neighbours the one that fewest
// bytes cross, if possible behind a line of a window, and the end. The order is narrow if one value crosses at a time: no
// other can be better.
func (c *partitioner) candidates(values []*ir.Value) (out []bool, narrow bool) {
	c.locate(values)
	last := make([]int, len(values))
	for i, v := range values {
		for _, a := range v.Args {
			if c.has(a) {
				last[c.position[a.ID]] = i
			}
		}
	}
	crossing := make([]int, len(values)+1) // first by how much more than before
	for i, v := range values {
		if last[i] > i {
			crossing[i+1] += c.bytes[v.ID]
			crossing[last[i]+1] -= c.bytes[v.ID]
		}
	}
	out, narrow = make([]bool, len(values)+1), true
	best := 1
	for i := 1; i <= len(values); i++ {
		crossing[i] += crossing[i-1]
		narrow = narrow && crossing[i] <= c.bytes[values[i-1].ID]
		if n := crossing[i] - crossing[best]; n < 0 || n == 0 && (!lineEnds(values, best) || lineEnds(values, i)) {
			best = i
		}
		if i%rewrite.CutRun == 0 || i == len(values) {
			out[best], best = true, min(i+1, len(values))
		}
	}
	out[len(values)] = true
	return out, narrow
}

// lineEnds reports whether the value before position i reads the last element of a line of a window: the
// next element is farther away than the one before. Kernels of lines read each element of them once
// for several rows.
func lineEnds(values []*ir.Value, i int) bool {
	if i < 2 || i == len(values) {
		return false
	}
	at := [3]int{}
	for k, v := range values[i-2 : i+1] {
		if len(v.Args) == 0 || v.Args[0].Op != ir.OpAccess || v.Args[0].Args[0] != base(values[i-2].Args[0]) {
			return false
		}
		at[k] = v.Args[0].Attr.At.Offset
	}
	return at[2]-at[1] > at[1]-at[0] && at[1] > at[0]
}

// locate notes the position of each value, and that all are in one run.
func (c *partitioner) locate(values []*ir.Value) {
	c.number++
	for i, v := range values {
		c.inside[v.ID], c.position[v.ID] = c.number, int32(i)
	}
}

// has reports whether the present run computes v.
func (c *partitioner) has(v *ir.Value) bool { return v.Op != ir.OpParam && c.inside[v.ID] == c.number }

// scan calls fits with each number of values from the first on that one kernel
// takes, and the bytes that it then reads and writes. It returns why not more.
func (c *partitioner) scan(values []*ir.Value, fits func(n, bytes int)) (full string) {
	c.number++
	c.nest = nesting{placed: c.placed, space: &c.space, layouts: c.nest.layouts[:0]}
	pointers, operands, buffers, outputs, traffic := 0, 0, 0, 0, 0
	work := 0.0
	for i, v := range values {
		if work += v.Op.Info().Cost; i == kernel.MaxBody || i > 0 && work > rewrite.MostWork {
			return fullOps
		}
		for _, a := range v.Args {
			switch id := c.id(a); {
			case c.has(a):
				if c.left[id]--; c.left[id] == 0 {
					outputs--
					traffic -= c.bytes[id]
				}
			case c.read[id] != c.number:
				c.read[id] = c.number
				operands++
				if isSplat(a) {
					break
				}
				if hasColumns(a, c.reduces) {
					pointers++
				}
				if bytes, first := c.fetch(a); first {
					buffers++
					traffic += bytes
				}
			}
		}
		c.inside[v.ID], c.left[v.ID] = c.number, c.readers[v.ID]
		outputs += stores(v)
		traffic += c.bytes[v.ID]
		switch {
		case pointers >= kernel.MaxPointers || operands >= kernel.MaxOperands || buffers >= rewrite.MostBuffers:
			return fullOperands
		case !c.plain[v.ID] && !c.nest.takes(v):
			return fullNest
		case pointers+outputs > kernel.MaxPointers || operands+outputs > kernel.MaxOperands || buffers+outputs > rewrite.MostBuffers:
			full = fullOperands
		default:
			fits(i+1, traffic)
		}
	}
	return full
}

// fetch returns how many bytes of a's buffer the run reads, if a is the first to
// read it: views of one buffer are in the cache together.
func (c *partitioner) fetch(a *ir.Value) (n int, first bool) {
	buffer := base(a)
	id := c.id(buffer)
	if c.fetched[id] == c.number {
		return 0, false
	}
	c.fetched[id] = c.number
	return min(c.bytes[c.id(a)], c.bytes[id]), true
}

// stores returns how many operands of a kernel the output v takes: two if it is reduced,
// because a column reduction reads and writes it.
func stores(v *ir.Value) int {
	if v.Op == ir.OpReduceChunks {
		return 2
	}
	return 1
}
