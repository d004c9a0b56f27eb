package lines

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestEveryKernelHasAFunction makes the functions of all micro-kernels on lines.
func TestEveryKernelHasAFunction(t *testing.T) {
	for _, m := range kernel.LineKernels() {
		require.NotNil(t, lineFunction(m), m.Signature())
		_, ok := abi.Lookup(abi.Portable, m.Signature())
		require.True(t, ok, m.Signature())
	}
}

// TestOrder compares all or some of the elements of short and long lines with the
// definition, on every engine: random bits of every type, of which few differ in some lines and many are
// NaNs, infinities and zeros of both signs in others, read and stored side by side or at a distance.
// Nothing behind the memory of a call changes.
func TestOrder(t *testing.T) {
	types := kernel.Sort.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(types).Draw(t, "type")
		op := rapid.SampledFrom([]ir.Op{ir.OpSort, ir.OpSortDown, ir.OpArgSort, ir.OpArgSortDown}).Draw(t, "op")
		m := &kernel.Micro{Kind: kernel.Sort, Op: op, Type: d}
		n := rapid.OneOf(rapid.IntRange(1, 2*insertionTo+1), rapid.IntRange(1, 2000)).Draw(t, "elements")
		first := rapid.OneOf(rapid.Just(n), rapid.IntRange(1, n), rapid.IntRange(1, max(1, n/16))).Draw(t, "first")
		rows, apart, back := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "apart"), rapid.Bool().Draw(t, "back")
		in := drawStored(t, d, rows, n, apart, back)
		var lines [][]uint64
		for r := range rows {
			lines = append(lines, drawLine(t, d, n))
			for i, e := range lines[r] {
				putBits(in.at(r, i), in.size, e)
			}
		}
		for _, on := range enginesOfSorts() {
			fn, ok := abi.Lookup(on, m.Signature())
			require.True(t, ok)
			out := drawStored(t, ir.LineType(op, d), rows, first, apart, false)
			work, spare := make([]uint64, n+1), make([]uint64, n+1)
			work[n], spare[n] = guard, guard
			f := &abi.Frame{Rows: rows, Cols: first}
			f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Ptr[3] = in.at(0, 0), out.at(0, 0), unsafe.Pointer(&work[0]), unsafe.Pointer(&spare[0])
			f.Step[0], f.Step[1], f.Step[4], f.Step[5], f.Step[6] = in.row, out.row, in.across, out.across, n
			fn(f)
			for r, line := range lines {
				for i, want := range op.Info().Line(ir.Defined, op, d, [][]uint64{line})[:first] {
					got := bytesOf(out.at(r, i), out.size)
					require.Equal(t, bytesOf(unsafe.Pointer(&want), out.size), got, "%s %s on %s: element %d of %d in row %d", op, d, on, i, first, r)
				}
			}
			require.Equal(t, []uint64{guard, guard, guard}, []uint64{work[n], spare[n], out.mem[len(out.mem)-1]})
			if apart > 1 {
				require.Equal(t, byte(guard&255), *(*byte)(unsafe.Add(out.at(0, 0), out.size)), "between elements")
			}
		}
	})
}

// guard is what memory has that no kernel may change.
const guard = 0xa5a5a5a5a5a5a5a5

// stored is rows of elements in memory, and a word behind them.
type stored struct {
	mem                     []uint64
	from, row, across, size int
}

// drawStored returns memory for elements that are so many elements apart, and begin anywhere.
func drawStored(t *rapid.T, d ir.DType, rows, cols, apart int, back bool) *stored {
	s := &stored{size: d.Size(), across: apart * d.Size()}
	s.row = cols * s.across
	s.from = s.size * rapid.IntRange(0, 3).Draw(t, "from")
	s.mem = slices.Repeat([]uint64{guard}, (s.from+rows*s.row+7)/8+1)
	if back {
		s.from += (cols - 1) * s.across
		s.across = -s.across
	}
	return s
}

func (s *stored) at(row, col int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(&s.mem[0]), s.from+row*s.row+col*s.across)
}

var inf, nan = math.Inf(1), math.NaN()

// bytesOf returns size bytes from an address on.
func bytesOf(p unsafe.Pointer, size int) []byte { return unsafe.Slice((*byte)(p), size) }

// drawLine returns elements of a type.
func drawLine(t *rapid.T, d ir.DType, n int) []uint64 {
	few := rapid.Bool().Draw(t, "few")
	seed := rapid.Uint64().Draw(t, "seed")
	line := make([]uint64, n)
	for i := range line {
		seed = ir.Mix(seed, uint64(i))
		line[i] = ir.Wrap(d, int64(seed))
		if few {
			line[i] = ir.Wrap(d, int64(seed>>40&7))
			if ir.Floats.Has(d) { // 0, 1, infinity and NaN, of both signs
				line[i] = ir.FromFloat(d, []float64{0, 1, inf, nan}[seed>>40&3]) | seed>>50&1<<(8*d.Size()-1)
			}
		}
		if d == ir.Bool {
			line[i] &= 1
		}
	}
	switch rapid.SampledFrom([]string{"random", "rising", "falling", "pipes", "teeth", "equal"}).Draw(t, "order") {
	case "rising": // the greatest come last
		slices.Sort(line)
	case "falling":
		slices.Sort(line)
		slices.Reverse(line)
	case "pipes":
		slices.Sort(line)
		slices.Reverse(line[n/2:])
	case "teeth":
		for teeth := line; len(teeth) > 0; teeth = teeth[min(9, len(teeth)):] {
			slices.Sort(teeth[:min(9, len(teeth))])
		}
	case "equal":
		for i := range line {
			line[i] = line[0]
		}
	}
	return line
}
