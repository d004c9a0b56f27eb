package schedule

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// pixelsPlan is a plan of one step on pictures whose pixels have channels: of some of them, of an operand with elements next to
// each other, of a factor for each channel. The output is a plane, or has channels; or the channels are an axis of the step,
// before or behind those of the picture.
func pixelsPlan(t *rapid.T) *plan.Plan {
	types := []ir.DType{ir.Float32, ir.Int32, ir.Float64, ir.Uint8}
	dtype, stored := rapid.SampledFrom(types).Draw(t, "dtype"), rapid.SampledFrom(types).Draw(t, "stored")
	channels, outs := rapid.IntRange(2, kernel.MaxFactor).Draw(t, "channels"), rapid.IntRange(1, kernel.MaxFactor).Draw(t, "outputs")
	rows := rapid.SampledFrom([]int{1, 1, 2, 5}).Draw(t, "rows")
	n := rapid.SampledFrom([]int{1, 2, 7, 8, 9, 31, 64, 65, 300}).Draw(t, "columns")
	pitch := n + rapid.IntRange(0, 2).Draw(t, "gap") // of a row of the picture
	from := rapid.IntRange(0, (pitch-n)*channels).Draw(t, "from")
	p := &plan.Plan{Name: "f", Buffers: []plan.Buffer{
		{Kind: plan.ParamBuffer, Name: "x", DType: dtype, Shape: []int{rows, pitch, channels}},
		{Kind: plan.ParamBuffer, Name: "y", Index: 1, DType: dtype, Shape: []int{rows, n}},
		{Kind: plan.ParamBuffer, Name: "w", Index: 2, DType: dtype, Shape: []int{channels}},
	}}
	result := func(shape ...int) {
		p.Buffers = append(p.Buffers, plan.Buffer{Kind: plan.ResultBuffer, Name: "z", DType: stored, Shape: shape})
	}
	body, in := &kernel.Kernel{}, []plan.Access{}
	read := func(a plan.Access) kernel.Ref {
		splat := !slices.ContainsFunc(a.Strides, func(n int) bool { return n != 0 })
		in, body.In = append(in, a), append(body.In, kernel.Operand{DType: dtype, Splat: splat})
		return kernel.Ref(len(in) - 1)
	}
	s := plan.Step{}
	asAxis := rapid.SampledFrom([]string{"", "first", "last"}).Draw(t, "axis")
	switch asAxis {
	case "first":
		s.Axes = []plan.Axis{{Extent: channels}, {Extent: rows}, {Extent: n}}
		read(plan.Access{Offset: from, Strides: []int{1, pitch * channels, channels}})
		read(plan.Access{Buffer: 2, Strides: []int{1, 0, 0}})
		result(channels, rows, n)
		s.Out = []plan.Output{{Access: plan.Access{Buffer: 3, Strides: []int{rows * n, n, 1}}}}
	case "last":
		s.Axes = []plan.Axis{{Extent: rows}, {Extent: n}, {Extent: channels}}
		read(plan.Access{Offset: from, Strides: []int{pitch * channels, channels, 1}})
		read(plan.Access{Buffer: 1, Strides: []int{n, 1, 0}})
		read(plan.Access{Buffer: 2, Strides: []int{0, 0, 1}})
		result(rows, n, channels)
		s.Out = []plan.Output{{Access: plan.Access{Buffer: 3, Strides: []int{n * channels, channels, 1}}}}
	default:
		s.Axes = []plan.Axis{{Extent: rows}, {Extent: n}, {Extent: 1}}
		for i := range channels {
			if rapid.IntRange(0, 2).Draw(t, "read") > 0 || len(in) == 0 && i == channels-1 {
				read(plan.Access{Offset: from + i, Strides: []int{pitch * channels, channels, 1}})
			}
		}
		if rapid.Bool().Draw(t, "unit") {
			read(plan.Access{Buffer: 1, Strides: []int{n, 1, 1}})
		}
		result(rows, n, outs)
		for o := range outs {
			s.Out = append(s.Out, plan.Output{Access: plan.Access{Buffer: 3, Offset: o, Strides: []int{n * outs, outs, 1}}})
		}
	}
	value := kernel.Ref(rapid.IntRange(0, len(in)-1).Draw(t, "first"))
	for k := range s.Out {
		for _, op := range []ir.Op{ir.OpAdd, ir.OpMul}[:1+k%2] {
			for i := range in {
				body.Body = append(body.Body, kernel.Inst{Op: op, DType: dtype, Args: [3]kernel.Ref{value, kernel.Ref(i)}})
				value = kernel.Ref(len(in) + len(body.Body) - 1)
			}
		}
		body.Out = append(body.Out, value)
	}
	for k, r := range body.Out {
		body.Body = append(body.Body, kernel.Inst{Op: ir.OpCast, DType: stored, Args: [3]kernel.Ref{r}})
		body.Out[k] = kernel.Ref(len(in) + len(body.Body) - 1)
	}
	var order []int
	s.Body, order = body.Canonical()
	for _, i := range order {
		s.In = append(s.In, in[i])
	}
	p.Steps = []plan.Step{s}
	return p
}

// windowsPlan is a plan of one step on pictures that windows of dy by dx pixels divide: of one in the order of its rows, of one in
// the order of the windows, and of an operand with an element for each window. The output is in the order of rows.
func windowsPlan(t *rapid.T) *plan.Plan {
	rows, n := rapid.IntRange(1, 3).Draw(t, "rows"), rapid.SampledFrom([]int{1, 2, 4, 7, 8, 9, 33}).Draw(t, "columns")
	dy, dx := rapid.IntRange(1, 3).Draw(t, "dy"), rapid.IntRange(1, 3).Draw(t, "dx")
	size, image, window := rows*dy*n*dx, []int{dy * n * dx, n * dx, dx, 1}, []int{n * dy * dx, dx, dy * dx, 1}
	if rapid.Bool().Draw(t, "columns of windows first") {
		window[1], window[3] = 1, dy
	}
	body := &kernel.Kernel{}
	for _, text := range []kernel.Inst{{Op: ir.OpAdd, Args: [3]kernel.Ref{0, 1}}, {Op: ir.OpMul, Args: [3]kernel.Ref{2, 3}}} {
		text.DType = ir.Float32
		body.In, body.Body = append(body.In, kernel.Operand{DType: ir.Float32}), append(body.Body, text)
	}
	body.In, body.Out = append(body.In, kernel.Operand{DType: ir.Float32}), []kernel.Ref{4}
	return &plan.Plan{Name: "f", Buffers: []plan.Buffer{
		{Kind: plan.ParamBuffer, Name: "x", DType: ir.Float32, Shape: []int{size}},
		{Kind: plan.ParamBuffer, Name: "y", Index: 1, DType: ir.Float32, Shape: []int{size}},
		{Kind: plan.ParamBuffer, Name: "w", Index: 2, DType: ir.Float32, Shape: []int{rows * n}},
		{Kind: plan.ResultBuffer, Name: "z", DType: ir.Float32, Shape: []int{size}},
	}, Steps: []plan.Step{{
		Axes: []plan.Axis{{Extent: rows}, {Extent: dy}, {Extent: n}, {Extent: dx}}, Body: body,
		In:  []plan.Access{{Strides: image}, {Buffer: 1, Strides: window}, {Buffer: 2, Strides: []int{n, 0, 1, 0}}},
		Out: []plan.Output{{Access: plan.Access{Buffer: 3, Strides: image}}},
	}}}
}

// permutedPlan is a plan of one step on arrays whose axes are in any order, and two of which may be repeated along some.
func permutedPlan(t *rapid.T) *plan.Plan {
	s := plan.Step{Body: windowsPlan(t).Steps[0].Body}
	for range rapid.IntRange(2, 5).Draw(t, "axes") {
		s.Axes = append(s.Axes, plan.Axis{Extent: rapid.SampledFrom([]int{1, 2, 2, 3, 3, 4, 5, 8, 17}).Draw(t, "extent")})
	}
	p := &plan.Plan{Name: "f"}
	order := make([]int, len(s.Axes))
	for k := range order {
		order[k] = k
	}
	for i, name := range []string{"z", "x", "y", "w"} {
		a := plan.Access{Buffer: (i + 3) % 4, Strides: make([]int, len(order))}
		size := 1
		for _, k := range slices.Backward(order) {
			if i < 2 || rapid.IntRange(0, 3).Draw(t, "repeated") > 0 {
				a.Strides[k] = size
				size *= s.Axes[k].Extent
			}
		}
		b := plan.Buffer{Kind: plan.ParamBuffer, Name: name, Index: i - 1, DType: ir.Float32, Shape: []int{size}}
		if i == 0 {
			b.Kind, b.Index, s.Out = plan.ResultBuffer, 0, []plan.Output{{Access: a}}
		} else {
			s.In = append(s.In, a)
			s.Body.In[i-1].Splat = !slices.ContainsFunc(a.Strides, func(n int) bool { return n != 0 })
		}
		p.Buffers = append(p.Buffers, b)
		order = rapid.Permutation(order).Draw(t, "order")
	}
	p.Buffers, p.Steps = append(p.Buffers[1:], p.Buffers[0]), []plan.Step{s}
	return p
}

// TestInterleaved checks steps on pixels, on windows and on axes in any order by all strategies.
func TestInterleaved(t *testing.T) {
	defer irtest.Draws(100)() // it is cheap, and a quarter of the steps must be interleaved
	by := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]func(*rapid.T) *plan.Plan{pixelsPlan, windowsPlan, permutedPlan}).Draw(t, "of")(t)
		require.NoError(t, p.Verify(), p)
		to := &target{Machine: small(t), lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}
		var inputs []eval.Array
		for k := range 3 {
			a := eval.Array{DType: p.Buffers[k].DType, Shape: p.Buffers[k].Shape}
			for i := range p.Buffers[k].Size() {
				a.Data = append(a.Data, ir.RefCast(ir.Int64, a.DType, [3]uint64{uint64((i*37 + k) % 61)}))
			}
			inputs = append(inputs, a)
		}
		for _, one := range offersOf(to, &p.Steps[0]) {
			d, why := one.drafted()
			if one.name == "elementwise/interleaved" {
				by[d != nil]++
			}
			if d == nil {
				require.NotEmpty(t, why)
				continue
			}
			program := programOf(p, []*Draft{d})
			require.NoError(t, program.Verify(), "%s\n%s%s", one.name, p, program)
			require.NoError(t, eval.CheckTranslation(p, program, inputs), "%s\n%s%s", one.name, p, program)
		}
	})
	require.Greater(t, by[true], by[false]/4, "few steps are interleaved")
}

// TestMissingMembers checks that members that the step does not read are read with the others only if they are in memory.
func TestMissingMembers(t *testing.T) {
	for _, c := range []struct{ plan, kernel string }{
		{"%0 = param x 0 : f32[64,4]\n %1 = result y 0 : f32[64,1]\n step 0 [64,1]\n kernel (u0:f32) { t0 = neg u0; store t0 }\n %0{4,1}+3 -> %1{1,1}+0", ""},
		{"%0 = param x 0 : f32[127]\n %1 = result y 0 : f32[64,1]\n step 0 [64,1]\n kernel (u0:f32) { t0 = neg u0; store t0 }\n %0{2,1}+0 -> %1{1,1}+0", ""},
		{"%0 = param x 0 : f32[128]\n %1 = result y 0 : f32[64,1]\n step 0 [64,1]\n kernel (u0:f32) { t0 = neg u0; store t0 }\n %0{2,1}+0 -> %1{1,1}+0", "kernel ((u0 u1):f32) { t0 = neg u0; store t0 }"},
		{"%0 = param x 0 : f32[128]\n %1 = result y 0 : f32[64,1]\n step 0 [64,1]\n kernel (u0:f32) { t0 = neg u0; store t0 }\n %0{2,1}+1 -> %1{1,1}+0", "kernel ((u0 u1):f32) { t0 = neg u1; store t0 }"},
		{"%0 = param x 0 : f16[128]\n %1 = result y 0 : f16[64,1]\n step 0 [64,1]\n kernel (u0:f16) { t0 = neg u0; store t0 }\n %0{2,1}+1 -> %1{1,1}+0", ""},
	} {
		p, err := plan.ParsePlan("plan p arena=0 {\n" + c.plan + "\n}\n")
		require.NoError(t, err)
		require.NoError(t, p.Verify())
		to := &target{Machine: tuning.Default(1), lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}
		d, why := draftBy("elementwise/interleaved", to, &p.Steps[0])
		if c.kernel == "" {
			require.Nil(t, d)
			require.NotEmpty(t, why)
			continue
		}
		require.NotNil(t, d, why)
		require.Equal(t, c.kernel, d.Choice.Kernel)
	}
}

// TestUnrolledWindows: the derivative of a pool computes all elements of a window together, whose rows and columns are two axes.
func TestUnrolledWindows(t *testing.T) {
	p, err := plan.ParsePlan(`plan pool arena=0 {
  %0 = param x 0   : f32[2048,4,4,2,2]
  %1 = param m 1   : f32[2048,4,4]
  %2 = result "" 0 : f32[2048,8,8]
  step 0 [2048,4,2,4,2]
    kernel (u0:f32, u1:f32) { t0 = eq u0 u1; t1 = cast:f32 t0; store t1 }
    %0{64,16,1,4,2}+0 %1{16,4,0,1,0}+0 -> %2{64,16,8,2,1}+0
}
`)
	require.NoError(t, err)
	out, err := Schedule(p, tuning.Default(1), complete{}, Options{})
	require.NoError(t, err)
	choice := out.Tasks[0].Choices[0]
	require.Equal(t, "elementwise/interleaved", choice.Strategy)
	require.Equal(t, "kernel (u0:f32, (u1 u2 u3 u4):f32) { t0 = eq u0 u1; t1 = cast:f32 t0; t2 = eq u0 u3; t3 = cast:f32 t2; t4 = eq u0 u2; t5 = cast:f32 t4; t6 = eq u0 u4; t7 = cast:f32 t6; store (t1 t3) (t5 t7) }", choice.Kernel)
}

// TestUnrolledChoices has steps that can be unrolled along several axes: the cheapest choice is taken, and one that makes no groups hides no
// other.
func TestUnrolledChoices(t *testing.T) {
	for _, c := range []struct{ x, y, w, step, kernel string }{
		{"8", "8", "8", "step 0 [4,2]\n%s\n %%0{2,1}+0 %%1{2,1}+0 %%2{1,4}+0 -> %%3{2,1}+0", "kernel (u0:f32, u1:f32, (u2 u3 u4 u5):f32, u6:f32, u7:f32, u8:f32, u9:f32, u10:f32, u11:f32) { t0 = add u0 u1; t1 = mul t0 u2; t2 = add u6 u7; t3 = mul t2 u3; t4 = add u8 u9; t5 = mul t4 u4; t6 = add u10 u11; t7 = mul u5 t6; store t1 t3 t5 t7 }"},
		{"204", "34", "12", "step 0 [17,3,2,2]\n%s\n %%0{12,1,6,3}+0 %%1{1,0,0,17}+0 %%2{0,2,6,1}+0 -> %%3{12,4,2,1}+0", "kernel ((u0 u1 u2):f32, u3:f32, u4:f32, u5:f32, u6:f32) { t0 = add u0 u3; t1 = mul u4 t0; t2 = add u1 u3; t3 = mul u5 t2; t4 = add u2 u3; t5 = mul t4 u6; store t1 t3 t5 }"},
	} {
		p, err := plan.ParsePlan(fmt.Sprintf("plan p arena=0 {\n %%0 = param x 0 : f32[%s]\n %%1 = param y 1 : f32[%s]\n %%2 = param w 2 : f32[%s]\n %%3 = result z 0 : f32[%s]\n ", c.x, c.y, c.w, c.x) +
			fmt.Sprintf(c.step, "kernel (u0:f32, u1:f32, u2:f32) { t0 = add u0 u1; t1 = mul u2 t0; store t1 }") + "\n}\n")
		require.NoError(t, err)
		require.NoError(t, p.Verify())
		to := &target{Machine: tuning.Default(1), lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}
		d, why := draftBy("elementwise/interleaved", to, &p.Steps[0])
		require.NotNil(t, d, why)
		require.Equal(t, c.kernel, d.Choice.Kernel)
	}
}

// TestRoomForMembers: steps that differ only in what their operands' buffers have behind the elements have drafts of their own,
// as missing members are read if the buffer has them.
func TestRoomForMembers(t *testing.T) {
	p, err := plan.ParsePlan(`plan room arena=0 {
  %0 = param x 0   : f32[200000]
  %1 = param y 1   : f32[199999]
  %2 = result "" 0 : f32[1,100000]
  %3 = result "" 1 : f32[1,100000]
  step 0 [1,100000]
    kernel (u0:f32) { t0 = neg u0; store t0 }
    %0{0,2}+0 -> %2{100000,1}+0
  step 1 [1,100000]
    kernel (u0:f32) { t0 = neg u0; store t0 }
    %1{0,2}+0 -> %3{100000,1}+0
}
`)
	require.NoError(t, err)
	out, err := Schedule(p, tuning.Default(2), complete{}, Options{})
	require.NoError(t, err)
	require.Equal(t, "elementwise/interleaved", out.Tasks[0].Choices[0].Strategy)
	require.NotEqual(t, "elementwise/interleaved", out.Tasks[1].Choices[0].Strategy)
}
