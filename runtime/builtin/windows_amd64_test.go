//go:build amd64 && !purego

package builtin_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestWindows calls kernels of windows with the lines of one array, which they compute several rows at a
// time, and compares the elements with those of calls of one row, which they compute as any operands.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		lines, width int
		summed       bool
		epilogue     []string
	}{
		{3, 3, false, nil}, {3, 3, false, []string{"add"}}, {3, 3, false, []string{"add", "max"}}, {3, 3, false, []string{"add", "max", "min"}},
		{1, 5, false, nil}, {1, 5, true, nil}, {2, 5, true, nil}, {1, 7, false, nil}, {1, 7, true, nil},
	} {
		k := windowKernel(t, c.lines*c.width, c.summed, c.epilogue)
		for e := abi.AVX2; e <= abi.Best(); e++ {
			fn, ok := abi.Lookup(e, k.Signature())
			require.True(t, ok, k.Signature())
			for range 300 {
				w := newWindows(rng, k, c.lines, c.width)
				want, got := w.call(fn, 1), w.call(fn, w.rows)
				require.Equal(t, want, got, "%s: %d rows of %d columns, %d apart", k.Signature(), w.rows, w.cols, w.step)
			}
		}
	}
}

// windowKernel returns the kernel of a chain of products.
func windowKernel(t *testing.T, taps int, summed bool, epilogue []string) *kernel.Kernel {
	var in, body []string
	add := func(class string) string {
		in = append(in, fmt.Sprintf("%s%d:f32", class, len(in)))
		return strings.TrimSuffix(in[len(in)-1], ":f32")
	}
	for i := range taps {
		x, w := add("u"), add("s")
		switch {
		case i > 0:
			body = append(body, fmt.Sprintf("t%d = fma %s %s t%d", i, x, w, i-1))
		case summed:
			body = append(body, fmt.Sprintf("t0 = fma %s %s %s", x, w, add("u")))
		default:
			body = append(body, fmt.Sprintf("t0 = mul %s %s", x, w))
		}
	}
	for _, op := range epilogue {
		body = append(body, fmt.Sprintf("t%d = %s t%d %s", len(body), op, len(body)-1, add("s")))
	}
	k, err := kernel.ParseKernel(fmt.Sprintf("kernel (%s) { %s; store t%d }", strings.Join(in, ", "), strings.Join(body, "; "), len(body)-1))
	require.NoError(t, err)
	k, _ = k.Canonical()
	return k
}

// windows is a call of such a kernel.
type windows struct {
	rows, cols, step, outStep, sumStep int
	from                               int       // of the lines
	memory                             []float32 // of lines, then of the sums, the splats and the output
	sums, splats, out                  int
	at, steps                          [abi.MaxOperands]int
}

// newWindows draws the sizes and the elements. The output begins where the last line ends, or is before the
// first one.
func newWindows(rng *rand.Rand, k *kernel.Kernel, lines, width int) *windows {
	w := &windows{rows: 1 + rng.IntN(14), cols: 1 + rng.IntN(40)}
	if rng.IntN(3) == 0 {
		w.rows, w.cols = 4+w.rows&^3, 8+w.cols&^7 // whole blocks
	}
	w.step, w.outStep, w.sumStep = w.cols+width-1+rng.IntN(3), w.cols+rng.IntN(2), w.cols+rng.IntN(2)
	array := (w.rows+lines-2)*w.step + w.cols + width - 1
	first := rng.IntN(8)
	w.sums = first + w.rows*w.outStep + array
	w.splats = w.sums + w.rows*w.sumStep
	w.memory = make([]float32, w.splats+len(k.In)+w.rows*w.outStep)
	for i := range w.memory {
		w.memory[i] = []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.NaN()), 1e-38}[rng.IntN(5)]
		if rng.IntN(20) > 0 {
			w.memory[i] = rng.Float32()*2 - 1
		}
	}
	w.from = first + w.rows*w.outStep
	w.out = first
	if rng.IntN(2) == 0 {
		w.from, w.out = first, first+array
	}
	taps := 0
	for i, in := range k.In {
		switch {
		case in.Splat:
			w.at[i] = w.splats + i
		case k.Body[0].Args[2] == kernel.Ref(i) && i > 0:
			w.at[i], w.steps[i] = w.sums, w.sumStep
		default:
			w.at[i], w.steps[i] = w.from+taps/width*w.step+taps%width, w.step
			taps++
		}
	}
	if rng.IntN(3) == 0 && k.Body[0].Op == ir.OpFMA { // the sums in their place
		w.out, w.outStep = w.sums, w.sumStep
	}
	w.at[len(k.In)], w.steps[len(k.In)] = w.out, w.outStep
	return w
}

// call computes the rows, so many at a time, and returns the bits of the memory.
func (w *windows) call(fn func(*abi.Frame), rows int) []uint32 {
	memory := append([]float32(nil), w.memory...)
	for r := 0; r < w.rows; r += rows {
		f := &abi.Frame{Rows: rows, Cols: w.cols}
		for i := range w.at {
			f.Ptr[i], f.Step[i] = unsafe.Pointer(&memory[w.at[i]+r*w.steps[i]]), 4*w.steps[i]
		}
		fn(f)
	}
	bits := make([]uint32, len(memory))
	for i, x := range memory {
		bits[i] = math.Float32bits(x)
	}
	return bits
}
