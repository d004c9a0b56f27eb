package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// The arguments that convolutions and pools have in common: options of windows, and the channels of groups. This file
// checks them, so that what builds the graphs has sizes that are known, groups that divide the channels, and numbers whose
// sums and products are ints.

// mostReach limits the options of windows, and how far a window reaches: sums of several are ints of 32 bits too.
const mostReach = 1 << 28

// checkConv returns an error for operands that no convolution has, or fills in the defaults of its options. x is
// [n, c, spatial axes], or with ChannelsLast [n, spatial axes, c]. weights are [m, c/Groups, spatial axes], of a transposed
// convolution [c, m/Groups, spatial axes].
func (o *ConvOptions) checkConv(x, weights *node, transposed bool) error {
	s, k := x.typ.Shape, weights.typ.Shape
	if len(s) < 3 || len(k) != len(s) {
		return fmt.Errorf("%s and weights %s: both have two axes for channels and the same number of others", x.text(), weights.text())
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
		return fmt.Errorf("%s has %s channels, and the weights %s are of %s", x.text(), channels, weights.text(), k[0])
	case !transposed && channels != k[1].Mul(ir.Fixed(o.Groups)):
		return fmt.Errorf("%s has %s channels, and the weights %s are of %s in each of %d groups", x.text(), channels, weights.text(), k[1], o.Groups)
	}
	if n, known := k[0].Int(); known && n%o.Groups != 0 {
		of := "the result"
		if transposed {
			of = "the operand"
		}
		return fmt.Errorf("%d channels of %s are no %d equal groups", n, of, o.Groups)
	}
	return nil
}

// check returns an error for options that no windows of some extents have, or fills in the defaults.
func (o *ConvOptions) check(size Shape) error {
	if o.Groups == 0 {
		o.Groups = 1
	}
	if o.Groups < 0 || o.Groups > mostReach {
		return fmt.Errorf("%d groups: give 1 or more, up to %d", o.Groups, mostReach)
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
				return fmt.Errorf("%s %v: give %d or more, up to %d", l.name, *l.list, l.least, mostReach)
			}
		}
	}
	for i, d := range size {
		n, known := d.Int()
		switch {
		case !known:
			return fmt.Errorf("the size of the windows, %s, is not known before the program runs", d)
		case n < 1 || n > mostReach || (n-1) > (mostReach-1)/o.Dilations[i]:
			return fmt.Errorf("windows of %s elements %d apart: they have 1 or more, and reach over up to %d", d, o.Dilations[i], mostReach)
		}
	}
	return nil
}

// checkExtents returns an error for spatial extents that pass int with windows round them.
func checkExtents(spatial Shape) error {
	for _, d := range spatial {
		if n, known := d.Int(); known && n > math.MaxInt-4*mostReach {
			return fmt.Errorf("an extent of %d: it passes int with padding", n)
		}
	}
	return nil
}

// check returns an error for pools that an operand of some shape has not, or fills in the defaults.
func (o *PoolOptions) check(s Shape) error {
	if len(s) < 3 || len(o.Size) != len(s)-2 {
		return fmt.Errorf("windows of size %v, for the spatial axes behind the first two", o.Size)
	}
	c := ConvOptions{Strides: o.Strides, Dilations: o.Dilations, Before: o.Before, After: o.After}
	if err := c.check(ir.ShapeOf(o.Size...)); err != nil {
		return err
	}
	o.Strides, o.Dilations, o.Before, o.After = c.Strides, c.Dilations, c.Before, c.After
	if min(slices.Min(o.Before), slices.Min(o.After)) < 0 {
		return fmt.Errorf("%v before and %v after: padding is not negative", o.Before, o.After)
	}
	return checkExtents(s[2:])
}

// mostBuilt limits how many Nodes one call builds of what its arguments count: parts, and elements of windows.
const mostBuilt = 1 << 16
