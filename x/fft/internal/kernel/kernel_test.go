package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestSameBits compares each kernel in assembly with its Go loop, all bytes round the results included.
func TestSameBits(t *testing.T) {
	if abi.Best() < abi.AVX2 {
		t.Skip("no AVX2")
	}
	for key, f := range avx2 {
		if key.Bits == 32 {
			compare[float32](t, key, f)
		} else {
			compare[float64](t, key, f)
		}
	}
	require.Len(t, avx2, 2*(7*8+9))
}

func compare[T Element](t *testing.T, key Key, assembly func(*Frame)) {
	const length = 1 << 14
	size, lanes := key.Bits/8, Lanes[T]()
	random := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 5e-324, math.MaxFloat64}
	numbers := func() []T {
		out := make([]T, length)
		for i := range out {
			out[i] = T(random.NormFloat64())
			if random.IntN(50) == 0 {
				out[i] = T(special[random.IntN(len(special))])
			}
		}
		return out
	}
	in, inIm, table, second := numbers(), numbers(), numbers(), numbers()
	for range 20 {
		rows, cols := 1+random.IntN(4), lanes*(1+random.IntN(3))
		// Legs and rows of at most 4*3*8*2 elements, apart in any order.
		room := 2*cols + random.IntN(5)
		f := Frame{
			Rows: rows, Cols: cols,
			In: unsafe.Pointer(&in[0]), InIm: unsafe.Pointer(&inIm[0]), InLeg: room * rows * size, InRow: room * size,
			OutLeg: room * size, OutRow: room * max(1, key.Radix) * size,
			Table: unsafe.Pointer(&table[0]), Second: unsafe.Pointer(&second[0]),
		}
		switch {
		case key.Form == Divide || key.Form == Join:
			f.Rows = 1
			f.InIm = unsafe.Pointer(&inIm[1000])
		case key.Radix == 0:
			f.InLeg, f.InRow, f.OutLeg, f.OutRow = 2*room*size, 2*room*lanes*size, 2*(rows*lanes+3)*size, 2*lanes*size
		}
		var results [2][2][]T
		for i, kernel := range []func(*Frame){assembly, Portable[T](key.Radix, key.Form)} {
			results[i] = [2][]T{make([]T, length), make([]T, length)}
			for part := range 2 {
				copy(results[i][part], second) // Taps reads what it adds to
			}
			g := f
			g.Out, g.OutIm = unsafe.Pointer(&results[i][0][100]), unsafe.Pointer(&results[i][1][1000])
			kernel(&g)
			g.Out, g.OutIm = nil, nil
			require.Equal(t, f, g, "the frame is unchanged")
		}
		for part := range 2 {
			for i, v := range results[0][part] {
				w := results[1][part][i]
				if v != w && !(v != v && w != w) || math.Signbit(float64(v)) != math.Signbit(float64(w)) && v == v {
					t.Fatal(fmt.Sprintf("%+v rows %d cols %d: element %d of array %d is %v in assembly, %v in Go", key, rows, cols, i, part, v, w))
				}
			}
		}
	}
}
