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

// TestLeaves compares walks on every engine with the definition: through trees of any shape, with rows, nodes and roots side by side or
// apart, one table for all rows or one for each, and errors of children, features and walks without an end.
func TestLeaves(t *testing.T) {
	kernels := slices.DeleteFunc(kernel.LineKernels(), func(m *kernel.Micro) bool { return m.Kind != kernel.Leaves })
	require.Len(t, kernels, 2)
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(kernels).Draw(t, "kernel")
		d, size := m.Type, m.Type.Size()
		seed := rapid.Uint64().Draw(t, "seed")
		number := func(i, n int) int64 { return int64(ir.Mix(seed, uint64(i)) % uint64(n)) }
		features, count := rapid.IntRange(1, 9).Draw(t, "features"), rapid.OneOf(rapid.IntRange(1, 200), rapid.IntRange(1000, 2000)).Draw(t, "nodes")
		rows, roots := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(500, 600)).Draw(t, "rows"), rapid.IntRange(0, 40).Draw(t, "roots")
		lay := func(name string, n, size int) (mem []byte, step, across int) {
			across = size * rapid.SampledFrom([]int{1, 1, 2}).Draw(t, name+" apart")
			step = n*across + size*rapid.SampledFrom([]int{0, 0, 3}).Draw(t, name+" gap")
			return make([]byte, rows*step+n*across+8), step, across
		}
		x, stepX, acrossX := lay("x", features, size)
		nodes, stepNodes, acrossNodes := lay("nodes", count*ir.NodeWords, size)
		at, stepAt, acrossAt := lay("roots", roots, size)
		out, stepOut, acrossOut := lay("out", roots, 8)
		if rapid.Bool().Draw(t, "one table") {
			stepNodes = 0
		}
		wrong := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "mistake")
		far := int64(1) << 32 // 0, if an index were cut to 32 bits
		if d == ir.Int32 {
			far = math.MinInt32
		}
		tables := 1
		if stepNodes > 0 {
			tables = rows
		}
		lines := make([][]uint64, max(tables, 1))
		for k := range lines {
			for i := range count {
				n := []int64{number(3*i, features), number(3*i+1, 7) - 3, int64(i)}
				if i+2 < count && number(3*i+2, 4) > 0 {
					n[2] = int64(i) + 1 + number(i+k, count-i-2) // both children are behind the node
				} else {
					n[1], _ = int64(math.MaxInt32), n
					if d == ir.Int64 {
						n[1] = math.MaxInt64
					}
				}
				switch {
				case wrong == 1 && i == count/2:
					n[0] = int64(features)
				case wrong == 2 && i == count/2:
					n[2] = int64(count)
				case wrong == 3 && i == count/2:
					n[1], n[2] = -9, int64(i)-1 // to itself, as the second child of the node before
				case wrong == 5 && i == count/2:
					n[0] = far
				case wrong == 6 && i == count/2:
					n[2] = far
				}
				for w, v := range n {
					lines[k] = append(lines[k], uint64(v))
					putBits(unsafe.Pointer(&nodes[k*stepNodes+(3*i+w)*acrossNodes]), size, uint64(v))
				}
			}
		}
		want := slices.Clone(out)
		var fails error
		func() {
			defer ir.CatchIndex(&fails)
			for r := range rows {
				row, starts := make([]uint64, features), make([]uint64, roots)
				for i := range row {
					row[i] = uint64(number(1000+r*features+i, 9) - 4)
					putBits(unsafe.Pointer(&x[r*stepX+i*acrossX]), size, row[i])
				}
				for i := range starts {
					starts[i] = uint64(number(5000+r*roots+i, count))
					if wrong == 4 && i == roots/2 {
						starts[i] = uint64(count)
					}
					if wrong == 7 && i == roots/2 {
						starts[i] = uint64(far)
					}
					putBits(unsafe.Pointer(&at[r*stepAt+i*acrossAt]), size, starts[i])
				}
			}
			for r := range rows {
				row, starts := make([]uint64, features), make([]uint64, roots)
				for i := range row {
					row[i] = uint64(number(1000+r*features+i, 9) - 4)
				}
				for i := range starts {
					starts[i] = uint64(number(5000+r*roots+i, count))
					if wrong == 4 && i == roots/2 {
						starts[i] = uint64(count)
					}
					if wrong == 7 && i == roots/2 {
						starts[i] = uint64(far)
					}
				}
				for c, leaf := range m.Op.Info().Line(ir.Defined, m.Op, d, [][]uint64{row, lines[min(r, len(lines)-1)], starts}) {
					putBits(unsafe.Pointer(&want[r*stepOut+c*acrossOut]), 8, leaf)
				}
			}
		}()
		work := make([]int64, kernel.LeavesWork)
		f := &abi.Frame{Rows: rows, Cols: roots}
		f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&x[0]), unsafe.Pointer(&nodes[0]), unsafe.Pointer(&at[0])
		f.Step[0], f.Step[1], f.Step[2], f.Step[3] = stepX, stepNodes, stepAt, stepOut
		f.Step[5], f.Step[6], f.Step[7], f.Step[8], f.Step[9], f.Step[10], f.Step[11] = features, acrossX, count*ir.NodeWords, acrossNodes, acrossAt, acrossOut, len(work)
		f.Ptr[4] = unsafe.Pointer(&work[0])

		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				continue
			}
			got := slices.Clone(out)
			f.Ptr[3] = unsafe.Pointer(&got[0])
			var failed error
			func() {
				defer ir.CatchIndex(&failed)
				fn(f)
			}()
			require.Equal(t, fails == nil, failed == nil, "%s %s: %v, %v", e, m.Signature(), fails, failed)
			if fails == nil {
				require.Equal(t, want, got, "%s %s", e, m.Signature())
			}
		}
	})
}
