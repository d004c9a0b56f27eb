package nest_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// TestVerifyRefuses changes one thing in a program of testdata, which Verify must then
// refuse, and say why.
func TestVerifyRefuses(t *testing.T) {
	huge := strconv.Itoa(math.MaxInt/2 + 1)
	cases := []struct{ name, program, old, new, want string }{
		{"buffer of no type", "pack", "y 0 : f32[96,100]", "y 1 : f32[96,100]", "the position is 1, want 0"},
		{"scratch buffer", "in_place", "%3 = temp 0 ", "%3 = scratch 0 ", "a program has no scratch buffers"},
		{"arena", "in_place", "arena=448", "arena=384", "within the arena's 384"},
		{"steps", "in_place", "steps=1..1", "steps=0..1", "are not behind those of the task before"},
		{"steps backwards", "in_place", "steps=1..1", "steps=1..0", "are not behind those of the task before"},
		{"choices", "pack", "steps=0..0", "steps=0..1", "1 choices"},
		{"negative scratch", "matmul", "scratch=0", "scratch=-1", "below 0"},
		{"negative arena", "pack", "arena=0", "arena=-1", "below 0"},
		{"slot of no buffer", "pack", "$1 = buffer %1", "$1 = buffer %2", "there is no such buffer"},
		{"slot of another type", "pack", "$1 = buffer %1 : f32", "$1 = buffer %1 : i32", "the buffer has f32"},
		{"slot of no type", "pack", "$1 = buffer %1 : f32", "$1 = buffer %1 : f64", "the buffer has f32"},
		{"scratch not aligned", "pack", "scratch 64 :", "scratch 32 :", "want a multiple of 64"},
		{"scratch behind the end", "pack", "scratch=14336", "scratch=14000", "within the scratch of 14000"},
		{"scratch past int", "pack", "f32[3500]", "f32[" + huge + "]", "within the scratch"},
		{"table too long", "scan", "table -0 : f32[1]", "table -0 : f32[1000000]", "a table is"},
		{"loop of no loop", "pack", "part [96/35]", "part [of(0)/35]", "the extent is of no loop round it"},
		{"tile", "pack", "part [96/35]", "part [96/0]", "the tile is below 1"},
		{"extent", "pack", "part [96/35]", "part [-96/35]", "the tile is below 1, or the extent below 0"},
		{"iterations past int", "pack", "part [96/35]", "part [" + huge + "/1, " + huge + "/1]", "the iterations pass int"},
		{"strides", "pack", "$0{35}+0/1", "$0{35,1}+0/1", "2 strides in 1 loops"},
		{"no slot", "pack", "$0{35}+0/1", "$3{35}+0/1", "there is no such slot"},
		{"rows of no loop", "pack", "rows=of(0) cols=100 across", "rows=of(1) cols=100 across", "rows=of(1) is of no loop"},
		{"negative rows", "pack", "rows=of(0) cols=100 across", "rows=-1 cols=100 across", "rows=-1 is of no loop"},
		{"row too long", "row_reduction", "cols=of(1)", "cols=2*of(1)", "the kernel takes 1 to 1024"},
		{"columns too short", "column_reduction", "part [40/20]", "part [40/39]", "cols is 1, the kernel takes 16"},
		{"part of a chunk", "row_reduction", "for [2500/1024]", "for [2500/1000]", "is not the chunks of 1024 by which the kernel combines"},
		{"kernel without such stores", "pack", "call pack u32", "call nontemporal pack u32", "the kernel does not store past the caches"},
		{"negative block", "row_group", "elems=1920", "elems=1920 block=-1", "below 0"},
		{"length", "column_reduction", "length=200", "length=0", "the kernel takes 1 to 1024"},
		{"dot columns", "matmul", "40/16]", "40/33]", "the kernel takes 0 to 32"},
		{"pairs", "matmul", "pairs=256", "pairs=257", "the kernel takes 1 to 256"},
		{"taps of a loop", "windows", "taps=3", "taps=of(1)", "its sizes do not agree with each other"},
		{"taps of the left of a loop", "left_windows", "taps=3", "taps=of(0)", "its sizes do not agree with each other"},
		{"span", "windows", "span=5", "span=4", "its sizes do not agree with each other"},
		{"span of the left", "left_windows", "span=5", "span=4", "its sizes do not agree with each other"},
		{"across of a loop", "pack", "across=384", "across=of(0)", "across changes with a loop"},
		{"across odd", "pack", "across=384", "across=382", "across=382 is not a multiple of the 4 bytes"},
		{"element type", "pack", "$2 = scratch 64 : f32[3500]", "$2 = scratch 64 : i32[3500]", "the slot has i32, the kernel f32"},
		{"element size", "pack", "$2 = scratch 64 : f32[3500]", "$2 = scratch 64 : f64[1700]", "the slot has f64, the kernel u32"},
		{"bits of a sum", "row_reduction", "$3 = scratch 128 : f64[4]", "$3 = scratch 128 : i64[4]", "the slot has i64, the kernel f64"},
		{"bytes of another size", "scan", "table -0 : f32[1]", "bytes : f32[256]", "bytes are 256 elements of one byte"},
		{"fewer bytes", "scan", "table -0 : f32[1]", "bytes : u8[1]", "bytes are 256 elements of one byte"},
		{"table stored", "scan", "/1500 $3{0}+0/1\n      call kernel (u0:f32) {", "/1500 $2{0}+0/0\n      call kernel (u0:f32) {", "read-only"},
		{"param stored", "pack", "$2{0}+0/100 -> $1{3500}+0/100", "$1{3500}+0/100 -> $0{3500}+0/100", "read-only"},
		{"outside", "pack", "$0{35}+0/1", "$0{35}+1/1", "bytes 4 to 38404 are outside the slot, which has 0 to 38400"},
		{"before", "pack", "$0{35}+0/1", "$0{35}-1/1", "bytes -4 to 38396 are outside"},
		{"last row outside", "pack", "$1{3500}+0/100", "$1{3501}+0/100", "are outside the slot"},
		{"table outside", "scan", "$2{0}+0/0 -> ", "$2{0}+0/1 -> ", "are outside the slot"},
		{"scratch outside", "row_group", "scratch 0 : f32[4]", "scratch 0 : f32[3]", "are outside the slot"},
		{"bytes outside", "stream", "cols=4*of(0)", "cols=5*of(0)", "are outside the slot"},
		{"past int", "pack", "$0{35}+0/1", "$0{" + huge + "}+0/1", "pass int"},
		{"step past int", "pack", "$0{35}+0/1", "$0{35}+0/" + huge, "pass int"},
		{"rows on each other", "pack", "$1{3500}+0/100", "$1{3500}+0/99", "one call stores two elements to one place"},
		{"transposed in place", "transpose", "$0{16,400}+0/50 -> $1", "$1{16,400}+0/50 -> $1", "it shares bytes with argument 0"},
		{"shifted in place", "in_place", "$0{32}+0/0 -> $1{32}+0/0", "$1{0}+1/0 -> $1{32}+0/0", "it shares bytes with argument 0"},
		{"shared scratch", "scan", "scratch 64 : f64[2]", "scratch 0 : f64[2]", "it shares bytes with argument"},
		{"race of iterations", "pack", "$1{3500}+0/100", "$1{0}+0/100", "parallel iterations touch what others store"},
		{"race of blocks", "pack", "$1{3500}+0/100", "$1{3400}+0/100", "parallel iterations touch what others store"},
		{"race of columns", "matmul", "$2{320,16}", "$2{320,8}", "it does not move as another argument"},
		{"race with a reader", "row_group", "$2{256}+0/0 -> $3", "$2{0}+0/0 -> $3", "it does not move as another argument"},
		{"race of parts", "transpose", "$1{0}+24/30", "$1{0}+23/30", "part 0 touches the same bytes"},
		{"stored twice", "matmul", "adds=1", "adds=0", "elements are stored a second time"},
		{"stored twice by loops", "row_reduction", "$2{0}+0/3 -> $3{0}+0/1", "$2{0}+0/3 -> $3{0}+0/0", "one call stores two elements"},
		{"scratch in part", "pack", "rows=of(0) cols=100 across", "rows=of(0) cols=99 across", "local memory is read before it is stored"},
		{"added to nothing", "matmul", "adds=0", "adds=1", "it is read before it is stored"},
		{"read before", "in_place", "$0 = buffer %2 : f32\n    $1 = buffer %3", "$0 = buffer %4 : f32\n    $1 = buffer %3", "it is read before it is stored"},
		{"read where nothing is", "in_place", "cols=100", "cols=99", "it is read before it is stored"},
		{"result missing", "transpose", "part [50/50]", "part [49/49]", "of the result are stored"},
		{"lifetimes", "in_place", "$0 = buffer %3 : f32\n    $1 = buffer %4", "$0 = buffer %2 : f32\n    $1 = buffer %4", "shares bytes with"},
	}
	all := programs(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := string(all[c.program].Files[1].Data)
			require.Contains(t, text, c.old)
			text = strings.Replace(text, c.old, c.new, 1)
			p := parse(t, text)
			require.ErrorContains(t, p.Verify(), c.want)
			irtest.RequirePlaced(t, ir.Locate(p.Verify(), text, func(s *ir.Scanner) { nest.Read(s) }))
		})
	}
}

// TestVerifyStructs checks programs that no text can say.
func TestVerifyStructs(t *testing.T) {
	require.ErrorContains(t, (*nest.Program)(nil).Verify(), "no program")
	load := func() *nest.Program { return parse(t, string(programs(t)["pack"].Files[1].Data)) }
	p := load()
	p.Tasks[0].Parts[0].Items[0].Call.Kernel = nil
	require.ErrorContains(t, p.Verify(), "there is no kernel")
	p = load()
	p.Tasks[0].Parts[0].Items[0].Call.Fields = nil
	require.ErrorContains(t, p.Verify(), "0 fields")
	p = load()
	p.Tasks[0].Parts[0].Items[0] = nest.Item{}
	require.ErrorContains(t, p.Verify(), "neither a call nor a nest")
	p = load()
	p.Tasks[0].Parts[0].Items[0].Step = 1
	require.ErrorContains(t, p.Verify(), "item 0 of part 0 is of no step of the task")
	p = load()
	p.Tasks[0].Slots[1].Kind = 7
	require.ErrorContains(t, p.Verify(), "there is no such kind of slot")
	p = load()
	inner := nest.Nest{Items: p.Tasks[0].Parts[0].Items}
	for range 100 {
		inner = nest.Nest{Items: []nest.Item{{Nest: &inner}}}
	}
	p.Tasks[0].Parts = []nest.Nest{inner}
	require.ErrorContains(t, p.Verify(), "nests in each other")
}

// TestPartsPassInt: the iterations of all parts of a task together must be an int, or
// the task would be passed over.
func TestPartsPassInt(t *testing.T) {
	text := `nest f arena=0 {
  %0 = param x 0  : f32[4]
  %1 = result y 0 : f32[4]
  task 0 steps=0..0 scratch=0 work=4 elems=4 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=1 cols=4
        $0{}+0/0 -> $1{}+0/0
    }
    part [` + strconv.Itoa(math.MaxInt) + `/1] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=1 cols=0
        $0{0}+0/0 -> $1{0}+0/0
    }
  }
}
`
	p, err := nest.Parse(text)
	require.NoError(t, err)
	require.ErrorContains(t, p.Verify(), "pass int")
}

// TestTasksOfAStep: a step may have several tasks, of which the first says what was chosen. The
// steps of a row group may not.
func TestTasksOfAStep(t *testing.T) {
	task := func(n int, steps, choice, from, to string) string {
		return fmt.Sprintf(`  task %d steps=%s scratch=0 work=4 elems=4 {
%s    $0 = buffer %s : f32
    $1 = buffer %s : f32
    part [] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=1 cols=4
        $0{}+0/0 -> $1{}+0/0
    }
  }
`, n, steps, choice, from, to)
	}
	program := func(steps, second string) *nest.Program {
		const choice = "    # step 0: whole kernel=\"k\" engine=\"avx2\" kernels=1 cost=4 packed=[] nontemporal=[]\n"
		if second == "chosen" {
			second = choice
		}
		return parse(t, `nest f arena=64 {
  %0 = param x 0  : f32[4]
  %1 = result y 0 : f32[4]
  %2 = temp 0     : f32[4]
`+task(0, steps, choice, "%0", "%2")+task(1, steps, second, "%2", "%1")+"}\n")
	}
	good := program("0..0", "")
	require.NoError(t, good.Verify())
	require.Equal(t, []bool{false, true}, []bool{good.Continues(0), good.Continues(1)})
	require.ErrorContains(t, program("0..0", "chosen").Verify(), "1 choices")
	group := program("0..1", "")
	group.Tasks[0].Choices = nil
	require.ErrorContains(t, group.Verify(), "task 1: steps=0..1: the steps are not behind those of the task before")
}

// TestVerifyRefusesTexts checks what no change of one thing in a program of testdata makes.
func TestVerifyRefusesTexts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an incomplete chunk in the middle", `nest f arena=0 {
  %0 = param x 0  : f32[3000]
  %1 = result y 0 : f32[4]
  task 0 steps=0..0 scratch=0 work=1 elems=1 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [3000/1500] {
      for [of(0)/1024] {
        call reduce [add] kernel (u0:f32) { store u0 }
          rows=1 cols=of(1)
          $0{1500,1024}+0/0 -> $1{2,1}+0/1
      }
    }
  }
}
`, "is not the chunks of 1024"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := nest.Parse(c.text)
			require.NoError(t, err)
			require.ErrorContains(t, p.Verify(), c.want)
		})
	}
}

// TestVerifyTooManyRegions: two parts of a task store alternate elements, one call each.
func TestVerifyTooManyRegions(t *testing.T) {
	const n = 1100
	var b strings.Builder
	fmt.Fprintf(&b, "nest f arena=0 {\n  %%0 = param x 0  : f32[%d]\n  %%1 = result y 0 : f32[%d]\n  task 0 steps=0..0 scratch=0 work=1 elems=1 {\n    $0 = buffer %%0 : f32\n    $1 = buffer %%1 : f32\n", 2*n, 2*n)
	for part := range 2 {
		b.WriteString("    part [] {\n")
		for i := range n {
			fmt.Fprintf(&b, "      call kernel (u0:f32) { t0 = neg u0; store t0 }\n        rows=1 cols=1\n        $0{}+%[1]d/0 -> $1{}+%[1]d/0\n", 2*i+part)
		}
		b.WriteString("    }\n")
	}
	b.WriteString("  }\n}\n")
	p, err := nest.Parse(b.String())
	require.NoError(t, err)
	require.ErrorContains(t, p.Verify(), "more than 1024 regions of one buffer in several parts")
}

// TestSteps: the text of a part names the step of the items behind a line, which must be a step of the task; Of takes them out again.
func TestSteps(t *testing.T) {
	text := string(programs(t)["row_group"].Files[1].Data)
	p := parse(t, text)
	task := &p.Tasks[0]
	require.Less(t, task.First, task.Last)
	items := 0
	for step := task.First; step <= task.Last; step++ {
		for _, part := range task.Of(step) {
			require.NotEmpty(t, part.Items)
			items += len(part.Items)
			for _, it := range part.Items {
				require.Equal(t, step, task.First+it.Step)
			}
		}
	}
	for _, part := range task.Parts {
		items -= len(part.Items)
	}
	require.Zero(t, items, "each item is of one step")
	_, err := nest.Parse(strings.Replace(text, "\n      step 1\n", "\n      step 9\n", 1))
	require.ErrorContains(t, err, "the task has no step 9")
}
