package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Checks of the arguments that convolutions and pools share: options of windows, and groups of channels. The code that
// builds their graphs relies on known sizes, groups that divide the channels, and numbers whose sums and products fit
// int.

// mostReach limits the options of windows and the reach of a window, so that sums of several fit an int of 32 bits.
const mostReach = 1 << 28

// checkConv returns an error for operands that don't fit a convolution, or fills in the defaults of its options. x is
// [n, c, spatial axes], or with ChannelsLast [n, spatial axes, c]. weights are [m, c/Groups, spatial axes], or [c,
// m/Groups, spatial axes] for a transposed convolution.
func (o *ConvOptions) checkConv(x, weights *node, transposed bool) error {
	s, k := x.typ.Shape, weights.typ.Shape
	if len(s) < 3 || len(k) != len(s) {
		return fmt.Errorf("%s and weights %s: both need two axes for channels and the same number of spatial axes", x.text(), weights.text())
	}
	if err := o.check(k[2:]); err != nil {
		return err
	}
	spatial, channels := s[2:], s[1]
	if o.ChannelsLast {
		spatial, channels = s[1:len(s)-1], s[len(s)-1]
	}
	if err := checkExtents(spatial); err != nil {
		return err
	}
	switch {
	case transposed && channels != k[0]:
		return fmt.Errorf("%s has %s channels, but the weights %s are for %s", x.text(), channels, weights.text(), k[0])
	case !transposed && channels != k[1].Mul(ir.Fixed(o.Groups)):
		return fmt.Errorf("%s has %s channels, but the weights %s are for %s in each of %d groups", x.text(), channels, weights.text(), k[1], o.Groups)
	}
	if n, known := k[0].Int(); known && n%o.Groups != 0 {
		of := "the result"
		if transposed {
			of = "the operand"
		}
		return fmt.Errorf("%d channels of %s can't be divided into %d equal groups", n, of, o.Groups)
	}
	return nil
}

// check returns an error for options that don't fit windows of the given extents, or fills in the defaults.
func (o *ConvOptions) check(size Shape) error {
	if o.Groups == 0 {
		o.Groups = 1
	}
	if o.Groups < 0 || o.Groups > mostReach {
		return fmt.Errorf("%d groups: give 1 to %d", o.Groups, mostReach)
	}
	for _, l := range []struct {
		name         string
		list         *[]int
		usual, least int
	}{
		{"strides", &o.Strides, 1, 1}, {"dilations", &o.Dilations, 1, 1},
		{"numbers before", &o.Before, 0, -mostReach}, {"numbers after", &o.After, 0, -mostReach}, {"extra numbers", &o.Extra, 0, -mostReach},
	} {
		if *l.list == nil {
			*l.list = repeated(l.usual, len(size))
		}
		if len(*l.list) != len(size) {
			return fmt.Errorf("%d %s for %d spatial axes", len(*l.list), l.name, len(size))
		}
		for _, n := range *l.list {
			if n < l.least || n > mostReach {
				return fmt.Errorf("%s %v: give %d to %d", l.name, *l.list, l.least, mostReach)
			}
		}
	}
	for i, d := range size {
		n, known := d.Int()
		switch {
		case !known:
			return fmt.Errorf("the size of the windows, %s, is not known before the program runs", d)
		case n < 1 || n > mostReach || (n-1) > (mostReach-1)/o.Dilations[i]:
			return fmt.Errorf("windows of %s elements %d apart: give 1 element or more, and a reach of at most %d", d, o.Dilations[i], mostReach)
		}
	}
	return nil
}

// checkExtents returns an error for spatial extents that pass int with windows round them.
func checkExtents(spatial Shape) error {
	for _, d := range spatial {
		if n, known := d.Int(); known && n > math.MaxInt-4*mostReach {
			return fmt.Errorf("extent %d with its padding overflows int", n)
		}
	}
	return nil
}

// check returns an error for pools that don't fit an operand's shape, or fills in the defaults.
func (o *PoolOptions) check(s Shape) error {
	if len(s) < 3 || len(o.Size) != len(s)-2 {
		return fmt.Errorf("windows of size %v: give one size for each spatial axis after the first two", o.Size)
	}
	c := ConvOptions{Strides: o.Strides, Dilations: o.Dilations, Before: o.Before, After: o.After}
	if err := c.check(ir.ShapeOf(o.Size...)); err != nil {
		return err
	}
	o.Strides, o.Dilations, o.Before, o.After = c.Strides, c.Dilations, c.Before, c.After
	if min(slices.Min(o.Before), slices.Min(o.After)) < 0 {
		return fmt.Errorf("%v before and %v after: padding must not be negative", o.Before, o.After)
	}
	return checkExtents(s[2:])
}

// mostBuilt limits the Nodes that one call builds for counts in its arguments: parts, and elements of windows.
const mostBuilt = 1 << 16
