//go:build amd64 && !purego

package builtin_test

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestExtremesOfZerosAndNaN finds the least and the greatest of rows that are all alike but for one element, in each place
// of rows of each length up to more than two steps of a kernel: zeros of both signs, and NaN.
func TestExtremesOfZerosAndNaN(t *testing.T) {
	zero, negative := 0.0, math.Copysign(0, -1)
	pairs := [][2]float64{{negative, zero}, {zero, negative}, {-1, zero}, {-1, negative}, {1, zero}, {1, negative}, {-1, math.NaN()}, {zero, math.NaN()}, {math.Inf(-1), 3}, {math.Inf(1), 3}}
	for _, text := range []string{
		"reduce [max] kernel (u0:T) { store u0 }", "reduce [min] kernel (u0:T) { store u0 }", "reduce [min, max] kernel (u0:T) { store u0 u0 }",
		"reduce [max, max] kernel (u0:T, u1:T) { store u0 u1 }", "reduce [min, min, min, min] kernel (u0:T, u1:T, u2:T, u3:T) { store u0 u1 u2 u3 }",
	} {
		for _, pair := range pairs {
			extremesOf[float32](t, strings.ReplaceAll(text, "T", "f32"), pair)
			extremesOf[float64](t, strings.ReplaceAll(text, "T", "f64"), pair)
		}
	}
}

func extremesOf[T float32 | float64](t *testing.T, signature string, pair [2]float64) {
	k, err := kernel.ParseCode(signature)
	require.NoError(t, err)
	m := k.(*kernel.Micro)
	rows, results := len(m.Body.In), len(m.Combine)
	const most = 150
	x, out := make([]T, rows*most), make([]T, results)
	for e := abi.AVX2; e <= abi.Best(); e++ {
		fn, ok := abi.Lookup(e, signature)
		if !ok { // for AVX2 there are all
			require.NotEqual(t, abi.AVX2, e, signature)
			continue
		}
		for n := 1; n <= most; n += 1 + n/20 {
			f := &abi.Frame{Rows: 1, Cols: n}
			for i := range rows {
				f.Ptr[i] = unsafe.Pointer(&x[i*n])
			}
			for i := range results {
				f.Ptr[rows+i] = unsafe.Pointer(&out[i])
			}
			for at := range n {
				for i := range x[:rows*n] {
					x[i] = T(pair[0])
					if i%n == at {
						x[i] = T(pair[1])
					}
				}
				fn(f)
				for r := range results {
					row := x[min(r, rows-1)*n:][:n]
					want := row[0]
					for _, v := range row {
						if m.Combine[r].String() == "min" {
							want = min(want, v)
						} else {
							want = max(want, v)
						}
					}
					same := want != want && out[r] != out[r] || want == out[r] && math.Signbit(float64(want)) == math.Signbit(float64(out[r]))
					if !same {
						t.Fatalf("%s, engine %s: result %d of %v, but %v at %d of %d: %v, want %v", signature, e, r, pair[0], pair[1], at, n, out[r], want)
					}
				}
			}
		}
	}
}
