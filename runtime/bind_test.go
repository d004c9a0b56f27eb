package runtime

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// differencePlan is result[i] = x[i] - y[n-1-i], twice: a result each for x-y
// and for y-x.
func differencePlan(n int) *plan.Plan {
	var m planMaker
	x, y := m.param(f32, n), m.param(f32, n)
	forward, back := access(x, 0, 0, 1), access(y, n-1, 0, -1)
	m.step(addKernel(unit(f32), unit(f32)), []int{1, n}, 1, 4096, forward, back, access(m.result(f32, n), 0, 0, 1))
	m.step(addKernel(unit(f32), unit(f32)), []int{1, n}, 1, 4096, back, forward, access(m.result(f32, n), 0, 0, 1))
	return &m.plan
}

// Outs that share memory with ins or with each other are right all the same.
func TestOverlap(t *testing.T) {
	const n = 1000
	l, err := (&Executor{}).Link(differencePlan(n))
	require.NoError(t, err)
	data := make([]float32, 4*n)
	at := func(offset int) *tensor.Tensor {
		x := tensor.OfLayout(data, layout.Layout{Shape: []int{n}, Strides: []int{1}, Offset: offset})
		require.NoError(t, x.Err())
		return x
	}
	for _, c := range []struct {
		name       string
		x, y, o, p int // offsets
	}{
		{"apart", 0, n, 2 * n, 3 * n},
		{"out is in", 0, n, 0, n},
		{"outs are ins, crossed", 0, n, n, 0},
		{"ins are one", 0, 0, 0, n},
		{"shifted", 10, n + 10, 0, 2*n + 5},
		{"last byte", 0, n, n - 1, 3 * n},
		{"neighbours", n, 2 * n, 0, 3 * n},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range data {
				data[i] = float32(i%17) * float32(i%5)
			}
			wantO, wantP := make([]float32, n), make([]float32, n)
			for i := range n {
				wantO[i] = data[c.x+i] - data[c.y+n-1-i]
				wantP[i] = data[c.y+n-1-i] - data[c.x+i]
			}
			err := l.Run(context.Background(), []*tensor.Tensor{at(c.o), at(c.p)}, []*tensor.Tensor{at(c.x), at(c.y)})
			require.NoError(t, err)
			require.Equal(t, wantO, data[c.o:c.o+n])
			require.Equal(t, wantP, data[c.p:c.p+n])
		})
	}
	t.Run("outs are one: the later stays", func(t *testing.T) {
		want := data[0] - data[n+n-1]
		require.NoError(t, l.Run(context.Background(), []*tensor.Tensor{at(2 * n), at(2 * n)}, []*tensor.Tensor{at(0), at(n)}))
		require.Equal(t, -want, data[2*n])
	})
}

func TestRunChecksTensors(t *testing.T) {
	l, err := (&Executor{}).Link(differencePlan(8))
	require.NoError(t, err)
	zeros := func(dt ir.DType, shape ...int) *tensor.Tensor {
		x := tensor.Zeros(dt, shape...)
		require.NoError(t, x.Err())
		return x
	}
	good := func() *tensor.Tensor { return zeros(f32, 8) }
	strided := tensor.OfLayout(make([]float32, 16), layout.Layout{Shape: []int{8}, Strides: []int{2}})
	require.NoError(t, strided.Err())
	for want, bad := range map[string]*tensor.Tensor{
		"nil or zero":                       nil,
		"float64[8] given for float32[8]":   zeros(ir.Float64, 8),
		"float32[9] given for float32[8]":   zeros(f32, 9),
		"float32[2,4] given for float32[8]": zeros(f32, 2, 4),
		"strides [2] given":                 strided,
	} {
		err := l.Run(context.Background(), []*tensor.Tensor{good(), good()}, []*tensor.Tensor{good(), bad})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "input 1")
		err = l.Run(context.Background(), []*tensor.Tensor{good(), bad}, []*tensor.Tensor{good(), good()})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "output 1")
	}
	err = l.Run(context.Background(), []*tensor.Tensor{good()}, []*tensor.Tensor{good(), {}})
	require.ErrorContains(t, err, "2 inputs and 1 outputs given, the plan has 2 and 2")
	require.Error(t, l.Run(context.Background(), nil, nil))
	require.NoError(t, l.Run(nil, []*tensor.Tensor{good(), good()}, []*tensor.Tensor{good(), good()})) //nolint:staticcheck
}

func TestLinkChecksPlans(t *testing.T) {
	for name, spoil := range map[string]func(p *plan.Plan){
		"no kernel":            func(p *plan.Plan) { p.Steps[0].Kernel = nil },
		"operands for":         func(p *plan.Plan) { p.Steps[0].Operands = p.Steps[0].Operands[:2] },
		"axes":                 func(p *plan.Plan) { p.Steps[0].Extents = []int{8} },
		"strides for":          func(p *plan.Plan) { p.Steps[0].Operands[0].Strides = []int{1} },
		"does not exist":       func(p *plan.Plan) { p.Steps[0].Operands[0].Buffer = 9 },
		"locations 1 to 8":     func(p *plan.Plan) { p.Steps[0].Operands[0].Offset = 1 },
		"locations -1 to 6":    func(p *plan.Plan) { p.Steps[0].Operands[1].Offset = 6 },
		"buffer 2 holds int32": func(p *plan.Plan) { p.Buffers[2].DType = ir.Int32 },
		"it must be 1":         func(p *plan.Plan) { p.Steps[0].Operands[2].Strides = []int{0, -1}; p.Steps[0].Operands[2].Offset = 7 },
		"the same elements":    func(p *plan.Plan) { p.Steps[0].Operands[2].Strides = []int{0, 0} },
		"a param":              func(p *plan.Plan) { p.Steps[0].Operands[2].Buffer = 0 },
		"blocks of 0 x":        func(p *plan.Plan) { p.Steps[0].Rows = 0 },
		"negative":             func(p *plan.Plan) { p.Buffers[1].Shape = []int{-8} },
		"index 1 among":        func(p *plan.Plan) { p.Buffers[0].Index = 1 },
		"of index 1":           func(p *plan.Plan) { p.Buffers[1].Index = 2 },
		"no kernels yet":       func(p *plan.Plan) { p.Buffers[0].DType = ir.BFloat16 },
		"do not fit an arena": func(p *plan.Plan) {
			p.Buffers = append(p.Buffers, plan.Buffer{Kind: plan.TempBuffer, DType: f32, Shape: []int{8}})
		},
		"pass": func(p *plan.Plan) {
			p.Buffers = append(p.Buffers, plan.Buffer{Kind: plan.TempBuffer, DType: f32, Shape: []int{math.MaxInt}})
		},
		"rank": func(p *plan.Plan) { p.Buffers[0].At = &layout.Layout{} },
	} {
		p := differencePlan(8)
		spoil(p)
		_, err := (&Executor{}).Link(p)
		require.ErrorContains(t, err, name)
	}
	_, err := (&Executor{}).Link(nil)
	require.Error(t, err)
}

func TestArenaTooLarge(t *testing.T) {
	p := differencePlan(8)
	p.Arena = math.MaxInt / 4
	l, err := (&Executor{}).Link(p)
	require.NoError(t, err)
	outs, ins := operandsFor(t, newRand(), p)
	require.ErrorContains(t, l.Run(context.Background(), outs, ins), fmt.Sprint(math.MaxInt/4, " bytes"))
}

// The outs that move are those that meet another tensor, as each against each finds.
func TestFindMoves(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var st state
		for k := range 1 + rnd.IntN(12) {
			first := uintptr(1 + rnd.IntN(60))
			st.reach = append(st.reach, reach{first, first + uintptr(1+rnd.IntN(8)), max(-1, k-rnd.IntN(12))})
		}
		for k := range st.reach { // outs differ
			if st.reach[k].out >= 0 {
				st.reach[k].out = k
			}
		}
		var want []spareOut
		for i, a := range st.reach {
			meets := false
			for j, b := range st.reach {
				meets = meets || i != j && a.first < b.end && b.first < a.end
			}
			if a.out >= 0 && meets {
				want = append(want, spareOut{out: a.out})
			}
		}
		all := fmt.Sprint(st.reach)
		st.findMoves()
		require.Equal(t, want, st.moves, all)
	}
}
