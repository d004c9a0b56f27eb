package blocks

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Which ops map blocks to blocks: a block of the result depends on the same block of each operand with rows, and on
// whole operands.

// rowRules has a check for each op whose result may have rows, except elementwise ops: it returns why value v at place
// p can't be computed by blocks, or nil.
var rowRules = map[ir.Op]func(d *Division, v *ir.Value, p place) error{
	ir.OpParam: func(d *Division, v *ir.Value, p place) error {
		if p.axis > 0 {
			return fmt.Errorf("input %s has its rows along axis %d: blocks are of the first axis", v.Name(), p.axis)
		}
		return nil
	},
	ir.OpIota:           anyRows,
	ir.OpExpand:         anyRows,
	ir.OpPermute:        anyRows,
	ir.OpSqueeze:        anyRows,
	ir.OpUnsqueeze:      anyRows,
	ir.OpReshape:        checkReshape,
	ir.OpSlice:          checkSlice,
	ir.OpIndex:          func(d *Division, v *ir.Value, _ place) error { return d.fixed(v.Attr.Begin) },
	ir.OpWindow:         otherAxis,
	ir.OpConcat:         otherAxis,
	ir.OpWindowQuantile: otherAxis,
	ir.OpFlip: func(d *Division, v *ir.Value, p place) error {
		if slices.Contains(v.Attr.Axes, p.axis) {
			return errOtherRows
		}
		return nil
	},
	ir.OpDiagonal: func(d *Division, v *ir.Value, _ place) error {
		if slices.Contains(v.Attr.Axes, d.places[v.Args[0]].axis) {
			return errOtherRows
		}
		return nil
	},
	ir.OpDot: func(d *Division, v *ir.Value, p place) error {
		if p.axis >= len(v.Type.Shape)-2 { // a product of one row or column is a sum
			d.Limits.Least = 2
		}
		return nil
	},
	ir.OpDotHalves:         anyRows,
	ir.OpDotBytes:          anyRows,
	ir.OpConv:              checkConv,
	ir.OpConvHalves:        checkConv,
	ir.OpGather:            wholeLines,
	ir.OpSearchSorted:      wholeLines,
	ir.OpSearchSortedRight: wholeLines,
}

var errOtherRows = errors.New("its blocks need other rows than their own")

func anyRows(*Division, *ir.Value, place) error { return nil }

// otherAxis checks ops along one axis, which must not be the axis of rows.
func otherAxis(d *Division, v *ir.Value, p place) error {
	if v.Attr.Axis == p.axis {
		return errOtherRows
	}
	return nil
}

// checkConv accepts convolutions with the rows as batch, except one window of one image, which is a sum.
func checkConv(d *Division, v *ir.Value, p place) error {
	if p.axis > 0 || !d.places[v.Args[1]].whole() {
		return errOtherRows
	}
	d.Limits.Least = 2
	return nil
}

// wholeLines checks ops that compute each element from a line of the first operand.
func wholeLines(d *Division, v *ir.Value, p place) error {
	if p.axis == v.Attr.Axis && !d.places[v.Args[0]].whole() {
		return errOtherRows
	}
	return nil
}

// checkRows returns an error unless blocks of v follow from blocks of its operands.
func (d *Division) checkRows(v *ir.Value, p place) error {
	if check := rowRules[v.Op]; check != nil {
		return check(d, v, p)
	}
	switch kind := v.Op.Info().Kind; {
	case v.Op.IsElementwise() || kind == ir.Reduce && v.Op != ir.OpReduceChunks:
		return nil
	case kind == ir.Scan || kind == ir.Line:
		return otherAxis(d, v, p)
	}
	return errors.New("it can't be computed by blocks of rows")
}

// checkReshape returns an error unless the axes before the rows keep their number of elements.
func checkReshape(d *Division, v *ir.Value, p place) error {
	x := v.Args[0]
	from := d.places[x]
	if from.whole() || outer(d.total(x).Shape, from.axis) != outer(d.total(v).Shape, p.axis) {
		return fmt.Errorf("shape %s becomes %s: %w", x.Type.Shape, v.Type.Shape, errOtherRows)
	}
	return nil
}

// outer returns the number of elements of the axes before an axis.
func outer(s ir.Shape, axis int) int {
	n, _ := s[:axis].NumElems().Int()
	return n
}

// checkSlice accepts slices that take all rows.
func checkSlice(d *Division, v *ir.Value, p place) error {
	a := v.Attr
	if a.Axis != p.axis {
		return errors.Join(d.fixed(a.Begin), d.fixed(a.Len))
	}
	if a.Begin.Is(0) && a.Step == 1 && a.Len == v.Args[0].Type.Shape[a.Axis] {
		return nil
	}
	return errOtherRows
}

// fixed returns an error if an index of an axis other than the rows depends on the number of rows.
func (d *Division) fixed(n ir.Dim) error {
	if slices.Contains(n.Names(), d.size) {
		return fmt.Errorf("the index %s depends on the number of rows", n)
	}
	return nil
}
