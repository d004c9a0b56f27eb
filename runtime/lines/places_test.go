package lines

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

func placesKernels() []*kernel.Micro {
	return slices.DeleteFunc(kernel.LineKernels(), func(m *kernel.Micro) bool { return m.Kind != kernel.Places })
}

// TestPlacesKernels checks all kernels as generated ones are.
func TestPlacesKernels(t *testing.T) {
	for _, m := range placesKernels() {
		kerneltest.Run(t, m.Signature())
	}
}

// TestPlaces finds elements in columns of few different ones, zeros of both signs, infinities and NaN, of lengths up to a
// chunk, in order and in any order.
func TestPlaces(t *testing.T) {
	kernels := placesKernels()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(kernels).Draw(t, "kernel")
		d, size := m.Type, m.Type.Size()
		least, _ := ir.OpMax.Info().Identity(d)
		greatest, _ := ir.OpMin.Info().Identity(d)
		some := []uint64{0, least, greatest, ir.ElementOf(d, 1), ir.ElementOf(d, 2)}
		if ir.Floats.Has(d) {
			some = append(some, ir.SignBit(d), ir.FromFloat(d, -1))
			if rapid.Bool().Draw(t, "NaN") {
				signaling := ir.FromFloat(d, math.Inf(1)) | 1
				some = append(some, ir.FromFloat(d, math.NaN()), ir.FromFloat(d, math.NaN())|ir.SignBit(d), signaling)
			}
		}
		some = rapid.SliceOfN(rapid.SampledFrom(some), 1, 5).Draw(t, "elements")
		n := rapid.OneOf(rapid.IntRange(1, 70), rapid.IntRange(1, ir.ReduceChunk)).Draw(t, "length")
		cols := rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(1, 300)).Draw(t, "columns")
		step := (cols + rapid.IntRange(0, 3).Draw(t, "apart")) * size
		sorted, seed := rapid.Bool().Draw(t, "in order"), rapid.Uint64().Draw(t, "seed")
		x := make([]byte, n*step+size)
		for r := range n {
			for c := range cols {
				i := ir.Mix(seed, uint64(r*cols+c)) % uint64(len(some))
				if sorted {
					i = min(uint64(r)*uint64(len(some))/uint64(n), i+uint64(r%2)) % uint64(len(some))
				}
				putBits(unsafe.Pointer(&x[r*step+c*size]), size, some[i])
			}
		}
		call := &columns{m: m, x: x, n: n, cols: cols, step: step, place: make([]int32, cols), best: make([]uint64, cols)}
		kernel.ReferenceOf(m, elementary.Expand)(ir.Defined, call)
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				continue
			}
			place, best := make([]int32, cols+1), make([]byte, (cols+1)*size)
			place[cols] = 77
			f := &abi.Frame{Rows: 1, Cols: cols}
			f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&x[0]), unsafe.Pointer(&place[0]), unsafe.Pointer(&best[0])
			f.Step[0], f.Step[3] = step, n
			fn(f)
			require.Equal(t, append(slices.Clone(call.place), 77), place, "%v", e)
			for c, want := range append(slices.Clone(call.best), 0) {
				got := getBits(unsafe.Pointer(&best[c*size]), d)
				if !ir.IsNaN(d, want) || !ir.IsNaN(d, got) {
					require.Equal(t, want, got, "%v: column %d", e, c)
				}
			}
		}
	})
}

// columns is a block of a kernel that finds places.
type columns struct {
	m             *kernel.Micro
	x             []byte
	n, cols, step int
	place         []int32
	best          []uint64
}

func (b *columns) Rows() int     { return 1 }
func (b *columns) Cols() int     { return b.cols }
func (b *columns) Field(int) int { return b.n }
func (b *columns) Get(_, outer, inner int) uint64 {
	return getBits(unsafe.Pointer(&b.x[outer*b.step+inner*b.m.Type.Size()]), b.m.Type)
}
func (b *columns) Set(arg, _, inner int, e uint64) {
	if arg == 1 {
		b.place[inner] = int32(e)
		return
	}
	b.best[inner] = e
}
