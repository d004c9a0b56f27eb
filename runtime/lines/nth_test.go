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

// TestNth compares elements selected from short and long lines with the definition, on every engine: random bits of every
// type, of which few differ in some lines and many are NaNs, infinities and zeros of both signs in others, side by side or
// at a distance, at any number of places. With little scratch memory a line is a long one.
func TestNth(t *testing.T) {
	types := kernel.Nth.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(types).Draw(t, "type")
		m := &kernel.Micro{Kind: kernel.Nth, Type: d}
		n := rapid.OneOf(rapid.IntRange(1, 2*insertionTo+1), rapid.IntRange(1, 3000)).Draw(t, "elements")
		words := rapid.OneOf(rapid.Just(n), rapid.IntRange(min(n, 4*nthAtOnce), 4*n)).Draw(t, "words")
		cols := rapid.IntRange(0, nthAtOnce+3).Draw(t, "places")
		rows, apart, back := rapid.IntRange(1, 3).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "apart"), rapid.Bool().Draw(t, "back")
		in, at := drawStored(t, d, rows, n, apart, back), drawStored(t, ir.Int64, rows, cols, apart, back)
		var lines, places [][]uint64
		for r := range rows {
			lines, places = append(lines, drawLine(t, d, n)), append(places, nil)
			for i, e := range lines[r] {
				putBits(in.at(r, i), in.size, e)
			}
			for c := range cols {
				place := rapid.OneOf(rapid.IntRange(0, n-1), rapid.SampledFrom([]int{-1, n, math.MinInt, math.MaxInt})).Draw(t, "place")
				places[r] = append(places[r], uint64(place))
				putBits(at.at(r, c), at.size, uint64(place))
			}
		}
		for _, on := range enginesOfSorts() {
			fn, ok := abi.Lookup(on, m.Signature())
			require.True(t, ok)
			out := drawStored(t, d, rows, cols, apart, false)
			work, spare := make([]uint64, words+1), make([]uint64, words+1)
			work[words], spare[words] = guard, guard
			f := &abi.Frame{Rows: rows, Cols: cols}
			f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Ptr[3], f.Ptr[4] = in.at(0, 0), at.at(0, 0), out.at(0, 0), unsafe.Pointer(&work[0]), unsafe.Pointer(&spare[0])
			f.Step[0], f.Step[1], f.Step[2], f.Step[5], f.Step[6], f.Step[7], f.Step[8], f.Step[9] = in.row, at.row, out.row, n, in.across, at.across, out.across, words
			fn(f)
			for r, line := range lines {
				for c, want := range ir.OpNth.Info().Line(ir.Defined, ir.OpNth, d, [][]uint64{line, places[r]}) {
					got := bytesOf(out.at(r, c), out.size)
					require.Equal(t, bytesOf(unsafe.Pointer(&want), out.size), got, "%s on %s: place %d of row %d", d, on, int64(places[r][c]), r)
				}
			}
			require.Equal(t, []uint64{guard, guard, guard}, []uint64{work[words], spare[words], out.mem[len(out.mem)-1]})
		}
	})
}

// TestNthOfLongLines selects from lines in shapes that samples describe badly: in order, in turns, of two values, of a few
// values far from the others.
func TestNthOfLongLines(t *testing.T) {
	const n = 150_000
	shapes := map[string]func(i int) uint64{
		"random":  func(i int) uint64 { return ir.Mix(1, uint64(i)) },
		"ordered": func(i int) uint64 { return uint64(i) },
		"turns":   func(i int) uint64 { return uint64(i%2)<<40 + uint64(i) },
		"two":     func(i int) uint64 { return ir.Mix(1, uint64(i)) % 2 },
		"one":     func(int) uint64 { return 5 },
		"far":     func(i int) uint64 { return ir.Mix(1, uint64(i)) % 3 << (ir.Mix(2, uint64(i)) % 60) },
	}
	places := []int64{0, 1, 999, n / 4, n/2 - 1, n / 2, n - 1000, n - 1}
	m := &kernel.Micro{Kind: kernel.Nth, Type: ir.Uint64}
	for name, element := range shapes {
		line := make([]uint64, n)
		for i := range line {
			line[i] = element(i)
		}
		want := slices.Sorted(slices.Values(line))
		for _, words := range []int{kernel.NthWork(n), 128} { // with few words, samples are small
			for _, on := range enginesOfSorts() {
				fn, ok := abi.Lookup(on, m.Signature())
				require.True(t, ok)
				out, work, spare := make([]uint64, len(places)), make([]uint64, words), make([]uint64, words)
				f := &abi.Frame{Rows: 1, Cols: len(places)}
				f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Ptr[3], f.Ptr[4] = unsafe.Pointer(&line[0]), unsafe.Pointer(&places[0]), unsafe.Pointer(&out[0]), unsafe.Pointer(&work[0]), unsafe.Pointer(&spare[0])
				f.Step[5], f.Step[6], f.Step[7], f.Step[8], f.Step[9] = n, 8, 8, 8, words
				fn(f)
				for i, place := range places {
					require.Equal(t, want[place], out[i], "%s on %s, %d words: place %d", name, on, words, place)
				}
				require.Zero(t, testing.AllocsPerRun(1, func() { fn(f) }), name)
			}
		}
	}
}
