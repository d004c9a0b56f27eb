package blocks

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Which ops take blocks to blocks: the elements of a block of the result follow from the
// same block of each operand that has rows, and from operands that are whole.

// rowRules has for each op whose result may have rows, but those that are elementwise, what
// is wrong with the value v at the place p, or nil.
var rowRules = map[ir.Op]func(d *Division, v *ir.Value, p place) error{
	ir.OpParam: func(d *Division, v *ir.Value, p place) error {
		if p.axis > 0 {
			return fmt.Errorf("input %s has its rows along axis %d: blocks are of the first axis", v.Name(), p.axis)
		}
		return nil
	},
	ir.OpIota:      anyRows,
	ir.OpExpand:    anyRows,
	ir.OpPermute:   anyRows,
	ir.OpSqueeze:   anyRows,
	ir.OpUnsqueeze: anyRows,
	ir.OpReshape:   checkReshape,
	ir.OpSlice:     checkSlice,
	ir.OpIndex:     func(d *Division, v *ir.Value, _ place) error { return d.fixed(v.Attr.Begin) },
	ir.OpWindow:    otherAxis,
	ir.OpConcat:    otherAxis,
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
	ir.OpConv:              checkConv,
	ir.OpConvHalves:        checkConv,
	ir.OpGather:            wholeLines,
	ir.OpSearchSorted:      wholeLines,
	ir.OpSearchSortedRight: wholeLines,
}

var errOtherRows = errors.New("its blocks need other rows than their own")

func anyRows(*Division, *ir.Value, place) error { return nil }

// otherAxis is for ops along one axis.
func otherAxis(d *Division, v *ir.Value, p place) error {
	if v.Attr.Axis == p.axis {
		return errOtherRows
	}
	return nil
}

// checkConv lets whole images pass. One window of one image is a sum.
func checkConv(d *Division, v *ir.Value, p place) error {
	if p.axis > 0 || !d.places[v.Args[1]].whole() {
		return errOtherRows
	}
	d.Limits.Least = 2
	return nil
}

// wholeLines is for ops that find each element of the result in a line of the first operand.
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

// checkReshape returns an error unless the axes before the rows have as many elements as
// before.
func checkReshape(d *Division, v *ir.Value, p place) error {
	x := v.Args[0]
	from := d.places[x]
	if from.whole() || outer(d.total(x).Shape, from.axis) != outer(d.total(v).Shape, p.axis) {
		return fmt.Errorf("shape %s becomes %s: %w", x.Type.Shape, v.Type.Shape, errOtherRows)
	}
	return nil
}

// outer returns how many elements the axes before one have.
func outer(s ir.Shape, axis int) int {
	n, _ := s[:axis].NumElems().Int()
	return n
}

// checkSlice lets all rows pass, and slices of other axes.
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

// fixed returns an error if an index of another axis than that of the rows depends on how
// many rows there are.
func (d *Division) fixed(n ir.Dim) error {
	if slices.Contains(n.Names(), d.size) {
		return fmt.Errorf("the index %s depends on the number of rows", n)
	}
	return nil
}
