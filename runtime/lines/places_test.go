package lines

import (
	"fmt"
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
		checkPlaces(t, &columns{m: m, x: x, n: n, cols: cols, step: step})
	})
}

// TestPlacesNaN finds few NaN in columns of other elements, many of which are equal: nothing but the finder says in which rows, and in
// which columns, they are.
func TestPlacesNaN(t *testing.T) {
	kernels := slices.DeleteFunc(placesKernels(), func(m *kernel.Micro) bool { return !ir.Floats.Has(m.Type) })
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(kernels).Draw(t, "kernel")
		d, size := m.Type, m.Type.Size()
		n := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(1, ir.ReduceChunk)).Draw(t, "length")
		cols := rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(1, 300)).Draw(t, "columns")
		step := (cols + rapid.IntRange(0, 3).Draw(t, "apart")) * size
		different, seed := rapid.Uint64Range(1, 9).Draw(t, "different"), rapid.Uint64().Draw(t, "seed")
		x := make([]byte, n*step+size)
		for r := range n {
			for c := range cols {
				putBits(unsafe.Pointer(&x[r*step+c*size]), size, ir.FromFloat(d, float64(ir.Mix(seed, uint64(r*cols+c))%different)-4))
			}
		}
		for range rapid.IntRange(1, 4).Draw(t, "NaN") {
			r, c := rapid.IntRange(0, n-1).Draw(t, "row"), rapid.IntRange(0, cols-1).Draw(t, "column")
			putBits(unsafe.Pointer(&x[r*step+c*size]), size, ir.FromFloat(d, math.NaN())|rapid.SampledFrom([]uint64{0, ir.SignBit(d)}).Draw(t, "sign"))
		}
		checkPlaces(t, &columns{m: m, x: x, n: n, cols: cols, step: step})
	})
}

// TestPlacesEachNaN finds one NaN, which is each of the elements in turn: of blocks of rows and strips of columns that are whole, and
// of parts of them. No other column differs from what it is without it.
func TestPlacesEachNaN(t *testing.T) {
	for _, m := range placesKernels() {
		if !ir.Floats.Has(m.Type) {
			continue
		}
		d, size := m.Type, m.Type.Size()
		const n = 37
		cols := (2*256+64+12)/size + 1
		x := make([]byte, n*cols*size)
		for i := range n * cols {
			putBits(unsafe.Pointer(&x[i*size]), size, ir.FromFloat(d, float64(ir.Mix(1, uint64(i))%9)-4))
		}
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				continue
			}
			place, best := make([]int32, cols), make([]byte, cols*size)
			f := &abi.Frame{Rows: 1, Cols: cols}
			f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&x[0]), unsafe.Pointer(&place[0]), unsafe.Pointer(&best[0])
			f.Step[0], f.Step[3] = cols*size, n
			fn(f)
			wantPlace, wantBest := slices.Clone(place), slices.Clone(best)
			for i := range n * cols {
				at, c := unsafe.Pointer(&x[i*size]), i%cols
				was := getBits(at, d)
				putBits(at, size, ir.FromFloat(d, math.NaN()))
				fn(f)
				putBits(at, size, was)
				isNaN := ir.IsNaN(d, getBits(unsafe.Pointer(&best[c*size]), d))
				right := isNaN && place[c] == int32(i/cols)
				place[c] = wantPlace[c]
				copy(best[c*size:][:size], wantBest[c*size:])
				if !right || !slices.Equal(place, wantPlace) || !slices.Equal(best, wantBest) {
					t.Fatalf("%v: %s: NaN in row %d, column %d of %d", e, m.Signature(), i/cols, c, cols)
				}
			}
		}
	}
}

// checkPlaces compares what all engines find in a block with what the reference does.
func checkPlaces(t require.TestingT, b *columns) {
	m, d, size, cols := b.m, b.m.Type, b.m.Type.Size(), b.cols
	b.place, b.best = make([]int32, cols), make([]uint64, cols)
	kernel.ReferenceOf(m, elementary.Expand)(ir.Defined, b)
	for e := range abi.Best() + 1 {
		fn, ok := abi.Lookup(e, m.Signature())
		if !ok {
			continue
		}
		place, best := make([]int32, cols+1), make([]byte, (cols+1)*size)
		place[cols] = 77
		f := &abi.Frame{Rows: 1, Cols: cols}
		f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&b.x[0]), unsafe.Pointer(&place[0]), unsafe.Pointer(&best[0])
		f.Step[0], f.Step[3] = b.step, b.n
		fn(f)
		require.Equal(t, append(slices.Clone(b.place), 77), place, "%v", e)
		for c, want := range append(slices.Clone(b.best), 0) {
			got := getBits(unsafe.Pointer(&best[c*size]), d)
			if !ir.IsNaN(d, want) || !ir.IsNaN(d, got) {
				require.Equal(t, want, got, "%v: column %d", e, c)
			}
		}
	}
}

// BenchmarkPlaces finds the greatest elements of columns with the best engine, without NaN, with eight, and with one in a thousand.
func BenchmarkPlaces(b *testing.B) {
	for _, d := range []ir.DType{ir.Float32, ir.Float64} {
		m := &kernel.Micro{Kind: kernel.Places, Op: ir.OpArgMax, Type: d}
		fn, _ := abi.Lookup(abi.Best(), m.Signature())
		for _, shape := range [][2]int{{256, 256}, {1024, 257}, {1024, 512}, {2048, 2048}} {
			n, cols, size := shape[0], shape[1], d.Size()
			for _, count := range []int{0, 8, n * cols / 1000} {
				b.Run(fmt.Sprintf("%v/%dx%d/NaN=%d", d, n, cols, count), func(b *testing.B) {
					x, place, best := make([]byte, n*cols*size), make([]int32, cols), make([]byte, cols*size)
					for i := range n * cols {
						putBits(unsafe.Pointer(&x[i*size]), size, ir.FromFloat(d, float64(ir.Mix(1, uint64(i))%1e6)))
					}
					for i := range count {
						at := int(ir.Mix(2, uint64(i)) % uint64(n*cols))
						putBits(unsafe.Pointer(&x[at*size]), size, ir.FromFloat(d, math.NaN()))
					}
					f := &abi.Frame{Rows: 1, Cols: cols}
					f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&x[0]), unsafe.Pointer(&place[0]), unsafe.Pointer(&best[0])
					f.Step[0], f.Step[3] = cols*size, n
					for b.Loop() {
						fn(f)
					}
				})
			}
		}
	}
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
