package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Where a component is more than one kernel takes it is cut into runs of a
// topological order, so that each reads earlier ones and never the reverse. What
// a cut costs are the values that cross it, which travel to memory and back. Of
// all ways to cut the cheapest is found from front to back: the best way to an
// end is the best to some beginning, and the run between.
//
// The order matters as much, as it says how many values cross. There are two to
// choose from: the body's own, and depth first with the operands first that keep
// most values waiting.

const (
	// mostWork bounds the cost of a kernel's ops: the code of elementary functions
	// is long, and beside so many of them, some twenty powers, a load and a store take
	// no time.
	mostWork = 4096
	// mostBuffers is how many arrays a loop reads and writes. More at a time are no
	// faster than two loops, in the cache or not: machines look ahead in so many.
	mostBuffers = 12
	// kernelBytes is what a kernel's own overhead is worth in traffic.
	kernelBytes = 8 << 10
	// cutWindow is how many neighbouring places to cut are one: the cheapest alone
	// is tried, so that compile time is less than the longest run for each value.
	cutWindow = 8
)

// The reasons for a cut.
const (
	fullOps      = "its loop has as many ops as one kernel takes"
	fullOperands = "its loop has as many operands as one kernel takes"
	fullNest     = "no loop nest gives strides to its operands and to its reader's"
)

// cutter divides components. Its slices are by ID, params after the others; each
// run that it looks at has a number, so that they need not be cleared.
type cutter struct {
	readers []int // how often a value is read, results counted
	params  int   // the number of values that are none
	bytes   []int // of a value
	number  int32
	inside  []int32 // the last run that computes a value
	read    []int32 // that reads it
	fetched []int32 // that reads its buffer
	left    []int   // readers of a value beyond the run
	place   []int   // in the component
	placed  map[*ir.Value]placed
}

func newCutter(f *ir.Func, readers []int) *cutter {
	n := len(f.Body) + len(f.Params)
	c := &cutter{readers: readers, params: len(f.Body), bytes: make([]int, n), inside: make([]int32, n), read: make([]int32, n),
		fetched: make([]int32, n), left: make([]int, n), place: make([]int, n)}
	for _, values := range [][]*ir.Value{f.Body, f.Params} {
		for _, v := range values {
			c.bytes[c.id(v)] = bytes(v)
		}
	}
	return c
}

func (c *cutter) id(v *ir.Value) int {
	if v.Op == ir.OpParam {
		return c.params + v.ID
	}
	return v.ID
}

// piece is a run of values that one kernel takes.
type piece struct {
	values []*ir.Value
	why    string // the piece before takes no more
}

// pieces cuts a component, given in topological order.
func (c *cutter) pieces(values []*ir.Value) []piece {
	whole := 0
	c.walk(values, func(n, _ int) { whole = n })
	if whole == len(values) {
		return []piece{{values: values}}
	}
	places, narrow := c.candidates(values)
	best, cost := c.cheapest(values, places)
	if narrow {
		return best
	}
	if other := c.deepFirst(values); !slices.Equal(other, values) {
		places, _ = c.candidates(other)
		if p, less := c.cheapest(other, places); less.below(cost) {
			return p
		}
	}
	return best
}

// price is what pieces cost: bytes that are read and written, and of equal ones
// how unequal the pieces are.
type price struct{ bytes, squares int }

func (p price) below(q price) bool {
	return p.bytes < q.bytes || p.bytes == q.bytes && p.squares < q.squares
}

// cheapest returns the best way to cut values in this order at candidates.
func (c *cutter) cheapest(values []*ir.Value, candidate []bool) ([]piece, price) {
	type way struct {
		price
		from int // where the last piece begins, -1: no way yet
		why  string
	}
	ways := make([]way, len(values)+1)
	for i := range ways[1:] {
		ways[1+i].from = -1
	}
	for i := range values {
		at := &ways[i]
		if at.from < 0 {
			continue
		}
		reach := func(n, bytes int) {
			to := &ways[i+n]
			p := price{at.bytes + bytes + kernelBytes, at.squares + n*n}
			if to.from < 0 || p.below(to.price) {
				to.price, to.from = p, i
			}
		}
		longest, bytes := 0, 0
		at.why = c.walk(values[i:], func(n, b int) {
			longest, bytes = n, b
			if candidate[i+n] {
				reach(n, b)
			}
		})
		reach(longest, bytes)
	}
	var out []piece
	for end := len(values); end > 0; {
		from := ways[end].from
		out = append(out, piece{values: values[from:end:end]})
		end = from
	}
	slices.Reverse(out)
	at := 0
	for i := range out[1:] {
		out[1+i].why = ways[at].why
		at += len(out[i].values)
	}
	return out, ways[len(values)].price
}

// candidates finds the places to cut: of each few neighbours the one that fewest
// bytes cross, and the end. The order is narrow if one value crosses at a time: no
// other can be better.
func (c *cutter) candidates(values []*ir.Value) (out []bool, narrow bool) {
	c.locate(values)
	last := make([]int, len(values))
	for i, v := range values {
		for _, a := range v.Args {
			if c.has(a) {
				last[c.place[a.ID]] = i
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
		if crossing[i] <= crossing[best] {
			best = i
		}
		if i%cutWindow == 0 || i == len(values) {
			out[best], best = true, min(i+1, len(values))
		}
	}
	out[len(values)] = true
	return out, narrow
}

// locate notes the place of each value, and that all are in one run.
func (c *cutter) locate(values []*ir.Value) {
	c.number++
	for i, v := range values {
		c.inside[v.ID], c.place[v.ID] = c.number, i
	}
}

// has reports whether the present run computes v.
func (c *cutter) has(v *ir.Value) bool { return v.Op != ir.OpParam && c.inside[v.ID] == c.number }

// walk calls fits with each number of values from the first on that one kernel
// takes, and the bytes that it then reads and writes. It returns why not more.
func (c *cutter) walk(values []*ir.Value, fits func(n, bytes int)) (full string) {
	c.number++
	nest := nesting{placed: c.placed}
	pointers, operands, buffers, outputs, traffic := 0, 0, 0, 0, 0
	work := 0.0
	for i, v := range values {
		if work += v.Op.Info().Cost; i == kernel.MaxBody || i > 0 && work > mostWork {
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
				pointers++
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
		case pointers >= kernel.MaxPointers || operands >= kernel.MaxOperands || buffers >= mostBuffers:
			return fullOperands
		case !nest.takes(v):
			return fullNest
		case pointers+outputs > kernel.MaxPointers || operands+outputs > kernel.MaxOperands || buffers+outputs > mostBuffers:
			full = fullOperands
		default:
			fits(i+1, traffic)
		}
	}
	return full
}

// fetch returns how many bytes of a's buffer the run reads, if a is the first to
// read it: views of one buffer are in the cache together.
func (c *cutter) fetch(a *ir.Value) (n int, first bool) {
	buffer := base(a)
	id := c.id(buffer)
	if c.fetched[id] == c.number {
		return 0, false
	}
	c.fetched[id] = c.number
	return min(c.bytes[c.id(a)], c.bytes[id]), true
}

// stores returns how many operands of a kernel the output v takes: two if it is
// folded, as it is read and written where the loop goes down the rows.
func stores(v *ir.Value) int {
	if v.Op == ir.OpReduceChunks {
		return 2
	}
	return 1
}
