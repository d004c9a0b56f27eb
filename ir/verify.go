package ir

import (
	"errors"
	"fmt"
	"math"
)

// Stage is a stage of the passes. A graph at each stage has its own grammar.
type Stage uint8

// The stages.
const (
	StageGraph  Stage = iota // as built: views are operations
	StageViewed              // after the views pass: operands are buffers with a layout
)

// Verify returns every violation of a stage's invariants, joined, each with
// the text of its value.
//
// Of every graph:
//
//   - nothing is nil, no value is twice in it;
//   - params have names of their own and types that run; a layout of a param
//     has the param's shape, no element before the buffer, and no symbolic size;
//   - a value of the body has a known op that is not param;
//   - operands are params or earlier values of the same graph: so it is acyclic;
//   - a type is what Infer gives, and its extents are canonical text;
//   - a constant's bits are an element of its type;
//   - there is a result, and results are values of the graph.
//
// At StageViewed besides:
//
//   - every extent is a number;
//   - the one view op is access, of a source or a computed value, and it
//     stays inside that buffer;
//   - the one reduction is reduce_chunks;
//   - an operand of an elementwise op is a scalar constant, an access of the
//     result's shape, or a value with as many elements as the result.
func Verify(f *Func, s Stage) error {
	if f == nil {
		return errors.New("no graph")
	}
	v := &verifier{f: f, stage: s, printer: newPrinter(f), known: map[*Value]bool{}}
	v.params()
	for _, x := range f.Body {
		v.value(x)
	}
	if len(f.Results) == 0 {
		v.fail("return", "return", "there is no result")
	}
	for i, r := range f.Results {
		if !v.known[r] {
			v.fail("return", "return"+v.operands(f.Results), "result %d is not a value of the graph", i)
		}
	}
	if len(f.Outputs) != 0 && len(f.Outputs) != len(f.Results) {
		v.fail("return", "return"+v.operands(f.Results), "%d names of %d results", len(f.Outputs), len(f.Results))
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	printer
	f     *Func
	stage Stage
	known map[*Value]bool // the possible operands so far
	errs  []error
}

// fail records a violation in a line of text, that of the named value.
func (v *verifier) fail(at, line, format string, args ...any) {
	v.errs = append(v.errs, &Violation{at, line + ": " + fmt.Sprintf(format, args...)})
}

func (v *verifier) params() {
	names := map[string]bool{}
	for _, p := range v.f.Params {
		at, line := v.name(p), v.param(p)
		switch {
		case p == nil:
			v.fail(at, line, "the parameter is nil")
			continue
		case v.known[p]:
			v.fail(at, line, "the parameter stands twice in the graph")
		case names[p.Name()]:
			v.fail(at, line, "another parameter has this name")
		case p.Op != OpParam:
			v.fail(at, line, "the op is %s, want param", p.Op)
		case !p.Type.Equal(Type{p.attr().DType, p.attr().Shape}):
			v.fail(at, line, "the attributes say %s", Type{p.attr().DType, p.attr().Shape})
		}
		if err := p.Type.Check(); err != nil {
			v.fail(at, line, "%v", err)
		}
		if err := CheckParamLayout(p); err != nil {
			v.fail(at, line, "%v", err)
		}
		v.extents(at, line, p)
		v.known[p], names[p.Name()] = true, true
	}
}

// CheckParamLayout returns the error of a param's own layout, or nil.
func CheckParamLayout(p *Value) error {
	l := p.attr().At
	if l == nil {
		return nil
	}
	if err := checkLayout(*l, p.Type.Shape); err != nil {
		return err
	}
	if !ShapeOf(l.Shape...).Equal(p.Type.Shape) {
		return fmt.Errorf("the layout has the shape %v", l.Shape)
	}
	if lo, hi := l.Bounds(); lo < 0 && hi >= lo {
		return fmt.Errorf("the layout begins at element %d, before the buffer", lo)
	} else if hi >= math.MaxInt/2/max(1, p.Type.DType.Size()) { // bounds stop at the ends of the ints
		return fmt.Errorf("the layout passes int in bytes")
	}
	return nil
}

// value checks a value of the body. Its operands must be known.
func (v *verifier) value(x *Value) {
	at, line := v.name(x), v.printer.value(x)
	if x == nil {
		v.fail(at, line, "stands in the body")
		return
	}
	if v.known[x] {
		v.fail(at, line, "the value stands twice in the graph")
		return
	}
	defer func() { v.known[x] = true }()
	if x.Op == OpInvalid || x.Op == OpParam || x.Op >= numOps {
		v.fail(at, line, "no value of a body has the op %s", x.Op)
		return
	}
	if x.Attr == nil {
		v.fail(at, line, "it has no attributes, not even empty ones")
		return
	}
	types := make([]Type, len(x.Args))
	for i, a := range x.Args {
		if !v.known[a] {
			v.fail(at, line, "operand %d is not computed before it", i)
			return
		}
		types[i] = a.Type
	}
	switch t, err := Infer(x.Op, *x.Attr, types); {
	case err != nil:
		v.fail(at, line, "%v", err)
		return
	case !t.Equal(x.Type):
		v.fail(at, line, "the operands give %s", t)
	}
	if x.Op == OpConst && !IsElement(x.Attr.DType, x.Attr.Bits) {
		v.fail(at, line, "%#x is not an element of %s", x.Attr.Bits, x.Attr.DType)
	}
	v.extents(at, line, x)
	if v.stage == StageViewed {
		v.viewed(at, line, x)
	}
}

// extents checks the sizes of a type: numbers, or text that is canonical.
func (v *verifier) extents(at, line string, x *Value) {
	for i, d := range x.Type.Shape {
		if _, known := d.Int(); known {
			continue
		}
		if v.stage == StageViewed {
			v.fail(at, line, "the extent of axis %d is %s, want a number", i, d)
		} else if e, err := ParseDim(d.String()); err != nil || e != d {
			v.fail(at, line, "the extent of axis %d is not canonical: %s", i, d)
		}
	}
}

// viewed checks the additional invariants of a value after the views pass.
func (v *verifier) viewed(at, line string, x *Value) {
	if x.Op == OpAccess {
		v.access(at, line, x)
		return
	}
	if x.Op.IsView() {
		v.fail(at, line, "the views pass leaves no %s", x.Op)
		return
	}
	if x.Op.Info().Kind == Reduce && x.Op != OpReduceChunks {
		v.fail(at, line, "the reductions pass leaves no %s", x.Op)
	}
	if !x.Op.IsElementwise() {
		return
	}
	for i, a := range x.Args {
		scalar := a.Op == OpConst
		same := a.Type.Shape.Equal(x.Type.Shape)
		if a.Op != OpAccess {
			same = a.Type.Shape.NumElems() == x.Type.Shape.NumElems()
		}
		if !scalar && !same {
			v.fail(at, line, "operand %d has the shape %s: a broadcast is an access with stride 0", i, a.Type.Shape)
		}
	}
}

// access checks that a layout stays inside the buffer that it reads.
func (v *verifier) access(at, line string, x *Value) {
	buffer := x.Args[0]
	if buffer.Op.IsView() {
		v.fail(at, line, "access of %s: only a source or a computed value is a buffer", buffer.Op)
		return
	}
	n, known := buffer.Type.Shape.NumElems().Int()
	first, last := 0, n-1
	if at := buffer.attr().At; at != nil && buffer.Op == OpParam && CheckParamLayout(buffer) == nil {
		first, last = at.Bounds()
	}
	if lo, hi := x.Attr.At.Bounds(); known && lo <= hi && (lo < first || hi > last) {
		v.fail(at, line, "elements %d to %d are read, and the buffer has %d to %d", lo, hi, first, last)
	}
}
