package runtime_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestLinkErrors has nests that can't be linked, each for one reason.
func TestLinkErrors(t *testing.T) {
	_, err := (&runtime.Executor{}).Link(nil)
	require.ErrorContains(t, err, "nil")
	_, err = (&runtime.Executor{Tuning: &tuning.Machine{Workers: 2}}).Link(subNest(30, 40, 7, 16, unit, 0, 40, 1))
	require.ErrorContains(t, err, "begin with tuning.Default")
	unknown, err := kernel.ParseKernel("kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = atan2 t0 u0; t2 = pow t1 u1; store t2 }")
	require.NoError(t, err)
	for want, change := range map[string]func(t *nest.Task, c *nest.Call){
		"no slot 9":             func(_ *nest.Task, c *nest.Call) { c.Args[0].Slot = 9 },
		"no buffer 5":           func(t *nest.Task, _ *nest.Call) { t.Slots[0].Buffer = 5 },
		"no memory of i32":      func(t *nest.Task, _ *nest.Call) { t.Slots[0].DType = ir.Int32 },
		"1 strides in 2 loops":  func(_ *nest.Task, c *nest.Call) { c.Args[0].Strides = []int{1} },
		"no element 1200":       func(_ *nest.Task, c *nest.Call) { c.Args[0].Offset = 1200 },
		"no element -1":         func(_ *nest.Task, c *nest.Call) { c.Args[2].Offset = -1 },
		"2 arguments, want 3":   func(_ *nest.Task, c *nest.Call) { c.Args = c.Args[:2] },
		"1 fields, want 0":      func(_ *nest.Task, c *nest.Call) { c.Fields = []nest.Size{nest.Fixed(1)} },
		"loop 2 does not":       func(_ *nest.Task, c *nest.Call) { c.Rows = nest.Of(2) },
		"in tiles of 0":         func(t *nest.Task, _ *nest.Call) { t.Parts[0].Loops[1].Tile = 0 },
		"neither a call nor":    func(t *nest.Task, _ *nest.Call) { t.Parts[0].Items = append(t.Parts[0].Items, nest.Item{}) },
		"no kernel is register": func(_ *nest.Task, c *nest.Call) { c.Kernel = unknown },
		"kind 9":                func(t *nest.Task, _ *nest.Call) { t.Slots[0].Kind = 9 },
		"in 64 bytes of scratch": func(t *nest.Task, _ *nest.Call) {
			t.Scratch, t.Slots = 64, append(t.Slots, scratchSlot(17))
		},
		"scratch of -64": func(t *nest.Task, _ *nest.Call) { t.Scratch = -64 },
		"table of 0": func(t *nest.Task, _ *nest.Call) {
			t.Slots = append(t.Slots, nest.Slot{Kind: nest.Table, DType: f32})
		},
	} {
		p := subNest(30, 40, 7, 16, unit, 0, 40, 1)
		change(&p.Tasks[0], p.Tasks[0].Parts[0].Items[0].Call)
		_, err := (&runtime.Executor{}).Link(p)
		require.ErrorContains(t, err, strings.ReplaceAll(want, "i32", ir.Int32.String()))
	}
}

// TestLinkChangedKernel links calls of a kernel that lost an output once it had a signature, so that the signature
// names a kernel of two. A call of one output is an error, be it linked before or after one of two.
func TestLinkChangedKernel(t *testing.T) {
	sig := "kernel (u0:f32, u1:f32) { t0 = fmod u0 u1; t1 = atan2 t0 u1; store t1 t1 }"
	abi.Register(abi.ABI2, abi.Portable, []abi.Kernel{{Sig: sig, Fn: runtime.Defined(sig)}})
	k, err := kernel.ParseKernel(sig)
	require.NoError(t, err)
	two, _ := k.Canonical()
	changed := *two
	defer func() { *two = changed }()
	link := func(outputs int) error {
		two.Out = changed.Out[:outputs]
		p := subNest(30, 40, 7, 16, unit, 0, 40, 1)
		c := p.Tasks[0].Parts[0].Items[0].Call
		c.Kernel = two
		for range outputs - 1 {
			c.Args = append(c.Args, c.Args[len(c.Args)-1])
		}
		_, err := (&runtime.Executor{}).Link(p)
		return err
	}
	require.ErrorContains(t, link(1), "the kernel was changed in place")
	require.NoError(t, link(2))
	require.ErrorContains(t, link(1), "3 arguments, want 4")
}

// TestLinkBuffers has buffers that there can't be.
func TestLinkBuffers(t *testing.T) {
	for want, change := range map[string]func(b []plan.Buffer) []plan.Buffer{
		"negative":       func(b []plan.Buffer) []plan.Buffer { b[1].Shape = []int{-8}; return b },
		"index 1 among":  func(b []plan.Buffer) []plan.Buffer { b[0].Index = 1; return b },
		"index 2 among":  func(b []plan.Buffer) []plan.Buffer { b[1].Index = 2; return b },
		"does not exist": func(b []plan.Buffer) []plan.Buffer { b[0].DType = 200; return b },
		"rank":           func(b []plan.Buffer) []plan.Buffer { b[0].At = &layout.Layout{}; return b },
		"is not of shape": func(b []plan.Buffer) []plan.Buffer {
			b[0].At = &layout.Layout{Shape: []int{3}, Strides: []int{1}}
			return b
		},
		"do not fit an arena": func(b []plan.Buffer) []plan.Buffer {
			return append(b, plan.Buffer{Kind: plan.TempBuffer, DType: f32, Shape: []int{8}})
		},
		"pass": func(b []plan.Buffer) []plan.Buffer {
			return append(b, plan.Buffer{Kind: plan.TempBuffer, DType: f32, Shape: []int{math.MaxInt}})
		},
		"no table": func(b []plan.Buffer) []plan.Buffer {
			return append(b, plan.Buffer{Kind: plan.IotaBuffer, DType: ir.Int32, Shape: []int{math.MaxInt / 16}})
		},
		"numbers of type float32": func(b []plan.Buffer) []plan.Buffer {
			return append(b, plan.Buffer{Kind: plan.IotaBuffer, DType: f32, Shape: []int{4}})
		},
	} {
		if want == "no table" && strconv.IntSize == 32 {
			continue // as many int32 as there are ints
		}
		p := subNest(2, 4, 2, 4, unit, 0, 4, 1)
		p.Buffers = change(p.Buffers)
		_, err := (&runtime.Executor{}).Link(p)
		require.ErrorContains(t, err, want)
	}
}
