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

// Memory returns memory for an operand that spans a number of bytes, and the offset of the operand in it. Everything
// around the operand must stay unchanged.
type Memory func(rng *rand.Rand, operand, span int) (mem []byte, at int)

// guard is the number of bytes on both sides of an operand that a kernel must not touch: more than a masked store of
// the widest vector could reach.
const guard = 64

// Heap is the Memory of ordinary tests: an operand at any address at which the machine can read an element.
func Heap(rng *rand.Rand, _, span int) (mem []byte, at int) {
	shift := 8 * rng.IntN(4)
	if goruntime.GOARCH == "amd64" {
		shift += rng.IntN(8)
	}
	return make([]byte, guard+shift+span+guard), guard + shift
}

// block is one call of a kernel on its own memory: a kernel.Block.
type block struct {
	size
	code   kernel.Code
	args   []kernel.Arg
	ops    []*operand // operands of the arguments
	pixels bool       // whether lines are interleaved element by element where a field sets the distance between elements; otherwise lines follow one another

	nonTemporal int // abi.Frame.NonTemporal
}

// operand is the memory of an argument.
type operand struct {
	dtype        ir.DType
	mem          []byte
	base         int // offset of element 0 of line 0
	outer, inner int // bytes from line to line, and from element to element
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

// newBlock makes a block of a size, and fills its operands with elements from source. It sets the field of an argument
// whose elements are a field apart.
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

// lay chooses the layout of an argument: its lines go upwards, downwards or, for an input, are all the same line; with
// gaps or without. If the elements of a line may be strided, they are, or have the strides of a column.
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
		o.inner, o.outer = size*lines+gap, size // strides of a column
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
	// Lines without elements also get memory: a pointer to the byte after an object would keep the next object alive.
	down, across := max(lines-1, 0)*o.outer, max(elements-1, 0)*o.inner
	low, high := min(down, 0)+min(across, 0), max(down, 0)+max(across, 0)+size
	var at int
	o.mem, at = memory(rng, arg, high-low)
	for i := 0; i < len(o.mem); i += copy(o.mem[i:], noise[rng.IntN(64):]) {
	}
	o.base = at - low
	return o
}

// noise is the content of memory around operands.
var noise = func() []byte {
	rng, b := rand.New(rand.NewPCG(1, 2)), make([]byte, 512)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}()

// run calls each form of the kernel on the same memory, and compares with the result of the definition.
func (b *block) run(meaning kernel.Reference, forms []Form) error {
	before, want := b.clone(), b.clone()
	meaning(ir.Defined, want)
	for i, form := range forms {
		if i > 0 {
			for k, o := range b.ops {
				copy(o.mem, before.ops[k].mem)
			}
		}
		if err := b.call(form.Call, want); err != nil {
			return fmt.Errorf("%s: %w", form.Name, err)
		}
	}
	return nil
}

// call calls a form of the kernel, and compares all memory with that of want.
func (b *block) call(fn func(*abi.Frame), want *block) error {
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
			return fmt.Errorf("block %s, %w", b.size, err)
		}
	}
	for i, o := range b.ops {
		if !bytes.Equal(o.mem, want.ops[i].mem) {
			return fmt.Errorf("block %s: memory round operand %d has changed (step %d)", b.size, i, o.outer)
		}
	}
	return nil
}

// pointer returns the address of the first element, or of any byte if there is none.
func (o *operand) pointer() unsafe.Pointer {
	if len(o.mem) == 0 {
		return nil
	}
	return unsafe.Pointer(&o.mem[min(max(o.base, 0), len(o.mem)-1)])
}

// clone returns the block on its own memory. Operands that share memory still do.
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

// compare returns an error if an element of an output differs from want; those of scratch memory may.
func (b *block) compare(arg int, want *operand) (err error) {
	o, d := b.ops[arg], b.args[arg].DType
	b.each(arg, func(outer, inner int) {
		x, y := o.get(outer, inner), want.get(outer, inner)
		if !same(d, x, y) && !b.args[arg].Work && err == nil {
			err = fmt.Errorf("operand %d at line %d, element %d: %s, want %s", arg, outer, inner, text(d, x), text(d, y))
		}
		o.put(outer, inner, y) // all NaNs are equal
	})
	return err
}

// same reports whether elements are equal: bit for bit, but all NaNs are equal.
func same(d ir.DType, a, b uint64) bool {
	return a == b || ir.IsNaN(d, a) && ir.IsNaN(d, b)
}
