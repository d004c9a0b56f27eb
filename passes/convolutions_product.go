package passes

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// A convolution as a product of matrices. Each axis of its operands and of the result has a letter: n images, g groups,
// c channels of a group, m channels of a group of the result, o, p, ... windows along each spatial axis, and A, B, ...
// elements of one. The products are added along c, A, B, ...

// A factor is an operand with the letters of its axes.
type factor struct {
	x       *ir.Value
	letters string
}

func (f factor) has(letter rune) bool { return strings.ContainsRune(f.letters, letter) }

// letters returns a letter for each spatial axis.
func letters(first rune, axes int) string {
	var b strings.Builder
	for i := range axes {
		b.WriteRune(first + rune(i))
	}
	return b.String()
}

// product returns the convolution of x, which is padded.
func (c *convolver) product(x, w *ir.Value) *ir.Value {
	o, spatial := c.v.Attr.Conv, len(c.v.Attr.Conv.Strides)
	weights := extents(w)
	for i := range spatial {
		x = c.add(ir.OpWindow, ir.Attr{Axis: 2 + i, Size: weights[2+i], Step: o.Strides[i], Dilation: o.Dilations[i]}, x)
	}
	if c.err != nil {
		return nil
	}
	groups, windows, elements := ir.Fixed(o.Groups), letters('o', spatial), letters('A', spatial)
	x = c.reshaped(x, slices.Concat(x.Type.Shape[:1], ir.Shape{groups, w.Type.Shape[1]}, x.Type.Shape[2:]))
	w = c.reshaped(w, slices.Concat(ir.Shape{groups, ir.Fixed(weights[0] / o.Groups)}, w.Type.Shape[1:]))
	single := weights[0] == o.Groups && ir.Reals.Has(c.v.Type.DType) && size(c.v.Type.Shape) > o.Groups
	if single { // in the order of additions of several columns
		w = c.paddedAlong(w, 1, 0, 1)
	}
	out := "ngm" + windows
	if c.last {
		out = "n" + windows + "gm"
	}
	d := c.v.Type.DType
	if c.err != nil {
		return nil
	}
	left, right := factor{x, "ngc" + windows + elements}, factor{w, "gmc" + elements}
	p := contraction{convolver: c, extents: map[rune]int{}, out: out, sums: "c" + elements}
	if ir.Reals.Has(d) && !d.Native() {
		left.x, right.x = c.cast(x, d.Compute()), c.cast(w, d.Compute())
	}
	y := p.of(left, right)
	if single && c.err == nil {
		y = c.cropped(y, strings.IndexByte(p.out, 'm'), 0, 1)
	}
	y = c.cast(y, d)
	shape := c.v.Type.Shape
	if c.last {
		shape = slices.Concat(shape[:1], shape[2:], shape[1:2])
	}
	return c.reshaped(y, shape)
}

// reshaped returns x under another shape.
func (c *convolver) reshaped(x *ir.Value, shape ir.Shape) *ir.Value {
	if c.err != nil || x.Type.Shape.Equal(shape) {
		return x
	}
	return c.add(ir.OpReshape, ir.Attr{Shape: shape}, x)
}

// A contraction is the sum of the products of two factors.
type contraction struct {
	*convolver
	extents   map[rune]int
	out, sums string // the letters of the result, and of what is summed over
}

// of returns the sum, with the axes of out that have more than one index.
func (p *contraction) of(x, y factor) *ir.Value {
	for _, f := range []factor{x, y} {
		for i, n := range extents(f.x) {
			p.extents[rune(f.letters[i])] = n
		}
	}
	x, y = p.squeezed(x), p.squeezed(y)
	p.out = strings.Map(func(r rune) rune {
		if p.extents[r] == 1 {
			return -1
		}
		return r
	}, p.out)
	if end := strings.LastIndexFunc(p.out, func(r rune) bool { return x.has(r) != y.has(r) }); end >= 0 && x.has(rune(p.out[end])) {
		x, y = y, x // the last axis of the result is that of the columns
	}
	return p.matrices(x, y, p.run(x, y), p.run(y, x))
}

// squeezed returns f without axes of one index, but for what is summed over.
func (p *contraction) squeezed(f factor) factor {
	var axes []int
	left := ""
	for i, r := range f.letters {
		if p.extents[r] == 1 && !strings.ContainsRune(p.sums, r) {
			axes = append(axes, i)
		} else {
			left += string(r)
		}
	}
	if axes == nil {
		return f
	}
	return factor{p.add(ir.OpSqueeze, ir.Attr{Axes: axes}, f.x), left}
}

// run returns the last letters of the result, next to each other, that x alone has.
func (p *contraction) run(x, y factor) string {
	alone := func(r rune) bool { return x.has(r) && !y.has(r) }
	end := strings.LastIndexFunc(p.out, alone) + 1
	begin := strings.LastIndexFunc(p.out[:end], func(r rune) bool { return !alone(r) }) + 1
	return p.out[begin:end]
}

func (p *contraction) shape(letters string) (s ir.Shape) {
	for _, r := range letters {
		s = append(s, ir.Fixed(p.extents[r]))
	}
	return s
}

func (p *contraction) size(letters string) int { return size(p.shape(letters)) }

// ordered returns f with its axes in the order of letters, which are its own.
func (p *contraction) ordered(f factor, letters string) *ir.Value {
	axes := make([]int, len(letters))
	for i := range axes {
		axes[i] = strings.IndexByte(f.letters, letters[i])
	}
	return p.permuted(f.x, axes)
}

// repeated returns x, whose axes are the letters that f has, with all letters, along whose other axes it repeats, and
// more axes behind.
func (p *contraction) repeated(x *ir.Value, f factor, letters string, more ir.Shape) *ir.Value {
	var missing []int
	for i, r := range letters {
		if !f.has(r) {
			missing = append(missing, i)
		}
	}
	if missing == nil || p.err != nil {
		return x
	}
	x = p.add(ir.OpUnsqueeze, ir.Attr{Axes: missing}, x)
	return p.add(ir.OpExpand, ir.Attr{Shape: slices.Concat(p.shape(letters), more)}, x)
}

// own returns those of the letters that f has.
func (f factor) own(letters string) string {
	return strings.Map(func(r rune) rune {
		if !f.has(r) {
			return -1
		}
		return r
	}, letters)
}

// matrices returns the products of matrices, one for each index of what is neither rows nor columns.
func (p *contraction) matrices(x, y factor, rows, cols string) *ir.Value {
	batch := strings.Map(func(r rune) rune {
		if strings.ContainsRune(rows+cols, r) {
			return -1
		}
		return r
	}, p.out)
	op := ir.OpDot
	if p.v.Op == ir.OpConvHalves {
		op = ir.OpDotHalves
	}
	dot := p.add(op, ir.Attr{}, p.matrix(x, batch, rows, p.sums), p.matrix(y, batch, p.sums, cols))
	return p.ordered(factor{p.reshaped(dot, p.shape(batch+rows+cols)), batch + rows + cols}, p.out)
}

// matrix returns f as matrices. Repeating them comes last, so that passes see it.
func (p *contraction) matrix(f factor, batch, rows, cols string) *ir.Value {
	have := f.own(batch)
	last := ir.Shape{ir.Fixed(p.size(rows)), ir.Fixed(p.size(cols))}
	x := p.reshaped(p.ordered(f, have+rows+cols), slices.Concat(p.shape(have), last))
	return p.repeated(x, f, batch, last)
}
