package rewrite

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// This file writes a convolution as a product of matrices. A letter names each axis: n images, g groups, c input
// channels of a group, m output channels of a group, o, p, ... window positions along each spatial axis, and A, B,
// ... elements within a window. Products are summed over c, A, B, ...

// A factor is an operand with one letter per axis.
type factor struct {
	x       *ir.Value
	letters string
}

func (f factor) has(letter rune) bool { return strings.ContainsRune(f.letters, letter) }

// letters returns as many consecutive letters as there are axes.
func letters(first rune, axes int) string {
	var b strings.Builder
	for i := range axes {
		b.WriteRune(first + rune(i))
	}
	return b.String()
}

// keep returns the letters for which is returns true.
func keep(letters string, is func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if is(r) {
			return r
		}
		return -1
	}, letters)
}

// channelsLast returns the convolutions, other than those of taps, whose operand is stored with channels last and
// whose result is read only with channels last.
func channelsLast(f *ir.Func) map[*ir.Value]bool {
	last := map[*ir.Value]bool{}
	moves := func(v *ir.Value, axes []int) bool { return v.Op == ir.OpPermute && slices.Equal(v.Attr.Axes, axes) }
	for _, v := range f.Body {
		rank := len(v.Type.Shape)
		if v.Attr.Conv != nil {
			last[v] = !isTapped(v) && moves(v.Args[0], channelsSecond(rank))
			continue
		}
		for _, a := range v.Args {
			if last[a] && !moves(v, append(slices.Insert(axesFrom(2, rank), 0, 0), 1)) {
				last[a] = false
			}
		}
	}
	for _, r := range f.Results {
		last[r] = false
	}
	return last
}

// channelsSecond returns the permutation that moves the last axis to second place.
func channelsSecond(rank int) []int { return append([]int{0, rank - 1}, axesFrom(1, rank-1)...) }

// convolution returns a convolution of taps in its compute type. It returns any other convolution as the product of
// its weights and its windows.
func (c *contractor) convolution(v *ir.Value) (*ir.Value, error) {
	x, w, o, d := v.Args[0], v.Args[1], v.Attr.Conv, v.Type.DType
	a := adder{f: c.s.Func, v: v}
	if isTapped(v) {
		if d.Native() {
			return v, nil
		}
		y := a.cast(a.add(v.Op, *v.Attr, a.cast(x, d.Compute()), a.cast(w, d.Compute())), d)
		return y, a.err
	}
	x = a.surrounded(x, o, axesFrom(0, len(x.Type.Shape)))
	weights, spatial := Extents(w), len(o.Strides)
	for i := range spatial {
		x = a.add(ir.OpWindow, ir.Attr{Axis: 2 + i, Size: weights[2+i], Step: o.Strides[i], Dilation: o.Dilations[i]}, x)
	}
	if a.err != nil {
		return nil, a.err
	}
	groups, windows, elements := ir.Fixed(o.Groups), letters('o', spatial), letters('A', spatial)
	x = a.reshaped(x, slices.Concat(x.Type.Shape[:1], ir.Shape{groups, w.Type.Shape[1]}, x.Type.Shape[2:]))
	w = a.reshaped(w, slices.Concat(ir.Shape{groups, ir.Fixed(weights[0] / o.Groups)}, w.Type.Shape[1:]))
	single := weights[0] == o.Groups && ir.Reals.Has(d) && Size(v.Type.Shape) > o.Groups
	if single { // sums are then added in the order of a product of several columns
		w = a.padded(w, 1, 0, 1)
	}
	p := contraction{contractor: c, adder: &a, extents: map[rune]int{}, out: "ngm" + windows, sums: "c" + elements}
	last := c.last[v]
	if last {
		p.out = "n" + windows + "gm"
	}
	y := p.of(factor{p.widened(x), "ngc" + windows + elements}, factor{p.widened(w), "gmc" + elements})
	if single && a.err == nil {
		y = a.cropped(y, strings.IndexByte(p.out, 'm'), 0, 1)
	}
	if a.err == nil && y.Type.DType != d {
		y = a.add(ir.OpCast, ir.Attr{DType: d}, y) // behind a permute, so that Orders sees the product
	}
	all := v.Type.Shape
	if last {
		y = a.reshaped(y, slices.Concat(all[:1], all[2:], all[1:2]))
		return a.permuted(y, channelsSecond(2+spatial)), a.err
	}
	return a.reshaped(y, all), a.err
}

// surrounded returns x padded with zeros, or cropped where the padding is negative, as the convolution says. order is
// the order of the axes of x.
func (a *adder) surrounded(x *ir.Value, o *ir.Conv, order []int) *ir.Value {
	for i := range o.Before {
		x = a.cropped(x, slices.Index(order, 2+i), max(0, -o.Before[i]), max(0, -o.After[i]))
	}
	for i := range slices.Backward(o.Before) {
		x = a.padded(x, slices.Index(order, 2+i), max(0, o.Before[i]), max(0, o.After[i]))
	}
	return x
}

// A contraction is a sum of products of two factors.
type contraction struct {
	*contractor
	*adder
	extents   map[rune]int
	out, sums string // letters of the result, and of the axes summed over
}

// widened returns a factor in its compute type. Elements that windows repeat are cast once.
func (p *contraction) widened(x *ir.Value) *ir.Value {
	return p.castOnce(p.cast(x, p.v.Type.DType.Compute()))
}

// of returns the sum, with only the axes of out whose extent is not 1.
func (p *contraction) of(x, y factor) *ir.Value {
	if p.err != nil {
		return nil
	}
	for _, f := range []factor{x, y} {
		for i, n := range Extents(f.x) {
			p.extents[rune(f.letters[i])] = n
		}
	}
	x, y = p.squeezed(x), p.squeezed(y)
	p.out = keep(p.out, func(r rune) bool { return p.extents[r] != 1 })
	if end := strings.LastIndexFunc(p.out, func(r rune) bool { return x.has(r) != y.has(r) }); end >= 0 && x.has(rune(p.out[end])) {
		x, y = y, x // the last axis of the result is that of the columns
	}
	why := p.swaps(p.v)
	if why != "" {
		x, y = y, x
	}
	return p.matrices(x, y, p.run(x, y), p.run(y, x), why)
}

// squeezed returns f without axes of extent 1, except those summed over.
func (p *contraction) squeezed(f factor) factor {
	var axes []int
	for i, r := range f.letters {
		if p.extents[r] == 1 && !strings.ContainsRune(p.sums, r) {
			axes = append(axes, i)
		}
	}
	if axes == nil {
		return f
	}
	left := keep(f.letters, func(r rune) bool { return p.extents[r] != 1 || strings.ContainsRune(p.sums, r) })
	return factor{p.add(ir.OpSqueeze, ir.Attr{Axes: axes}, f.x), left}
}

// run returns the last run of adjacent letters in the result that belong to x but not to y.
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

// ordered returns f with its axes permuted to the order of letters, a permutation of its own.
func (p *contraction) ordered(f factor, letters string) *ir.Value {
	axes := make([]int, len(letters))
	for i := range axes {
		axes[i] = strings.IndexByte(f.letters, letters[i])
	}
	return p.permuted(f.x, axes)
}

// matrices returns a batch of products of matrices, one for each index of the axes that are neither rows nor columns.
// It records the reason why, if the factors have changed sides.
func (p *contraction) matrices(x, y factor, rows, cols, why string) *ir.Value {
	batch := keep(p.out, func(r rune) bool { return !strings.ContainsRune(rows+cols, r) })
	op := ir.OpDot
	if p.v.Op == ir.OpConvHalves {
		op = ir.OpDotHalves
	}
	dot := p.add(op, ir.Attr{}, p.matrix(x, batch, rows, p.sums), p.matrix(y, batch, p.sums, cols))
	if p.err == nil && why != "" {
		p.err = p.done(p.adder, dot, why)
	}
	if p.err == nil {
		dot, p.err = p.dot(dot)
	}
	return p.ordered(factor{p.reshaped(dot, p.shape(batch+rows+cols)), batch + rows + cols}, p.out)
}

// matrix returns f as a batch of matrices. Expansion along batch letters that f lacks is its last op, so that later
// passes see it.
func (p *contraction) matrix(f factor, batch, rows, cols string) *ir.Value {
	have := keep(batch, f.has)
	last := ir.Shape{p.shape(rows).NumElems(), p.shape(cols).NumElems()}
	x := p.reshaped(p.ordered(f, have+rows+cols), slices.Concat(p.shape(have), last))
	if have == batch {
		return x
	}
	var missing []int
	for i, r := range batch {
		if !f.has(r) {
			missing = append(missing, i)
		}
	}
	return p.add(ir.OpExpand, ir.Attr{Shape: slices.Concat(p.shape(batch), last)}, p.add(ir.OpUnsqueeze, ir.Attr{Axes: missing}, x))
}
