package kerneltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Memory returns memory for an operand of one call that spans so many bytes, and where
// in it the operand begins. All of it but the operand must stay as it is.
type Memory func(rng *rand.Rand, operand, span int) (mem []byte, at int)

// guard is how many bytes on both sides of an operand a kernel must not touch:
// more than a masked store of the widest vector could reach.
const guard = 64

// Heap is the Memory of tests that need no pages of their own: at any address that the
// machine can read an element at.
func Heap(rng *rand.Rand, _, span int) (mem []byte, at int) {
	shift := 8 * rng.IntN(4)
	if goruntime.GOARCH == "amd64" {
		shift += rng.IntN(8)
	}
	return make([]byte, guard+shift+span+guard), guard + shift
}

// block is one call of a kernel on memory of its own: a kernel.Block.
type block struct {
	size
	code   kernel.Code
	args   []kernel.Arg
	ops    []*operand // of the arguments
	pixels bool       // lines follow one another, or are next to each other, element by element, where a field says how far elements are apart

	nonTemporal int // abi.Frame.NonTemporal
}

// operand is the memory of an argument.
type operand struct {
	dtype        ir.DType
	mem          []byte
	base         int // of element 0 of line 0
	outer, inner int // bytes from line to line and from element to element
}

func (b *block) Rows() int                           { return b.rows }
func (b *block) Cols() int                           { return b.cols }
func (b *block) Field(i int) int                     { return b.fields[i] }
func (b *block) Get(arg, outer, inner int) uint64    { return b.ops[arg].get(outer, inner) }
func (b *block) Set(arg, outer, inner int, v uint64) { b.ops[arg].put(outer, inner, v) }

func (o *operand) at(outer, inner int) []byte {
	return o.mem[o.base+outer*o.outer+inner*o.inner:][:o.dtype.Size()]
}

func (o *operand) put(outer, inner int, v uint64) { store(o.at(outer, inner), v) }
func (o *operand) get(outer, inner int) uint64    { return load(o.dtype, o.at(outer, inner)) }

// newBlock makes a block of a size, and fills its operands with what source gives. An
// argument whose elements are a field apart sets that field.
func newBlock(c kernel.Code, rng *rand.Rand, s size, source source, memory Memory) *block {
	b := &block{size: s, code: c, args: c.Args(), pixels: rng.IntN(4) == 0, nonTemporal: rng.IntN(2)}
	for i := range b.args {
		o := b.lay(rng, i, memory)
		b.ops = append(b.ops, o)
		b.each(i, func(outer, inner int) { o.put(outer, inner, source(rng, b.args, i, outer, inner)) })
	}
	return b
}

// each calls f for each element of an argument.
func (b *block) each(arg int, f func(outer, inner int)) {
	a := &b.args[arg]
	for outer := range b.extent(a.Outer) {
		for inner := range b.extent(a.Inner) * a.Each() {
			f(outer, inner)
		}
	}
}

// lay chooses where the elements of an argument are: its lines upwards, downwards or,
// for an input, all the same line; with gaps or none. Where the elements of a line may
// be apart, they are, or have the strides of a column.
func (b *block) lay(rng *rand.Rand, arg int, memory Memory) *operand {
	a := &b.args[arg]
	lines, elements, size := b.extent(a.Outer), b.extent(a.Inner)*a.Each(), a.DType.Size()
	o := &operand{dtype: a.DType, inner: size}
	gap := []int{0, 0, size, 2 * size, 13, 64}[rng.IntN(6)]
	if b.pixels {
		gap = 0
	} else if goruntime.GOARCH != "amd64" {
		gap = gap / size * size
	}
	if a.Across != kernel.One {
		o.inner *= []int{1, 1, 2, 3, 4, -1, 0}[rng.IntN(7)]
	}
	if o.outer = max(o.inner, -o.inner)*max(elements-1, 0) + size + gap; a.Across != kernel.One && rng.IntN(2) == 0 {
		o.inner, o.outer = size*lines+gap, size // as in a column
	}
	switch turn := rng.IntN(4); {
	case b.pixels && a.Across != kernel.One:
		o.inner, o.outer = size*lines, size
	case b.pixels:
	case turn == 0:
		o.outer = -o.outer
	case turn == 1 && !a.Out:
		o.outer = 0
	}
	if a.Across != kernel.One {
		b.fields[a.Across-kernel.Field0] = o.inner
	}
	// Lines without elements are in the memory too: a pointer to what is behind it would make Go keep that.
	down, across := max(lines-1, 0)*o.outer, max(elements-1, 0)*o.inner
	low, high := min(down, 0)+min(across, 0), max(down, 0)+max(across, 0)+size
	var at int
	o.mem, at = memory(rng, arg, high-low)
	for i := 0; i < len(o.mem); i += copy(o.mem[i:], noise[rng.IntN(64):]) {
	}
	o.base = at - low
	return o
}

// noise is what memory holds beside operands.
var noise = func() []byte {
	rng, b := rand.New(rand.NewPCG(1, 2)), make([]byte, 512)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}()

// run calls the kernel and compares all memory with what its meaning leaves there.
func (b *block) run(meaning kernel.Reference, fn func(*abi.Frame)) error {
	want := b.clone()
	meaning(ir.Defined, want)
	f := &abi.Frame{Rows: b.rows, Cols: b.cols, NonTemporal: b.nonTemporal}
	for i, o := range b.ops {
		f.Ptr[i], f.Step[i] = o.pointer(), o.outer
	}
	for i, n := range b.fields {
		f.Step[b.code.FieldAt(i)] = n
	}
	fn(f)
	for i, a := range b.args {
		if !a.Out {
			continue
		}
		if err := b.compare(i, want.ops[i]); err != nil {
			return fmt.Errorf("\tblock %s, %w", b.size, err)
		}
	}
	for i, o := range b.ops {
		if !bytes.Equal(o.mem, want.ops[i].mem) {
			return fmt.Errorf("\tblock %s: memory round operand %d has changed (step %d)", b.size, i, o.outer)
		}
	}
	return nil
}

// pointer returns the address of the first element: of any byte, if there is none.
func (o *operand) pointer() unsafe.Pointer {
	if len(o.mem) == 0 {
		return nil
	}
	return unsafe.Pointer(&o.mem[min(max(o.base, 0), len(o.mem)-1)])
}

// clone returns the block on memory of its own. Operands that share it still do.
func (b *block) clone() *block {
	c, of := *b, map[*operand]*operand{}
	c.ops = nil
	for _, o := range b.ops {
		if of[o] == nil {
			twin := *o
			twin.mem = bytes.Clone(o.mem)
			of[o] = &twin
		}
		c.ops = append(c.ops, of[o])
	}
	return &c
}

// compare returns an error if an element of an output differs from want.
func (b *block) compare(arg int, want *operand) (err error) {
	o, d := b.ops[arg], b.args[arg].DType
	b.each(arg, func(outer, inner int) {
		x, y := o.get(outer, inner), want.get(outer, inner)
		if !same(d, x, y) && err == nil {
			err = fmt.Errorf("operand %d at line %d, element %d: %s, want %s", arg, outer, inner, text(d, x), text(d, y))
		}
		o.put(outer, inner, y) // any NaN equals any other
	})
	return err
}

// same compares elements: bits, but any NaN is any other.
func same(d ir.DType, a, b uint64) bool {
	return a == b || ir.IsNaN(d, a) && ir.IsNaN(d, b)
}
