package runtime_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// TestCallsOfStrategiesAreShort runs the nest of every strategy, on the best engine and on the portable
// one, with kernels that compute nothing. By the estimate no call of assembly takes longer than one may,
// and none in Go that could be divided. Kernels that are written by hand are Go functions,
// which divide their work into short calls of assembly.
func TestCallsOfStrategiesAreShort(t *testing.T) {
	files, err := filepath.Glob("../passes/schedule/testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		require.NoError(t, err)
		p, err := nest.Parse(string(a.Files[len(a.Files)-1].Data))
		require.NoError(t, err)
		for _, on := range []abi.Engine{abi.Best(), abi.Portable} {
			name, calls := strings.TrimSuffix(filepath.Base(file), ".txtar"), 0
			e := with(func(engine abi.Engine, sig string) (func(*abi.Frame), bool) {
				code, err := kernel.ParseCode(sig)
				require.NoError(t, err)
				_, has := abi.Lookup(engine, sig)
				_, some := abi.Lookup(abi.Portable, sig)
				return func(f *abi.Frame) {
					calls++
					if nanos, divides := runtime.CallNanos(engine, code, f); nanos > float64(runtime.PieceNanos) {
						m, isMicro := code.(*kernel.Micro)
						require.True(t, engine == abi.Portable || isMicro && m.Kind.Written(), "%s: %.0f ns: %s of %d x %d", name, nanos, sig, f.Rows, f.Cols)
						require.False(t, divides, "%s: %.0f ns: %s of %d x %d", name, nanos, sig, f.Rows, f.Cols)
					}
				}, has || !some // assembly, if it is of a formula
			}, &runtime.Executor{Workers: 1, Portable: on == abi.Portable})
			l, err := e.Link(p)
			require.NoError(t, err, name)
			var ins []*tensor.Tensor
			outs := 0
			for i := range p.Buffers {
				switch b := &p.Buffers[i]; b.Kind {
				case plan.ParamBuffer:
					ins = append(ins, tensor.Zeros(b.DType, b.Shape...))
				case plan.ResultBuffer:
					outs++
				}
			}
			require.NoError(t, l.RunNew(context.Background(), make([]*tensor.Tensor, outs), ins), name)
			require.NotZero(t, calls, name)
		}
	}
}
