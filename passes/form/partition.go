package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Partitioning divides a component that is too large for one kernel into segments of a topological order, so that each
// segment reads only earlier segments. The cost of a partition is the number of bytes that pass from segment to segment
// through memory. Dynamic programming finds the cheapest partition of one order, from front to back: the cheapest
// partition up to an end is the cheapest partition up to some earlier end, followed by one segment.
//
// Input: the values of a component in topological order. Output: segments, each within the limits of a kernel. The
// order decides how many values pass between segments, so two orders are tried: the order of the body, and the
// depth-first order of [partitioner.depthFirst].

// The reasons for a cut, as the ledger gives them.
const (
	fullOps      = "its loop has as many ops as one kernel takes"
	fullOperands = "its loop has as many operands as one kernel takes"
	fullNest     = "no loop nest gives strides to its operands and to its reader's"
)

// partitioner divides components. Its slices are indexed by ID, with the params after all other values. Each run of
// values that it examines gets a new number, so that the slices need not be cleared between runs.
type partitioner struct {
	readers  []int32 // number of reads of a value, results included
	params   int     // index of the first param in the slices
	bytes    []int   // size of a value
	number   int32
	inside   []int32 // the last run that computes the value
	read     []int32 // the last run that reads the value
	fetched  []int32 // the last run that reads the value's buffer
	left     []int32 // reads of the value by values outside the run
	position []int32 // in the component
	plain    []bool  // whether the value fits every loop nest
	placed   map[*ir.Value]location
	space    layout.Space
	nest     nesting // of the last scan
	reduces  bool    // whether the component has a reduction
	whole    [1]segment
}

// newPartitioner returns the State's partitioner, prepared for its graph.
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

// forget drops everything but the memory for nests, which the next graph reuses.
func (c *partitioner) forget() {
	clear(c.nest.layouts[:cap(c.nest.layouts)])
	c.space.Forget()
	*c = partitioner{space: c.space, nest: nesting{layouts: c.nest.layouts}}
}

// id returns the index of a value in the slices.
func (c *partitioner) id(v *ir.Value) int {
	if v.Op == ir.OpParam {
		return c.params + v.ID
	}
	return v.ID
}

// segment is a run of values that one kernel can compute.
type segment struct {
	values []*ir.Value
	why    string // why the segment before it is not longer
}

// partition divides a component, whose values are in topological order.
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

// cost is the cost of a partition: the bytes that its segments read and write. If two partitions have equal bytes, the
// cheaper one has the smaller sum of squared segment lengths, so its lengths are more equal.
type cost struct{ bytes, squares int }

func (p cost) less(q cost) bool {
	return p.bytes < q.bytes || p.bytes == q.bytes && p.squares < q.squares
}

// cheapest returns the cheapest partition of the values in the given order, and its cost. A segment ends at a
// candidate, or, if it holds no end of a line (see lineEnds) at a candidate, where it is as long as a kernel allows.
func (c *partitioner) cheapest(values []*ir.Value, candidate []bool) ([]segment, cost) {
	type prefix struct { // the cheapest partition known for the first values
		cost
		from int // where its last segment begins, -1 if no partition is known
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
		longest, bytes, line := 0, 0, false // whether a line ends at one of the candidates
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

// candidates marks the positions at which cheapest may cut: the end, and in each run of neighbouring positions the
// position that the fewest bytes cross. A position where a line ends wins over others with as many bytes. The order is
// narrow if no position is crossed by more bytes than the value before it has; then no other order is better.
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
	crossing := make([]int, len(values)+1) // at first the difference from the position before
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

// lineEnds reports whether the value before position i reads the last element of a line of a window: the next value
// reads an element farther away than the step within the line. A cut there keeps lines whole, and kernels of whole
// lines read each element once for several rows.
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

// locate starts a run that contains all the values, and notes the position of each.
func (c *partitioner) locate(values []*ir.Value) {
	c.number++
	for i, v := range values {
		c.inside[v.ID], c.position[v.ID] = c.number, int32(i)
	}
}

// has reports whether the present run computes v.
func (c *partitioner) has(v *ir.Value) bool { return v.Op != ir.OpParam && c.inside[v.ID] == c.number }

// scan calls fits for each n for which one kernel can compute the first n values, with the bytes that this kernel reads
// and writes. It returns the reason why the kernel cannot compute more, or "".
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

// fetch returns how many bytes of a's buffer the run reads, if a is the first of its values to read that buffer.
// Further views of the buffer count nothing, because it is in the cache.
func (c *partitioner) fetch(a *ir.Value) (n int, first bool) {
	buffer := base(a)
	id := c.id(buffer)
	if c.fetched[id] == c.number {
		return 0, false
	}
	c.fetched[id] = c.number
	return min(c.bytes[c.id(a)], c.bytes[id]), true
}

// stores returns the number of kernel operands that the output v takes: two for a reduction, because a column reduction
// reads and writes its output, and one for any other value.
func stores(v *ir.Value) int {
	if v.Op == ir.OpReduceChunks {
		return 2
	}
	return 1
}
