package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes"
)

// TestMatmul lowers products of every form, of windows too, and checks the nests of their steps. The machine has random blocks, so that small products have
// many, with tails.
func TestMatmul(t *testing.T) {
	all := reached{}
	all.checkAll(t, []string{"panels", "no panels", "batch", "blocks of rows", "blocks of columns", "blocks of images", "chunks", "left windows", "right windows", "right chunks", "chunks for blocks", "panels that stay",
		"matmul-implicit", "matmul-implicit/left", "matmul-rows", "pack u32", "kernel (u0:f32) { t0 = copy u0; store t0 }", "transpose u32"}, func(t *rapid.T) {
		draw := rapid.SampledFrom([]func(*rapid.T) string{drawProduct, drawWindows}).Draw(t, "form of product")
		p := lowered(t, draw(t))
		m := drawMachine(t)
		for i := range p.Steps {
			s := p.Steps[i]
			if role, _ := s.Kind(); role != plan.Contract {
				continue
			}
			var of *product
			d := checkMatmul(t, p, &s, m, func(at *target, s *plan.Step) (*Draft, string) {
				of = newProduct(at, s)
				st := rapid.SampledFrom([]string{"matmul", "matmul-implicit", "matmul-implicit/left", "matmul-rows"}).Draw(t, "strategy")
				if o := offerBy(st, at, s); o.why == "" && st != "matmul" {
					all[st]++
					of = nil
					return o.draft()
				}
				require.Empty(t, of.match())
				return of.matmul()
			})
			if of == nil {
				continue
			}
			for what, is := range map[string]bool{
				"panels":            slices.ContainsFunc(s.In, func(a plan.Access) bool { return a.Panel != nil }),
				"no panels":         !slices.ContainsFunc(s.In, func(a plan.Access) bool { return a.Panel != nil }),
				"batch":             of.at.Pairs > 0,
				"blocks of rows":    of.rows.count(s.Axes) > 1,
				"blocks of columns": of.cols.count(s.Axes) > 1,
				"blocks of images":  of.cols.inner > 1 && of.cols.count(s.Axes) > 1 && of.right.packed,
				"chunks":            of.pairs > ir.DotChunk,
				"left windows":      of.left.packed,
				"right chunks":      of.chunked(),
				"chunks for blocks": of.chunked() && of.rows.count(s.Axes) > 1,
				"panels that stay":  of.stays() && !of.chunked() && of.rows.count(s.Axes) > 1,
				"right windows":     of.right.packed && of.rows.count(s.Axes) > 1,
			} {
				if is {
					all[what]++
				}
			}
			for c := range calls(d.Parts[0].Items) {
				all[c.Kernel.Signature()]++
			}
		}
	})
}

// drawProduct returns the text of a graph with a product.
func drawProduct(t *rapid.T) string {
	d := rapid.SampledFrom([]string{"f32", "f32", "f64", "i32", "i64"}).Draw(t, "type")
	m, n := rapid.IntRange(2, 40).Draw(t, "rows"), rapid.IntRange(2, 90).Draw(t, "cols")
	k := rapid.SampledFrom([]int{2, 3, 17, 255, 256, 257, 512, 700}).Draw(t, "pairs")
	form := rapid.SampledFrom([]string{
		"f(%%x: %[1]s[%[2]d,%[3]d], %%y: %[1]s[%[3]d,%[4]d]) {\n  %%0 = dot %%x, %%y : %[1]s[%[2]d,%[4]d]\n  return %%0",
		"f(%%x: %[1]s[%[3]d,%[2]d], %%y: %[1]s[%[3]d,%[4]d]) {\n  %%0 = permute %%x axes=[1,0] : %[1]s[%[2]d,%[3]d]\n  %%1 = dot %%0, %%y : %[1]s[%[2]d,%[4]d]\n  return %%1",
		"f(%%x: %[1]s[%[2]d,%[3]d], %%y: %[1]s[%[4]d,%[3]d]) {\n  %%0 = permute %%y axes=[1,0] : %[1]s[%[3]d,%[4]d]\n  %%1 = dot %%x, %%0 : %[1]s[%[2]d,%[4]d]\n  return %%1",
		"f(%%x: %[1]s[3,%[2]d,%[3]d], %%y: %[1]s[%[3]d,%[4]d]) {\n  %%0 = expand %%y : %[1]s[3,%[3]d,%[4]d]\n  %%1 = dot %%x, %%0 : %[1]s[3,%[2]d,%[4]d]\n  return %%1",
		"f(%%x: %[1]s[%[3]d], %%y: %[1]s[2,%[3]d,%[4]d]) {\n  %%0 = expand %%x : %[1]s[2,%[2]d,%[3]d]\n  %%1 = dot %%0, %%y : %[1]s[2,%[2]d,%[4]d]\n  return %%1",
	}).Draw(t, "form")
	if d == "i32" && rapid.Bool().Draw(t, "halves") {
		form = strings.ReplaceAll(form, "= dot ", "= dothalves ")
		if rapid.Bool().Draw(t, "bytes") {
			form = strings.NewReplacer("%%y: %[1]s", "%%y: i16", "expand %%y : %[1]s", "expand %%y : i16", "%%y axes=[1,0] : %[1]s", "%%y axes=[1,0] : i16", "= dothalves ", "= dotbytes ").Replace(form)
		}
	}
	return "func " + fmt.Sprintf(form, d, m, k, n) + "\n}\n"
}

// drawWindows returns the text of a graph that multiplies the windows of an image: as columns
// of the right matrix, as rows of the left one, or as rows of the left one with the
// channels last.
func drawWindows(t *rapid.T) string {
	d := rapid.SampledFrom([]string{"f32", "f64", "i32"}).Draw(t, "type")
	c, m := rapid.SampledFrom([]int{1, 2, 9, 30}).Draw(t, "channels"), rapid.IntRange(2, 30).Draw(t, "maps")
	size, step, dilation := rapid.IntRange(2, 3).Draw(t, "size"), rapid.IntRange(1, 2).Draw(t, "step"), rapid.IntRange(1, 2).Draw(t, "dilation")
	h, w := rapid.IntRange(6, 12).Draw(t, "height"), rapid.IntRange(6, 30).Draw(t, "width")
	lines, columns := (h-1-(size-1)*dilation)/step+1, (w-1-(size-1)*dilation)/step+1
	pairs, windows := c*size*size, lines*columns
	form := rapid.SampledFrom([]struct{ x, w, channels, order, dot string }{
		{"%[1]s[%[2]d,%[3]d,%[4]d]", "%[1]s[%[9]d,%[7]d]", "[0,1,2]", "[0,3,4,1,2] : %[1]s[%[2]d,%[5]d,%[5]d,%[10]d,%[11]d]\n  %%4 = reshape %%3 : %[1]s[%[7]d,%[8]d]", "%%w, %%4 : %[1]s[%[9]d,%[8]d]"},
		{"%[1]s[%[2]d,%[3]d,%[4]d]", "%[1]s[%[7]d,%[9]d]", "[0,1,2]", "[1,2,0,3,4] : %[1]s[%[10]d,%[11]d,%[2]d,%[5]d,%[5]d]\n  %%4 = reshape %%3 : %[1]s[%[8]d,%[7]d]", "%%4, %%w : %[1]s[%[8]d,%[9]d]"},
		{"%[1]s[%[3]d,%[4]d,%[2]d]", "%[1]s[%[7]d,%[9]d]", "[2,0,1]", "[1,2,0,3,4] : %[1]s[%[10]d,%[11]d,%[2]d,%[5]d,%[5]d]\n  %%4 = reshape %%3 : %[1]s[%[8]d,%[7]d]", "%%4, %%w : %[1]s[%[8]d,%[9]d]"},
	}).Draw(t, "windows")
	text := "func f(%%x: " + form.x + ", %%w: " + form.w + ") {\n  %%0 = permute %%x axes=" + form.channels + " : %[1]s[%[2]d,%[3]d,%[4]d]\n"
	text += "  %%1 = window %%0 axis=1 size=%[5]d step=%[12]d dilation=%[6]d : %[1]s[%[2]d,%[10]d,%[4]d,%[5]d]\n"
	text += "  %%2 = window %%1 axis=2 size=%[5]d step=%[12]d dilation=%[6]d : %[1]s[%[2]d,%[10]d,%[11]d,%[5]d,%[5]d]\n"
	text += "  %%3 = permute %%2 axes=" + form.order + "\n  %%5 = dot " + form.dot + "\n  return %%5\n}\n"
	return fmt.Sprintf(text, d, c, h, w, size, dilation, pairs, windows, m, lines, columns, step)
}

// lowered returns the plan of a graph. Now and then the left rows of its products are
// moved apart, as a view of a larger array has them.
func lowered(t *rapid.T, text string) *plan.Plan {
	f, err := ir.Parse(text)
	require.NoError(t, err, text)
	p, err := passes.Lower(f, passes.Options{})
	require.NoError(t, err)
	spread := rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "spread")
	apart := rapid.SampledFrom([]int{0, 0, 1024}).Draw(t, "apart")
	for i := range p.Steps {
		s := &p.Steps[i]
		if role, k := s.Kind(); role == plan.Contract {
			left := &s.In[0]
			left.Strides = slices.Clone(left.Strides)
			for axis := range left.Strides {
				left.Strides[axis] *= spread
			}
			if apart > 0 && left.Strides[k] == 1 && s.Product().Rows == k+1 {
				left.Strides[k+1] = apart
			}
		}
	}
	return p
}

// drawMachine returns a machine with blocks of random sizes.
func drawMachine(t *rapid.T) *tuning.Machine {
	m := tuning.Default(rapid.IntRange(1, 4).Draw(t, "workers"))
	m.SetVector(rapid.SampledFrom([]int{32, 64}).Draw(t, "vector"))
	m.Matmul.FewRows, m.Matmul.FewRowsBytes, m.Matmul.FewRowsLeast = 40, 128, 64
	m.Matmul.ChunkBytes = rapid.SampledFrom([]int{1 << 10, 1 << 16, m.Matmul.ChunkBytes}).Draw(t, "packed bytes")
	if rapid.Bool().Draw(t, "small blocks") {
		m.Matmul.LeftBytes = ir.DotChunk * 8 * rapid.IntRange(1, 9).Draw(t, "block rows")
		m.Matmul.PassingRows = rapid.IntRange(1, 24).Draw(t, "passing rows")
		m.Matmul.Cols, m.Matmul.LeastCols = 32, 16
		m.Matmul.Windows = rapid.IntRange(1, 60).Draw(t, "windows")
		m.Matmul.PackCols = 8
	}
	if rapid.Bool().Draw(t, "right chunks") {
		m.Matmul.ChunkedBytes, m.Matmul.SetBytes = 1<<10, 64
		m.Matmul.PackRows = rapid.SampledFrom([]int{2, m.Matmul.PackRows}).Draw(t, "least rows")
		m.Matmul.PackLines = rapid.IntRange(1, 20).Draw(t, "lines")
	}
	return m
}

// checkMatmul drafts a step alone, with all that it reads as params, and checks the nest.
func checkMatmul(t *rapid.T, p *plan.Plan, s *plan.Step, m *tuning.Machine, draft func(*target, *plan.Step) (*Draft, string)) *Draft {
	accesses := []*plan.Access{&s.In[0], &s.In[1], &s.Out[0].Access}
	var buffers []plan.Buffer
	var inputs []eval.Array
	for i, a := range accesses {
		b := plan.Buffer{Kind: plan.ParamBuffer, DType: p.Buffers[a.Buffer].DType, Index: i, Name: "x"}
		n := 1 + a.Offset
		for k, axis := range s.Axes {
			last := axis.Extent - 1
			if panel := a.Panel; panel != nil && panel.Axis == k {
				n += last/panel.Size*panel.Stride + (panel.Size-1)*a.Strides[k]
			} else {
				n += last * a.Strides[k]
			}
		}
		if b.Shape = []int{n}; i == 2 {
			b.Kind, b.Index = plan.ResultBuffer, 0
		} else {
			inputs = append(inputs, irtest.Array(t, b.DType, n))
		}
		a.Buffer = i
		buffers = append(buffers, b)
	}
	d, why := draft(&target{Machine: m, lib: complete{}, buffers: buffers}, s)
	require.Empty(t, why)
	one := &plan.Plan{Name: "product", Buffers: buffers, Steps: []plan.Step{*s}}
	require.NoError(t, eval.CheckTranslation(one, programOf(one, []*Draft{d}), inputs))
	return d
}

// TestTransposedRows pins which products have blocks of 16 rows, or of a multiple, whose tiles a kernel transposes: those of
// float32, with few columns and left rows that are contiguous, by kernels of AVX-512.
func TestTransposedRows(t *testing.T) {
	for _, x := range []struct {
		dtype                     string
		vector, pairs, cols, next int
		rows                      int // of a block
	}{
		{"f32", 64, 64, 1, 1, 112},
		{"f32", 64, 64, 8, 1, 112},
		{"f32", 64, 1024, 8, 1, 16},
		{"f32", 64, 1000, 8, 1, 16}, // all chunks but the last are 16 pairs or a multiple
		{"f32", 64, 64, 9, 1, 102},  // many columns
		{"f32", 64, 1024, 9, 1, 12},
		{"f32", 64, 64, 8, 2, 102}, // the pairs of a row are apart
		{"f64", 64, 64, 4, 1, 54},
		{"f64", 64, 1024, 4, 1, 12},
		{"f32", 32, 64, 8, 1, 102}, // AVX2
		{"f32", 32, 1024, 8, 1, 12},
	} {
		p := reducePlan(t, `plan product arena=0 {
  %%0 = param x 0 : %[1]s[%[5]d]
  %%1 = param y 1 : %[1]s[%[2]d,%[3]d]
  %%2 = result z 0 : %[1]s[200,%[3]d]
  step 0 [%[2]d contract,200,%[3]d]
    kernel (u0:%[1]s, u1:%[1]s) { t0 = mul u0 u1; store t0 }
    %%0{%[4]d,%[6]d,0}+0 %%1{%[3]d,0,1}+0 -> add %%2{0,%[3]d,1}+0
}
`, x.dtype, x.pairs, x.cols, x.next, 200*x.pairs*x.next, x.pairs*x.next)
		m := tuning.Default(1)
		m.SetVector(x.vector)
		of := newProduct(&target{Machine: m, lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}, &p.Steps[0])
		require.Empty(t, of.match())
		of.blocks()
		require.Equal(t, x.rows, of.rows.most(), "%+v", x)
	}
}

// TestPackedLeftBesideChunks: left windows are packed once, so all of their rows are one block, also where chunks of the right
// rows are packed for blocks of left rows.
func TestPackedLeftBesideChunks(t *testing.T) {
	p, err := plan.ParsePlan(`plan f arena=0 {
  %0 = param x 0 : f32[324]
  %1 = param w 1 : f32[576]
  %2 = result y 0 : f32[144]
  step 0 [9 contract,2 contract,2 contract,3,3,16]
    kernel (u0:f32, u1:f32) { t0 = mul u0 u1; store t0 }
    %0{36,6,1,12,2,0}+0 %1{64,32,16,0,0,1}+0 -> add %2{0,0,0,48,16,1}+0
}
`)
	require.NoError(t, err)
	m := tuning.Default(1)
	m.Matmul.ChunkBytes, m.Matmul.LeftBytes, m.Matmul.PassingRows, m.Matmul.Cols, m.Matmul.PackCols = 1<<10, 40*ir.DotChunk, 1, 32, 8
	m.Matmul.ChunkedBytes, m.Matmul.SetBytes = 1<<10, 64
	rapid.Check(t, func(t *rapid.T) {
		s := p.Steps[0]
		checkMatmul(t, p, &s, m, func(at *target, s *plan.Step) (*Draft, string) {
			of := newProduct(at, s)
			require.Empty(t, of.match())
			d, why := of.matmul()
			require.True(t, of.chunked() && of.left.packed)
			return d, why
		})
	})
}
