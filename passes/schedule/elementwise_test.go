package schedule

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// library says which engine has a kernel: one for each test.
type library func(signature string) string

func (l library) Engine(signature string) (string, bool) {
	engine := l(signature)
	return engine, engine != ""
}

func (l library) Vector(engine string) int {
	if engine == "avx512" {
		return 64
	}
	return 32
}

// anyKernel has all kernels.
func anyKernel(string) string { return "avx2" }

// singles has the kernels that copy, and elementwise ones of one op.
func singles(signature string) string {
	if strings.Count(signature, " = ") <= 1 {
		return "avx2"
	}
	return ""
}

// units has the kernels that copy, and elementwise ones without splats.
func units(signature string) string {
	if strings.Count(signature, " = ") > 1 && strings.Contains(signature, "s") && strings.Contains(signature, "(s0") {
		return ""
	}
	head, _, _ := strings.Cut(signature, ")")
	if strings.Contains(head, " s") && strings.Count(signature, " = ") > 1 {
		return ""
	}
	return "avx2"
}

// small is a machine whose blocks, tiles and thresholds are so small that a few elements meet all of them.
func small(t *rapid.T) *tuning.Machine {
	m := tuning.Default(rapid.IntRange(1, 3).Draw(t, "workers"))
	if blocks := rapid.SampledFrom([]int{0, 0, 1, 7, 64, 1000}).Draw(t, "blocks"); blocks > 0 {
		workers := m.Workers
		m = irtest.Machine(blocks)
		m.Workers = workers
	}
	if rapid.Bool().Draw(t, "tuned") {
		return m
	}
	m.BlockElems, m.CallElems, m.LeastCallElems = 500, 300, 64
	m.PackBytes, m.NonTemporalBytes, m.TileBytes = 256, 128, 128
	m.AcrossCols, m.TransposedCols = 4, 2
	m.TransposedBytes, m.TransposedWidth = 1024, 64
	m.LeastRows, m.PieceWork = 2, 100
	m.NonTemporalFrom, m.NonTemporalWork = 64, 100
	return m
}

// randomAccess is an access of a buffer of its own: each axis may be broadcast, in any order, apart, or backwards. Or its first
// axis is the last in memory, as channels are.
func randomAccess(t *rapid.T, extents []int) (a plan.Access, size int) {
	order := rapid.Permutation(axesOf(extents)).Draw(t, "order")
	if rapid.Bool().Draw(t, "in order") {
		order = axesOf(extents)
	}
	channels := rapid.IntRange(0, 3).Draw(t, "channels") == 0
	if channels {
		order = append(axesOf(extents)[1:], 0)
	}
	a.Strides = make([]int, len(extents))
	stride := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "apart")
	lo, hi, last := 0, 0, len(extents)-1
	broadcast := rapid.IntRange(0, 2).Draw(t, "along the columns") == 0
	if channels {
		stride, broadcast = 1, false
	}
	for _, k := range slices.Backward(order) {
		if k == last && broadcast {
			continue
		}
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		switch {
		case channels || kind > 1:
			a.Strides[k] = stride
		case kind == 0:
			continue // broadcast
		default:
			a.Strides[k] = -stride
		}
		reach := a.Strides[k] * max(0, extents[k]-1)
		lo, hi = lo+min(0, reach), hi+max(0, reach)
		stride *= max(1, extents[k])
	}
	a.Offset = -lo
	return a, hi - lo + 1
}

func axesOf(extents []int) []int {
	axes := make([]int, len(extents))
	for k := range axes {
		axes[k] = k
	}
	return axes
}

// randomPlan is a plan whose second step has random operands. Its first input may be in the memory of its first output.
func randomPlan(t *rapid.T) *plan.Plan {
	rank := rapid.IntRange(2, 4).Draw(t, "rank")
	extents := make([]int, rank)
	for k, n := 0, 3000; k < rank; k++ {
		extents[k] = min(n, rapid.SampledFrom([]int{1, 2, 3, 5, 7, 8, 9, 17, 33, 64, 65, 130}).Draw(t, "extent"))
		n /= max(1, extents[k])
	}
	extents = rapid.Permutation(extents).Draw(t, "extents")
	dtype := rapid.SampledFrom([]ir.DType{ir.Int32, ir.Float32, ir.Float64, ir.Uint8, ir.Int8}).Draw(t, "dtype")
	axes := axesOf(extents) // of the output's axes in memory
	if rapid.IntRange(0, 3).Draw(t, "one column") == 0 {
		extents[rank-1], axes = 1, rapid.Permutation(axes).Draw(t, "order of the output")
	}
	dense := layout.RowMajor(extents...)
	elems, _ := layout.NumElems(extents)
	p := &plan.Plan{Name: "f"}
	add := func(b plan.Buffer) int {
		b.DType = dtype
		p.Buffers = append(p.Buffers, b)
		return len(p.Buffers) - 1
	}
	first := add(plan.Buffer{Kind: plan.ParamBuffer, Name: "p0", Shape: []int{elems}})
	copied := add(plan.Buffer{Kind: plan.TempBuffer, Shape: extents})
	step := plan.Step{In: []plan.Access{{Buffer: copied, Strides: dense.Strides}}}
	for i := range rapid.IntRange(0, 3).Draw(t, "inputs") {
		a, size := randomAccess(t, extents)
		switch {
		case !slices.ContainsFunc(a.Strides, func(s int) bool { return s != 0 }) && rapid.Bool().Draw(t, "constant"):
			a.Buffer = add(plan.Buffer{Kind: plan.ConstBuffer, Bits: 0})
		default:
			a.Buffer = add(plan.Buffer{Kind: plan.ParamBuffer, Name: "q" + string(rune('0'+i)), Index: i + 1, Shape: []int{size}})
		}
		step.In = append(step.In, a)
	}
	params := 0
	for i := range p.Buffers {
		if p.Buffers[i].Kind == plan.ParamBuffer {
			p.Buffers[i].Index, params = params, params+1
		}
	}
	body := randomBody(t, dtype, step.In)
	in := step.In
	step.In = nil
	var order []int
	step.Body, order = body.Canonical()
	for _, i := range order {
		step.In = append(step.In, in[i])
	}
	result := add(plan.Buffer{Kind: plan.ResultBuffer, Name: "y", Shape: extents})
	stored := add(plan.Buffer{Kind: plan.TempBuffer, Shape: []int{elems}})
	bytes := (elems*dtype.Size() + 63) &^ 63
	p.Arena = bytes
	if !slices.IsSorted(axes) || rapid.Bool().Draw(t, "apart") {
		p.Buffers[stored].Offset, p.Arena = bytes, 2*bytes
	}
	strides, n := make([]int, rank), 1
	for _, k := range slices.Backward(axes) {
		strides[k], n = n, n*extents[k]
	}
	step.Out = append(step.Out, plan.Output{Access: plan.Access{Buffer: stored, Strides: strides}})
	for o := 1; o < len(step.Body.Out); o++ {
		b := add(plan.Buffer{Kind: plan.ResultBuffer, Name: "z", Index: 1, Shape: extents})
		step.Out = append(step.Out, plan.Output{Access: plan.Access{Buffer: b, Strides: dense.Strides}})
	}
	for _, n := range extents {
		step.Axes = append(step.Axes, plan.Axis{Extent: n})
	}
	copyTo := func(from, to int) plan.Step {
		return plan.Step{Body: copyKernel(dtype, false), Axes: []plan.Axis{{Extent: 1}, {Extent: elems}},
			In:  []plan.Access{{Buffer: from, Strides: []int{elems, 1}}},
			Out: []plan.Output{{Access: plan.Access{Buffer: to, Strides: []int{elems, 1}}}}}
	}
	last := copyTo(stored, result)
	last.Axes, last.In[0].Strides, last.Out[0].Strides = step.Axes, strides, dense.Strides
	p.Steps = []plan.Step{copyTo(first, copied), step, last}
	return p
}

// randomBody is a body of a few ops, which reads all inputs.
func randomBody(t *rapid.T, d ir.DType, in []plan.Access) *kernel.Kernel {
	b := &kernel.Kernel{}
	for _, a := range in {
		b.In = append(b.In, kernel.Operand{DType: d, Splat: !slices.ContainsFunc(a.Strides, func(s int) bool { return s != 0 })})
	}
	last := kernel.Ref(0)
	value := func(name string) kernel.Ref { // of type d
		for {
			r := kernel.Ref(rapid.IntRange(0, len(b.In)+len(b.Body)-1).Draw(t, name))
			if b.DType(r) == d {
				return r
			}
		}
	}
	op := func(args ...kernel.Ref) {
		ops := []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul}
		if len(args) == 1 {
			ops = []ir.Op{ir.OpNeg, ir.OpAbs}
		}
		inst := kernel.Inst{Op: rapid.SampledFrom(ops).Draw(t, "op"), DType: d}
		copy(inst.Args[:], args)
		b.Body = append(b.Body, inst)
		last = kernel.Ref(len(b.In) + len(b.Body) - 1)
	}
	for i := 1; i < len(b.In); i++ {
		if rapid.Bool().Draw(t, "reversed") {
			op(kernel.Ref(i), last)
		} else {
			op(last, kernel.Ref(i))
		}
	}
	inst := func(in kernel.Inst) {
		b.Body = append(b.Body, in)
		last = kernel.Ref(len(b.In) + len(b.Body) - 1)
	}
	for range rapid.IntRange(0, 4).Draw(t, "more") {
		switch rapid.IntRange(0, 6).Draw(t, "form") {
		case 0, 1, 2:
			op(last)
			continue
		case 3: // elements of other sizes
			wide := rapid.SampledFrom([]ir.DType{ir.Int32, ir.Int64, ir.Float64}).Draw(t, "wide")
			inst(kernel.Inst{Op: ir.OpCast, DType: wide, Args: [3]kernel.Ref{last}})
			inst(kernel.Inst{Op: ir.OpAdd, DType: wide, Args: [3]kernel.Ref{last, last}})
			inst(kernel.Inst{Op: ir.OpCast, DType: d, Args: [3]kernel.Ref{last}})
			continue
		case 4:
			before := last
			inst(kernel.Inst{Op: ir.OpConst, DType: d, Bits: ir.RefCast(ir.Int64, d, [3]uint64{3})})
			op(before, last)
			continue
		}
		before := last
		op(value("left"), value("right")) // of one element a row, maybe
		op(before, last)
	}
	if len(b.Body) == 0 {
		op(last)
	}
	b.Out = []kernel.Ref{last}
	if rapid.IntRange(0, 3).Draw(t, "two outputs") == 0 {
		b.Out = append(b.Out, value("second"))
	}
	return b
}

// programOf is a plan with a draft of each step.
func programOf(p *plan.Plan, drafts []*Draft) *nest.Program {
	out := &nest.Program{Name: p.Name, Buffers: p.Buffers, Arena: p.Arena}
	for i, d := range drafts {
		d.appendTo(out, p, i)
	}
	return out
}

// TestElementwise checks that every strategy computes what the step says.
func TestElementwise(t *testing.T) {
	all := reached{}
	names := []string{"table"}
	for _, option := range []string{"nontemporal", "coalesced", "transposed", "scattered", "interleaved", "whole", "fill", "tiling"} {
		names = append(names, "elementwise/"+option)
	}
	libraries := map[string]library{"everything": anyKernel, "singles": singles, "units": units, "portable": func(string) string { return portable },
		"mixed": func(s string) string {
			if len(s)%3 == 0 {
				return portable
			}
			return "avx2"
		}}
	all.checkAll(t, names, func(t *rapid.T) {
		p := randomPlan(t)
		require.NoError(t, p.Verify(), p)
		name := rapid.SampledFrom([]string{"everything", "singles", "units", "portable", "mixed"}).Draw(t, "library")
		to := &target{Machine: small(t), lib: libraries[name], buffers: p.Buffers, read: buffersRead(p)}
		var inputs []eval.Array
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.Kind == plan.ParamBuffer {
				a := eval.Array{DType: b.DType, Shape: b.Shape}
				for k := range b.Size() {
					a.Data = append(a.Data, ir.RefCast(ir.Int64, b.DType, [3]uint64{uint64((k*37+i)%61 - 30)}))
				}
				inputs = append(inputs, a)
			}
		}
		before, why := draftBy("elementwise/whole", &target{Machine: to.Machine, lib: library(anyKernel), buffers: p.Buffers, read: to.read}, &p.Steps[0])
		require.Empty(t, why)
		after, why := draftBy("elementwise/whole", &target{Machine: to.Machine, lib: library(anyKernel), buffers: p.Buffers, read: to.read}, &p.Steps[2])
		require.Empty(t, why)
		for _, by := range offersOf(to, &p.Steps[1]) {
			d, why := by.drafted()
			if d == nil {
				require.NotEmpty(t, why)
				continue
			}
			all[by.name]++
			require.GreaterOrEqual(t, d.Choice.Cost, by.least, "%s costs less than it offered\n%s", by.name, p)
			program := programOf(p, []*Draft{before, d, after})
			require.NoError(t, eval.CheckTranslation(p, program, inputs), "%s\n%s%s", by.name, p, program)
		}
	})
}

// TestPlanesByLines: channels of bytes are taken apart by calls for whole lines of the caches, as those that begin within a
// line store parts of it.
func TestPlanesByLines(t *testing.T) {
	p := reducePlan(t, `plan f arena=0 {
  %%0 = param x 0  : u8[360,640,3]
  %%1 = result z 0 : u8[3,360,640]
  step 0 [3,230400]
    kernel (u0:u8) { t0 = copy u0; store t0 }
    %%0{1,3}+0 -> %%1{230400,1}+0
}`)
	to := &target{Machine: tuning.Default(1), lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}
	d, err := choose(to, &p.Steps[0])
	require.NoError(t, err)
	require.Equal(t, "elementwise/transposed", d.Choice.Strategy)
	require.Greater(t, d.Parts[0].Loops[0].Extent.N, d.Parts[0].Loops[0].Tile)
	require.Zero(t, d.Parts[0].Loops[0].Tile%cacheLine)
}

// BenchmarkChoose schedules a step that one kernel computes.
func BenchmarkChoose(b *testing.B) {
	p, err := plan.ParsePlan(`plan f arena=0 {
  %0 = param x 0  : f32[100,100]
  %1 = param y 1  : f32[100]
  %2 = result z 0 : f32[100,100]
  step 0 [100,100]
    kernel (u0:f32, u1:f32) { t0 = add u0 u1; t1 = mul t0 u1; store t1 }
    %0{100,1}+0 %1{0,1}+0 -> %2{100,1}+0
}
`)
	require.NoError(b, err)
	to := &target{Machine: tuning.Default(2), lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := choose(to, &p.Steps[0]); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFunctionsPastCaches: with wide vectors functions are stored past the caches by their kernel, which takes less time than
// memory; with narrow ones, and of float64, they are not.
func TestFunctionsPastCaches(t *testing.T) {
	for _, c := range []struct {
		engine, dtype, body string
		past                bool
	}{
		{"avx512", "f32", "exp u0", true}, {"avx512", "f32", "sigmoid u0", true}, {"avx512", "f32", "erfc u0", false},
		{"avx512", "f64", "exp u0", false}, {"avx2", "f32", "exp u0", false}, {"portable", "f32", "abs u0", false}, {"avx2", "f32", "abs u0", true},
	} {
		p := reducePlan(t, `plan f arena=0 {
  %%0 = param x 0  : %[1]s[8000000]
  %%1 = result z 0 : %[1]s[8000000]
  step 0 [1,8000000]
    kernel (u0:%[1]s) { t0 = %[2]s; store t0 }
    %%0{8000000,1}+0 -> %%1{8000000,1}+0
}`, c.dtype, c.body)
		tg := &target{Machine: tuning.Default(1), lib: library(func(string) string { return c.engine }), buffers: p.Buffers, read: buffersRead(p)}
		e, why := newElementwise(tg, &p.Steps[0])
		require.NotNil(t, e, why)
		one, why := e.oneKernel()
		require.NotNil(t, one, why)
		require.Equal(t, c.past, one.nonTemporal(tg), "%v", c)
		if c.past {
			d, why := draftBy("elementwise/nontemporal", tg, &p.Steps[0])
			require.NotNil(t, d, why)
			require.True(t, d.Parts[0].Items[0].Call.NonTemporal)
		}
	}
}
