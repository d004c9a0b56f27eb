package passes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestProducts lowers products of every form. It compares the results of each plan, counts its steps and looks for
// parts of its text.
func TestProducts(t *testing.T) {
	for _, c := range []struct {
		name, x, y, body string
		steps            int
		has              []string // parts of the plan's text
	}{
		{"small", "f32[3,5]", "f32[5,7]", "dot %x, %y : f32[3,7]", 1, nil},
		{"panels", "f32[33,300]", "f32[300,32]", "dot %x, %y : f32[33,32]", 2, []string{" panels", "into panels of 16"}},
		{"panels and a rest", "f64[33,300]", "f64[300,21]", "dot %x, %y : f64[33,21]", 3, []string{" panels", "into panels of 8"}},
		{"transposed", "f32[33,300]", "f32[41,300]", "permute %y axes=[1,0] : f32[300,41]; dot %x, %0 : f32[33,41]", 3, []string{" panels"}},
		{"left transposed", "i32[40,33]", "i32[40,130]", "permute %x axes=[1,0] : i32[33,40]; dot %0, %y : i32[33,130]", 1, nil},
		{"right transposed, small", "f32[4,9]", "f32[6,9]", "permute %y axes=[1,0] : f32[9,6]; dot %x, %0 : f32[4,6]", 2, []string{"too small to be packed"}},
		{"batch", "f32[2,3,4,5]", "f32[2,3,5,6]", "dot %x, %y : f32[2,3,4,6]", 1, nil},
		{"one right matrix", "f32[3,40,130]", "f32[130,70]", "expand %y : f32[3,130,70]; dot %x, %0 : f32[3,40,70]", 3, []string{"f32[10400]"}},
		{"one row", "f32[1,40]", "f32[40,9]", "dot %x, %y : f32[1,9]", 1, []string{"is a reduction"}},
		{"one column", "f64[2,9,2000]", "f64[2,2000,1]", "dot %x, %y : f64[2,9,1]", 2, []string{"is a reduction"}},
		{"one pair", "f32[5,1]", "f32[1,9]", "dot %x, %y : f32[5,9]", 1, []string{"elementwise"}},
		{"no pair", "f32[5,0]", "f32[0,9]", "dot %x, %y : f32[5,9]", 1, nil},
		{"epilogue", "f32[400,64]", "f32[64,10]", "dot %x, %y : f32[400,10]; tanh %0 : f32[400,10]", 2, []string{"rows first=0 last=1", "= scratch"}},
		{"epilogue of few rows", "f32[100,64]", "f32[64,10]", "dot %x, %y : f32[100,10]; tanh %0 : f32[100,10]", 2, []string{"= temp 0"}},
		{"one panel and a rest", "f32[33,600]", "f32[600,20]", "dot %x, %y : f32[33,20]", 3, []string{" panels"}},
		{"one panel and a rest of f64", "f64[33,600]", "f64[600,9]", "dot %x, %y : f64[33,9]", 3, []string{" panels"}},
		{"few rows, transposed", "f32[8,100]", "f32[90,100]", "permute %y axes=[1,0] : f32[100,90]; dot %x, %0 : f32[8,90]", 3, []string{"is the transpose of the product"}},
		{"few rows, transposed, small", "f32[8,100]", "f32[70,100]", "permute %y axes=[1,0] : f32[100,70]; dot %x, %0 : f32[8,70]", 2, []string{"too small to be packed"}},
		{"covariance", "f64[50,4]", "f64[4]", "expand %y : f64[50,4]; sub %x, %0 : f64[50,4]; permute %1 axes=[1,0] : f64[4,50]; dot %2, %1 : f64[4,4]", 2, []string{"in more ways than one"}},
		{"a cheap left, repeated", "f32[5,6]", "f32[3,6,7]", "neg %x : f32[5,6]; expand %0 : f32[3,5,6]; dot %1, %y : f32[3,5,7]", 2, []string{"or repeats it", ": f32[5,6]\n  step"}},
		{"left producer", "f32[400,64]", "f32[64,200]", "tanh %x : f32[400,64]; dot %0, %y : f32[400,200]", 4, []string{"rows first=2 last=3", "= scratch"}},
		{"right producer", "f32[40,130]", "u8[130,70]", "cast %y : f32[130,70]; mul %0, %0 : f32[130,70]; dot %x, %1 : f32[40,70]", 3, []string{"t0 = cast:f32 u0; t1 = mul t0 t0", "f32[10400]"}},
		{"right producer of few", "f32[40,130]", "f32[130]", "unsqueeze %y axes=[1] : f32[130,1]; expand %0 : f32[130,70]; exp %1 : f32[130,70]; dot %x, %2 : f32[40,70]", 3, nil},
		{"axes in another order", "f32[2,3,40,8]", "f32[2,3,8,9]", "dot %x, %y : f32[2,3,40,9]; permute %0 axes=[0,2,1,3] : f32[2,40,3,9]; reshape %1 : f32[80,27]", 1, nil},
		{"last axis elsewhere", "f32[40,8]", "f32[8,9]", "dot %x, %y : f32[40,9]; permute %0 axes=[1,0] : f32[9,40]", 2, nil},
		{"vector times matrix", "f32[1,40]", "f32[40,90]", "dot %x, %y : f32[1,90]", 1, []string{"40 reduce]"}},
		{"one right matrix of many", "f32[3,4,13]", "f32[13,70]", "expand %y : f32[3,13,70]; dot %x, %0 : f32[3,4,70]", 1, []string{"[13 contract,12,70]"}},
		{"one right matrix, of rows apart", "f32[3,4,13]", "f32[13,70]", "slice %x axis=1 begin=1 step=1 : f32[3,3,13]; expand %y : f32[3,13,70]; dot %0, %1 : f32[3,3,70]", 1, []string{"[3,13 contract,3,70]"}},
		{"windows", "f32[2,7,9]", "f32[5,12]", "window %x axis=1 size=2 step=1 dilation=1 : f32[2,6,9,2]; window %0 axis=2 size=3 step=2 dilation=1 : f32[2,6,4,2,3]; permute %1 axes=[0,3,4,1,2] : f32[2,2,3,6,4]; reshape %2 : f32[12,24]; dot %y, %3 : f32[5,24]", 1, []string{"[2 contract,2 contract,3 contract,5,6,4]"}},
		{"windows with the channels last", "f32[7,9,2]", "f32[12,5]", "permute %x axes=[2,0,1] : f32[2,7,9]; window %0 axis=1 size=2 step=1 dilation=1 : f32[2,6,9,2]; window %1 axis=2 size=3 step=1 dilation=1 : f32[2,6,7,2,3]; permute %2 axes=[1,2,0,3,4] : f32[6,7,2,2,3]; reshape %3 : f32[42,12]; dot %4, %y : f32[42,5]", 1, []string{"[2 contract,2 contract,3 contract,6,7,5]"}},
		{"windows of both, cut in other places", "f32[5,7]", "f32[6,5]", "window %x axis=0 size=2 step=1 dilation=1 : f32[4,7,2]; window %0 axis=1 size=3 step=1 dilation=1 : f32[4,5,2,3]; reshape %1 : f32[20,6]; window %y axis=0 size=3 step=1 dilation=1 : f32[4,5,3]; window %3 axis=1 size=2 step=1 dilation=1 : f32[4,4,3,2]; permute %4 axes=[2,3,0,1] : f32[3,2,4,4]; reshape %5 : f32[6,16]; dot %2, %6 : f32[20,16]", 2, []string{"a dot needs its axes"}},
		{"attention", "f32[4,100,16]", "f32[4,100,16]", "permute %y axes=[0,2,1] : f32[4,16,100]; dot %x, %0 : f32[4,100,100]; exp %1 : f32[4,100,100]; dot %2, %y : f32[4,100,16]", 4, []string{"rows first=1 last=3 outer=[4,100]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := strings.Split(c.body, ";")
			text := fmt.Sprintf("func f(%%x: %s, %%y: %s) {\n", c.x, c.y)
			for i, l := range lines {
				text += fmt.Sprintf("  %%%d = %s\n", i, strings.TrimSpace(l))
			}
			text += fmt.Sprintf("  return %%%d\n}\n", len(lines)-1)
			f, err := ir.Parse(text)
			require.NoError(t, err)
			inputs := make([]eval.Array, 2)
			for i, p := range f.Params {
				shape, _ := p.Type.Shape.Ints()
				inputs[i] = rapid.Custom(func(t *rapid.T) eval.Array { return irtest.Array(t, p.Type.DType, shape...) }).Example(i)
			}
			want, err := eval.Eval(f, inputs)
			require.NoError(t, err)
			p, err := Lower(f, Options{Verify: true})
			require.NoError(t, err)
			require.Empty(t, irtest.Diff(want, planned(t, p, inputs)), p.String())
			require.Len(t, p.Steps, c.steps, p.String())
			for _, part := range c.has {
				require.Contains(t, p.String(), part)
			}
			again, err := plan.ParsePlan(p.String())
			require.NoError(t, err)
			require.Equal(t, p.String(), again.String())
		})
	}
}
