package ir_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestPlaces: a mistake in the text of each level has its place there, whether the parser finds it or the verifier. A caret in each
// text stands below the place.
func TestPlaces(t *testing.T) {
	parse := func(level, text string) (err error) {
		switch level {
		case "func":
			var f *ir.Func
			if f, err = ir.Parse(text); err == nil {
				err = ir.Locate(ir.Verify(f, ir.StageViewed), text, func(s *ir.Scanner) { s.Func() })
			}
		case "plan":
			var p *plan.Plan
			if p, err = plan.ParsePlan(text); err == nil {
				err = ir.Locate(p.Verify(), text, func(s *ir.Scanner) { plan.Read(s) })
			}
		case "nest":
			var p *nest.Program
			if p, err = nest.Parse(text); err == nil {
				err = ir.Locate(p.Verify(), text, func(s *ir.Scanner) { nest.Read(s) })
			}
		default:
			_, err = kernel.ParseCode(text)
		}
		return err
	}
	for _, c := range places {
		text, line, col := withoutCaret(c.text)
		err := parse(c.level, text)
		require.ErrorContains(t, err, c.want, text)
		var at *ir.ParseError
		require.True(t, errors.As(err, &at), "%v", err)
		require.Equal(t, [2]int{line, col}, [2]int{at.Line, at.Col}, "%v in\n%s", err, text)
	}
}

// withoutCaret returns a text without the line that has a caret, and the place above the caret.
func withoutCaret(text string) (rest string, line, col int) {
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) == "^" {
			return strings.Join(slices.Delete(lines, i, i+1), ""), i, strings.Index(l, "^") + 1
		}
	}
	panic("a text without a caret")
}

var places = []struct{ level, want, text string }{
	{"func", "no operation has the name", `
func f(%x: f32[4]) {
  %0 = exq %x : f32[4]
       ^
  return %0
}`},
	{"func", "the type is f64[4], want f32[4]", `func f(%x: f32[4]) {
  %0 = exp %x : f64[4]
                ^
  return %0
}`},
	{"func", "the views pass leaves no flip", `// a comment
func f(%x: f32[4]) {
  %7 = exp %x : f32[4]
  %9 = flip %7 axes=[0] : f32[4]
       ^
  return %9
}`},
	{"func", "the layout begins at element -1", `func f(%x: f32[4], %y: f32[4] {4}:{1}-1) {
                   ^
  return %x
}`},
	{"func", "there is no result", `func f(%x: f32[4]) {
  return
  ^
}`},
	{"plan", "found \"stop\"", `plan p arena=0 {
  %0 = param x 0 : f32[4]
  stop
  ^
}`},
	{"plan", "elements 1 to 12 are outside the buffer", `plan p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  step 0 [1,12]
    kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }
    %0{12,1}+0 %0{12,1}+1 -> %1{12,1}+0
               ^
}`},
	{"plan", "the buffer is written a second time", `plan p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  step 0 [1,12]
    kernel (u0:f32) { t0 = neg u0; store t0 t0 }
    %0{12,1}+0 -> %1{12,1}+0 %1{12,1}+0
                             ^
}`},
	{"plan", "an axis is reduced, and no output has a combiner", `plan p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  step 0 [1,12 reduce]
  ^
    kernel (u0:f32) { t0 = neg u0; store t0 }
    %0{12,1}+0 -> %1{12,0}+0
}`},
	{"plan", "no step writes the result", `plan p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  ^
}`},
	{"nest", "lines are numbered in their order", `nest p arena=0 {
  %0 = param x 0  : f32[12]
  task 1 steps=0..0 scratch=0 work=12 elems=12 {
       ^
  }
}`},
	{"nest", "the tile is below 1", `nest p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  task 0 steps=0..0 scratch=0 work=12 elems=12 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [12/6, 5/0] {
                ^
    }
  }
}`},
	{"nest", "bytes 0 to 52 are outside the slot", `nest p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  task 0 steps=0..0 scratch=0 work=12 elems=12 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [12/6] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=1 cols=of(0)
        $0{7}+0/0 -> $1{6}+0/0
        ^
    }
  }
}`},
	{"nest", "parallel iterations touch what others store", `nest p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  task 0 steps=0..0 scratch=0 work=12 elems=12 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [12/6] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=1 cols=of(0)
        $0{6}+0/0 -> $1{5}+0/0
                     ^
    }
  }
}`},
	{"nest", "rows=of(3) is of no loop", `nest p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  task 0 steps=0..0 scratch=0 work=12 elems=12 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    part [12/6] {
      call kernel (u0:f32) { t0 = neg u0; store t0 }
      ^
        rows=of(3) cols=of(0)
        $0{6}+0/0 -> $1{6}+0/0
    }
  }
}`},
	{"nest", "0 bytes of the result are stored, it has 48", `nest p arena=0 {
  %0 = param x 0  : f32[12]
  %1 = result y 0 : f32[12]
  ^
}`},
	{"nest", "there is no such buffer", `nest p arena=0 {
  task 0 steps=0..0 scratch=0 work=12 elems=12 {
    $0 = buffer %0 : f32
    ^
  }
}`},
	{"kernel", "takes 1 operands, got 0", `kernel (u0:f32) { t0 = neg u0; t1 = exp ; store t1 }
                                    ^`},
	{"kernel", "no value u1 is known here", `reduce [add] kernel (u0:f32) { store u1 }
                                     ^`},
	{"kernel", "bool", `reduce [add] kernel (u0:bool) { store u0 }
^`},
}
