// The differential run: each kernel's assembly against kernel.Kernel.Eval, bit for
// bit. A test of codegen/avo copies this beside the assembly, stubs and
// kernels.json that it writes.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"syscall"
	"unsafe"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Frame is a type of this package, for the assembly's declarations.
type Frame abi.Frame

const (
	page  = 4096
	guard = 0xa5
	wide  = 8 * page // for rows of a whole chunk
)

// buffer is an operand's memory, between pages that fault.
type buffer struct{ mem []byte }

func newBuffer(arena int) buffer {
	all, err := syscall.Mmap(-1, 0, arena+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	check(err)
	check(syscall.Mprotect(all[:page], syscall.PROT_NONE))
	check(syscall.Mprotect(all[page+arena:], syscall.PROT_NONE))
	return buffer{all[page : page+arena]}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

type operand struct {
	buf         buffer
	d           ir.DType
	splat       bool // one element a row
	start, step int
	before      []byte // what the memory held
}

func (o *operand) at(r, c int) int {
	if o.splat {
		c = 0
	}
	return o.start + r*o.step + c*o.d.Size()
}

func get(mem []byte, at int, d ir.DType) uint64 {
	var v uint64
	for i := range d.Size() {
		v |= uint64(mem[at+i]) << (8 * i)
	}
	if ir.Signed.Has(d) {
		shift := 64 - 8*d.Size()
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

func put(mem []byte, at int, d ir.DType, v uint64) {
	for i := range d.Size() {
		mem[at+i] = byte(v >> (8 * i))
	}
}

// The buffers of calls with few columns, and with many.
var buffers, wideBuffers []buffer

// longRow is how many columns are many.
const longRow = 128

func main() {
	data, err := os.ReadFile("kernels.json")
	check(err)
	var ks []*kernel.Kernel
	check(json.Unmarshal(data, &ks))
	for range kernel.MaxOperands {
		buffers, wideBuffers = append(buffers, newBuffer(page)), append(wideBuffers, newBuffer(wide))
	}
	bad, cases := 0, 0
	for i, k := range ks {
		for engine, f := range kernels[i] {
			run, ok := f.(func(*Frame))
			if !ok { // the portable twin
				run = func(frame *Frame) { f.(func(*abi.Frame))((*abi.Frame)(frame)) }
			}
			n, err := testKernel(k, run, rand.New(rand.NewPCG(uint64(i), 7)))
			cases += n
			if err != nil && bad < 20 {
				bad++
				fmt.Printf("%s\n    %s, engine %d: %v\n", k, codegen.Symbol(k), engine, err)
			}
		}
	}
	fmt.Printf("%d kernels, %d calls, %d failed\n", len(ks), cases, bad)
	if bad > 0 {
		os.Exit(1)
	}
}

func testKernel(k *kernel.Kernel, f func(*Frame), rnd *rand.Rand) (int, error) {
	switch {
	case k.Dots():
		return testDot(k, f, rnd)
	case k.Transposes():
		return testTranspose(k, f, rnd)
	case k.Down:
		return testDown(k, f, rnd)
	}
	e := elementary.Expand(k)
	n := 0
	run := func(rows, cols int, inPlace []int) error {
		n++
		if err := testCall(k, e, f, rnd, rows, cols, inPlace); err != nil {
			return fmt.Errorf("%d x %d, in place %v: %w", rows, cols, inPlace, err)
		}
		return nil
	}
	most := 41
	if k.Fold != nil {
		most = 81
	}
	for cols := range most {
		for rows := range 4 {
			if rows != 1 && cols%5 != 0 && cols > 9 {
				continue
			}
			if err := run(rows, cols, nil); err != nil {
				return n, err
			}
		}
	}
	for i := 0; k.Fold != nil && i < 5; i++ {
		if err := run(1+rnd.IntN(3), ir.FoldChunk-rnd.IntN(40)*min(i, 1), nil); err != nil {
			return n, err
		}
	}
	for _, p := range placements(k) {
		for _, cols := range []int{3, 8, 21, 39} {
			if err := run(2, cols, p); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// placements lists, for each output, which input it overwrites, or -1.
func placements(k *kernel.Kernel) [][]int {
	var out [][]int
	for first := range k.In {
		p := make([]int, len(k.Out))
		used := map[int]bool{}
		any := false
		for o := range k.Out {
			p[o] = -1
			if k.FoldOf(o) != ir.OpInvalid {
				continue
			}
			for j := range k.In {
				i := (first + j) % len(k.In)
				if !used[i] && !k.In[i].Splat && k.In[i].DType == k.OutType(o) {
					p[o], used[i], any = i, true, true
					break
				}
			}
		}
		if any {
			out = append(out, p)
		}
	}
	return out
}

func testCall(k, e *kernel.Kernel, f func(*Frame), rnd *rand.Rand, rows, cols int, inPlace []int) error {
	ops := make([]operand, 0, len(k.In)+len(k.Out))
	buffers := buffers
	if cols > longRow {
		buffers = wideBuffers
	}
	gentle := rnd.IntN(2) == 0
	frame := &Frame{Rows: rows, Cols: cols}
	for i, in := range k.In {
		ops = append(ops, layOut(buffers[i], in.DType, in.Splat, false, rows, cols, gentle, rnd))
	}
	for o := range k.Out {
		if inPlace != nil && inPlace[o] >= 0 {
			ops = append(ops, ops[inPlace[o]])
		} else {
			ops = append(ops, layOut(buffers[len(k.In)+o], k.OutType(o), k.OnePerRow(o), true, rows, cols, gentle, rnd))
		}
	}
	for i := range ops {
		o := &ops[i]
		frame.Ptr[i], frame.Step[i] = unsafe.Pointer(&o.buf.mem[min(o.start, len(o.buf.mem)-1)]), o.step
		if o.start == len(o.buf.mem) {
			frame.Ptr[i] = unsafe.Add(frame.Ptr[i], 1)
		}
		o.before = append([]byte(nil), o.buf.mem...)
	}
	f(frame)
	want := make([][]byte, len(buffers)) // expected memory, by buffer
	for i := range ops {
		want[i] = append([]byte(nil), ops[i].before...)
	}
	target := func(o int) int {
		if inPlace != nil && inPlace[o] >= 0 {
			return inPlace[o]
		}
		return len(k.In) + o
	}
	in := make([]uint64, len(k.In))
	compare := func(o, r, c int, v uint64) error {
		op := &ops[len(k.In)+o]
		at := op.at(r, c)
		got := get(op.buf.mem, at, op.d)
		if ir.IsNaN(op.d, got) && ir.IsNaN(op.d, v) {
			v = got
		}
		put(want[target(o)], at, op.d, v)
		if got != v {
			return fmt.Errorf("output %d at %d,%d is %#x, not %#x, for %#x", o, r, c, got, v, in)
		}
		return nil
	}
	for r := range rows {
		elements := make([][]uint64, len(k.Out)) // of folded outputs
		for c := range cols {
			for i := range k.In {
				in[i] = get(ops[i].before, ops[i].at(r, c), ops[i].d)
			}
			for o, v := range e.Eval(in) {
				if k.FoldOf(o) != ir.OpInvalid {
					elements[o] = append(elements[o], v)
				} else if err := compare(o, r, c, v); err != nil {
					return err
				}
			}
		}
		if k.Scans() && cols > 0 {
			for o, x := range k.ScanRow(elements[0], in[1:]) {
				for c, v := range x {
					if err := compare(o, r, c, v); err != nil {
						return err
					}
				}
			}
			continue
		}
		for o, x := range elements {
			if len(x) == 0 {
				continue
			}
			if err := compare(o, r, 0, ir.FoldRow(k.FoldOf(o), k.DType(k.Out[o]), x)); err != nil {
				return err
			}
		}
	}
	for i := range ops {
		if inPlace != nil && i >= len(k.In) && inPlace[i-len(k.In)] >= 0 {
			continue
		}
		for j, b := range ops[i].buf.mem {
			if b != want[i][j] {
				return fmt.Errorf("operand %d: byte %d of the buffer was written", i, j-ops[i].start)
			}
		}
	}
	return nil
}

// layOut places an operand: at the start or the end of its pages, which fault
// outside, or anywhere; its rows forwards or backwards, with gaps or none.
func layOut(buf buffer, d ir.DType, splat, output bool, rows, cols int, gentle bool, rnd *rand.Rand) operand {
	o := operand{buf: buf, d: d, splat: splat}
	width := cols * d.Size()
	if splat {
		width = d.Size()
	}
	for i := range buf.mem {
		buf.mem[i] = guard
	}
	gap := []int{0, 0, d.Size(), 13, 64}[rnd.IntN(5)]
	o.step = width + gap
	if splat && !output && rnd.IntN(2) == 0 {
		o.step = 0
	}
	extent := max(rows-1, 0)*o.step + width
	low := []int{0, len(buf.mem) - extent, rnd.IntN(len(buf.mem) - extent + 1)}[rnd.IntN(3)]
	o.start = low
	if rnd.IntN(3) == 0 {
		o.start = low + max(rows-1, 0)*o.step
		o.step = -o.step
	}
	values := pool(d)
	for r := range rows {
		for c := range cols {
			v := element(d, values, rnd)
			if gentle {
				v = near(d, r, rnd)
			}
			put(buf.mem, o.at(r, c), d, v)
		}
	}
	return o
}

func element(d ir.DType, values []uint64, rnd *rand.Rand) uint64 {
	switch rnd.IntN(4) {
	case 0:
		if d == ir.Bool {
			return rnd.Uint64() & 1
		}
		return rnd.Uint64()
	case 1:
		return values[rnd.IntN(len(values))]
	}
	v := (rnd.Float64() - 0.5) * math.Exp2(float64(rnd.IntN(40)-20))
	switch {
	case ir.Floats.Has(d):
		return ir.FromFloat(d, v)
	case d == ir.Bool:
		return rnd.Uint64() & 1
	}
	return uint64(rnd.IntN(200) - 100)
}

// near gives elements of which many can be folded before nothing is left to see:
// floats near 1, integers and bools with few bits set or few clear.
func near(d ir.DType, row int, rnd *rand.Rand) uint64 {
	v := math.Copysign(math.Exp2(2*rnd.Float64()-1), rnd.Float64()-0.5)
	if ir.Floats.Has(d) {
		return ir.FromFloat(d, v)
	}
	var bit uint64
	if rnd.IntN(60) == 0 {
		bit = 1 << rnd.IntN(8*d.Size())
	}
	if d == ir.Bool {
		return min(bit, 1) ^ uint64(row&1)
	}
	return bit ^ -uint64(row&1)
}

// pool lists the values where things go wrong.
func pool(d ir.DType) []uint64 {
	floats := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, math.Inf(1), math.Inf(-1), math.NaN(),
		127, 128, 254.9, 255, 255.5, 256, 1<<24 + 1, 1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1, 1<<32 - 1, 1 << 32, 1<<32 - 0.5,
		2147483647.5, -2147483648.5, 1 << 51, 1 << 52, 1<<53 + 2, 1 << 63, -1 << 63, 1<<63 - 1024, -1<<63 - 2048, 1 << 64,
		65504, 65520, -65520, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-24, 2049, 1 + 0x1p-11, 1e-40, -1e-40, 1e-45, 5e-324, 1e-310, 88.7, 89, -104, 709.8, -745.2, 1e30, -1e30, math.MaxFloat32, math.MaxFloat64}
	var out []uint64
	switch {
	case d == ir.Bool:
		return []uint64{0, 1}
	case ir.Floats.Has(d):
		for _, v := range floats {
			out = append(out, ir.FromFloat(d, v))
		}
		return out
	}
	for s := range 64 {
		for _, v := range []int64{-1, 0, 1} {
			out = append(out, uint64(int64(1)<<s+v), uint64(-(int64(1)<<s)+v))
		}
	}
	return append(out, 0, 1, ^uint64(0), 7, 8, 9, 31, 32, 33, 63, 64, 65, 1<<62+1<<30, 1<<53+1, 1<<54+1<<30+1)
}
