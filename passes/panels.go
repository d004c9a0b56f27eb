package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/form"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// panels stores the right matrices of products in the order in which kernels read them: a large matrix in panels
// (plan.Panel), a small one row by row if its rows are not contiguous. If a step computes the matrix and only the
// product reads it, that step stores it so. Otherwise a new step copies the matrix. A matrix that never changes is
// copied once for all products that read it, such as the steps of a recurrent layer.
//
// Requires: loops.
// Ensures: the right operand of every product is in panels, has contiguous rows, or is a view of windows.
func panels(s *State, m *tuning.Machine) error {
	if !slices.ContainsFunc(s.Plan.Steps, func(s plan.Step) bool { return s.Contracts() }) {
		return nil
	}
	k := &packer{p: s.Plan, m: m, fixed: s.Plan.Fixed(s.IsFrozen), uses: s.Plan.Uses()}
	rights, moved := make([]*right, len(k.p.Steps)), make([]bool, len(k.p.Steps))
	for i := range k.p.Steps {
		r, err := k.right(i)
		if err != nil {
			return err
		}
		if rights[i] = r; r != nil && r.from >= 0 {
			moved[r.from] = true
		}
	}
	var steps []plan.Step
	place := make([]int, len(k.p.Steps)) // by step, its new position
	for i := range k.p.Steps {
		if moved[i] {
			continue
		}
		if r := rights[i]; r != nil {
			steps = append(steps, k.pack(&k.p.Steps[i], r)...)
			if r.from >= 0 {
				place[r.from] = len(steps) - 1
			}
		}
		place[i] = len(steps)
		steps = append(steps, k.p.Steps[i])
	}
	k.p.Steps = steps
	for at, i := range s.Step.List {
		if i > 0 {
			s.Step.List[at] = int32(1 + place[i-1])
		}
	}
	s.Plan.Ledger = s.Decisions()
	return nil
}

// notePacked records the copies that each run packs. The steps that pack are those that store no value of the graph.
// It is called when the steps that run once are known.
func notePacked(s *State) {
	if !slices.ContainsFunc(s.Plan.Steps, func(s plan.Step) bool { return s.Contracts() }) {
		return
	}
	uses, of := s.Plan.Uses(), make([]*ir.Value, len(s.Plan.Steps)) // by step, the product or another value that it computes
	for _, v := range s.Func.Body {
		if i := *s.Step.At(v); i > 0 && (of[i-1] == nil || v.Op.IsProduct()) {
			of[i-1] = v
		}
	}
	noted := false
	for i := range s.Plan.Steps {
		if !s.Plan.Steps[i].Contracts() || of[i] == nil {
			continue
		}
		right, bytes := &s.Plan.Steps[i].In[1], 0
		for _, w := range uses.Writers(right.Buffer) {
			packs := &s.Plan.Steps[w]
			if of[w] != nil || packs.Once || s.Plan.Buffers[packs.In[0].Buffer].Kind == plan.ConstBuffer { // the rest of a panel is filled with zeros
				continue
			}
			bytes += plan.Indices(packs.Axes) * packs.Body.In[0].DType.Size()
		}
		if bytes == 0 {
			continue
		}
		why := "the rows of its right operand are not contiguous, and it is too small to be packed"
		if right.Panel != nil {
			why = fmt.Sprintf("columns of its right operand are packed once into panels of %d, as its kernels read them", right.Panel.Size)
		}
		s.Record(plan.Copied, of[i], rewrite.Moved(bytes), why)
		noted = true
	}
	if noted {
		s.Plan.Ledger = s.Decisions()
	}
}

// packer rewrites the right matrices of the products of a plan.
type packer struct {
	p      *plan.Plan
	m      *tuning.Machine
	fixed  []bool // by buffer: whether it never changes
	uses   *plan.Uses
	packed []*right // packed matrices that never change
}

// right is a packed right operand of a product.
type right struct {
	of       layout.Layout // the matrices without repeats: axes of the batch, then pairs, then columns
	down     []int         // extents of the axes that together are the pairs: several if an input of step from repeats elements along some
	width    int           // columns per panel
	inPanels bool          // false: row by row
	fixed    bool
	whole    bool // the last panel has zeros for the columns that it lacks: it is kept between runs, or its kernels read whole rows
	buffer   int  // buffer of the operand
	into     int  // buffer of the packed copy
	from     int  // step that computes the operand and can store panels, or -1
	kernel   *kernel.Kernel
	inputs   []plan.Access // inputs of step from, along the axes of the field of, with down for the pairs
}

func (r *right) pairs() int { return r.of.Shape[len(r.of.Shape)-2] }
func (r *right) cols() int  { return r.of.Shape[len(r.of.Shape)-1] }

// part is a run of panels with the same number of columns: all full panels, or the last partial one.
type part struct{ first, panels, cols int }

func (r *right) parts() (parts []part) {
	whole, rest := r.cols()/r.width, r.cols()%r.width
	if whole > 0 {
		parts = append(parts, part{0, whole, r.width})
	}
	if rest > 0 {
		parts = append(parts, part{whole * r.width, 1, rest})
	}
	return parts
}

// right returns how to pack the right operand of step i, or nil if the step reads it in place. It returns an error if
// the step can't, and the packed copy has more bytes than an int counts.
func (k *packer) right(i int) (*right, error) {
	s := &k.p.Steps[i]
	if !s.Contracts() {
		return nil, nil
	}
	at, a, cols := s.Product(), &s.In[1], len(s.Axes)-1
	down, ok := strideOver(s, a, at.Pairs, at.Rows)
	if !ok || at.Cols != cols { // the operand is windows
		return nil, nil
	}
	r := &right{buffer: a.Buffer, from: -1, fixed: k.fixed[a.Buffer], of: layout.Layout{Offset: a.Offset}}
	rows, pairs, across := plan.Indices(s.Axes[at.Rows:cols]), plan.Indices(s.Axes[at.Pairs:at.Rows]), a.Strides[cols]
	for j, axis := range s.Axes[:at.Pairs] {
		if a.Strides[j] == 0 {
			rows *= axis.Extent // one right matrix multiplies all these left ones
			continue
		}
		r.of.Shape, r.of.Strides = append(r.of.Shape, axis.Extent), append(r.of.Strides, a.Strides[j])
	}
	r.of.Shape, r.of.Strides = append(r.of.Shape, pairs, s.Axes[cols].Extent), append(r.of.Strides, down, across)
	dtype, bytes := s.Body.In[1].DType, kernel.ProductOf(s.Body) == ir.OpDotBytes
	r.inPanels, r.width = bytes || pairs*r.cols()*dtype.Size() > k.m.PackedBytes, r.cols()
	if r.inPanels {
		k.computed(r, i)
		r.inPanels = bytes || across != 1 || r.fixed || r.from >= 0 || rows >= k.m.PackedRows && !k.m.Matmul.InPlace(rows, pairs, down*dtype.Size()) && !k.packsItself(s, r, rows)
	}
	r.whole = bytes || r.fixed
	if r.inPanels {
		r.width = k.panel(s, at, dtype)
	}
	switch {
	case r.inPanels && r.fits(dtype):
		return r, nil
	case across == 1 && !bytes:
		return nil, nil
	case !r.fits(dtype):
		return nil, &ir.Error{Pos: s.Pos, Msg: "a product needs a copy of its right operand that has more bytes than an int counts"}
	}
	return r, nil
}

// packsItself reports whether a product that reads its right operand unpacked packs it chunk by chunk, which costs less: its rows are
// far apart, there are enough columns to share out, and no row group reads the product, for whose blocks it would pack it again.
func (k *packer) packsItself(s *plan.Step, r *right, rows int) bool {
	d, matrices := s.Body.In[1].DType, plan.Indices(s.Axes[:s.Product().Pairs])
	grouped := rows >= k.m.LeastProductRows && k.p.Buffers[s.Out[0].Buffer].Kind == plan.TempBuffer
	return r.cols()*d.Size() >= k.m.Matmul.SetBytes && k.m.Matmul.Shares(matrices*r.cols(), k.m.Workers) && !grouped
}

// fits reports whether an int counts the bytes of the packed copy.
func (r *right) fits(d ir.DType) bool {
	bytes, ok := d.Size(), true
	for _, n := range append(slices.Clone(r.of.Shape[:len(r.of.Shape)-1]), ((r.cols()-1)/r.width+1)*r.width) {
		if bytes, ok = layout.MulInt(bytes, n); !ok {
			return false
		}
	}
	return true
}

// panel returns the number of columns per panel. Kernels that multiply windows read narrow panels.
func (k *packer) panel(s *plan.Step, at plan.Product, d ir.DType) int {
	if kernel.ProductOf(s.Body) == ir.OpDotBytes {
		return kernel.DotBytesWidth
	}
	_, rows := strideOver(s, &s.In[0], at.Rows, at.Cols)
	_, pairs := strideOver(s, &s.In[0], at.Pairs, at.Rows)
	if !rows || !pairs {
		return kernel.DotColumns(d)
	}
	return k.m.Matmul.Panel(d)
}

// strideOver returns the common stride of an access over several axes. It returns false if there is none.
func strideOver(s *plan.Step, a *plan.Access, first, end int) (stride int, ok bool) {
	stride = a.Strides[end-1]
	for j, n := end-1, 1; j >= first; j-- {
		if a.Strides[j] != n*stride {
			return 0, false
		}
		n *= s.Axes[j].Extent
	}
	return stride, true
}

// computed sets r.from if an elementwise step computes the operand, only product i reads it, and the step can store
// panels.
func (k *packer) computed(r *right, i int) {
	b, writers := &k.p.Buffers[r.buffer], k.uses.Writers(r.buffer)
	if b.Kind != plan.TempBuffer || k.uses.OnlyReader(r.buffer) != i || len(writers) != 1 || k.p.Steps[i].In[0].Buffer == r.buffer {
		return
	}
	s := &k.p.Steps[writers[0]]
	if !r.of.Equal(layout.RowMajor(r.of.Shape...)) || r.of.Size() != b.Size() || !s.Elementwise() || len(s.Out) != 1 {
		return
	}
	lead, last := len(r.of.Shape)-2, len(s.Axes)-1
	shapes := [][]int{r.of.Shape}
	if own := s.Extents(); last > lead && own[last] == r.cols() && slices.Equal(own[:lead], r.of.Shape[:lead]) {
		shapes = append(shapes, own)
	}
	for _, shape := range shapes {
		if inputs := inputsOver(s, shape); inputs != nil {
			r.from, r.kernel, r.inputs, r.down = writers[0], s.Body, inputs, shape[lead:len(shape)-1]
			return
		}
	}
}

// inputsOver returns the inputs of an elementwise step with strides along the axes of a shape, or nil if an operand has none or the
// output is not row-major.
func inputsOver(s *plan.Step, shape []int) (inputs []plan.Access) {
	over := func(a *plan.Access) (layout.Layout, bool) {
		return layout.Layout{Shape: s.Extents(), Strides: a.Strides, Offset: a.Offset}.Reshape(shape...)
	}
	if to, ok := over(&s.Out[0].Access); !ok || !to.Equal(layout.RowMajor(shape...)) {
		return nil
	}
	for j, a := range s.In {
		l, ok := over(&a)
		if !ok || form.AllZero(l.Strides) != s.Body.In[j].Splat {
			return nil
		}
		a.Strides = l.Strides
		inputs = append(inputs, a)
	}
	return inputs
}

// pack redirects a product to the packed copy of its right operand and returns the steps that store the copy. It
// returns none if the steps of another product have stored it.
func (k *packer) pack(s *plan.Step, r *right) (steps []plan.Step) {
	to := layout.RowMajor(slices.Concat(r.of.Shape[:len(r.of.Shape)-2], []int{r.pairs() * ((r.cols()-1)/r.width + 1) * r.width})...)
	if i := slices.IndexFunc(k.packed, func(p *right) bool { return r.fixed && p.width == r.width && p.buffer == r.buffer && p.of.Equal(r.of) }); i >= 0 {
		r.into = k.packed[i].into
	} else {
		steps = k.store(s, r, to)
		k.packed = append(k.packed, r)
	}
	at, a := s.Product(), &s.In[1]
	a.Buffer, a.Offset, a.Strides = r.into, 0, slices.Clone(a.Strides)
	next := 0
	for j := range s.Axes[:at.Pairs] {
		if a.Strides[j] != 0 {
			a.Strides[j], next = to.Strides[next], next+1
		}
	}
	for j, n := at.Rows-1, r.width; j >= at.Pairs; j-- {
		a.Strides[j], n = n, n*s.Axes[j].Extent
	}
	a.Strides[len(a.Strides)-1] = 1
	if r.inPanels {
		a.Panel = &plan.Panel{Axis: len(s.Axes) - 1, Size: r.width, Stride: r.pairs() * r.width}
	}
	if y := s.Body.In[1]; y.Splat {
		y.Splat = false
		s.Body = kernel.ProductBody(kernel.ProductOf(s.Body), s.Body.In[0], y)
	}
	return steps
}

// store returns the steps that pack a right operand: one for the full panels and one for the last partial panel, or
// one that copies row by row. If the matrix never changes, another step stores zeros in the columns that the last panel
// lacks. The packed matrix may then be kept between runs, and all of what is kept is written.
func (k *packer) store(s *plan.Step, r *right, to layout.Layout) (steps []plan.Step) {
	if r.into = r.buffer; r.from < 0 {
		r.into = len(k.p.Buffers)
		k.p.Buffers = append(k.p.Buffers, plan.Buffer{Kind: plan.TempBuffer, DType: s.Body.In[1].DType})
		r.kernel = copying(kernel.Operand{DType: s.Body.In[1].DType, Splat: form.AllZero(r.of.Strides)})
		r.inputs, r.down = []plan.Access{{Buffer: r.buffer, Offset: r.of.Offset, Strides: r.of.Strides}}, []int{r.pairs()}
	}
	k.p.Buffers[r.into].Shape = to.Shape
	if !r.inPanels {
		dense := layout.RowMajor(r.of.Shape...)
		k.p.Buffers[r.into].Shape = dense.Shape
		ls, _ := layout.Refine(r.of, dense)
		rank := max(2, len(ls[0].Shape))
		r.inputs[0].Strides = form.Leading(ls[0].Strides, rank, 0)
		out := plan.Access{Buffer: r.into, Strides: form.Leading(ls[1].Strides, rank, 0)}
		return []plan.Step{{Body: r.kernel, Axes: form.Parallel(form.Leading(ls[0].Shape, rank, 1)), In: r.inputs, Out: []plan.Output{{Access: out}}, Pos: s.Pos}}
	}
	lead := len(r.of.Shape) - 2
	for _, part := range r.parts() {
		one := plan.Step{Body: r.kernel, Axes: form.Parallel(slices.Concat(r.of.Shape[:lead], []int{part.panels}, r.down, []int{part.cols})), Pos: s.Pos}
		for _, in := range r.inputs {
			across := in.Strides[len(in.Strides)-1]
			in.Offset += part.first * across
			in.Strides = slices.Insert(slices.Clone(in.Strides), lead, r.width*across)
			one.In = append(one.In, in)
		}
		panel := layout.RowMajor(append(slices.Clone(r.down), r.width)...)
		strides := slices.Concat(to.Strides[:lead], []int{r.width * r.pairs()}, panel.Strides)
		one.Out = []plan.Output{{Access: plan.Access{Buffer: r.into, Offset: part.first * r.pairs(), Strides: strides}}}
		steps = append(steps, one)
	}
	if rest := r.cols() % r.width; rest > 0 && r.whole {
		zero := plan.Access{Buffer: len(k.p.Buffers), Strides: make([]int, lead+2)}
		k.p.Buffers = append(k.p.Buffers, plan.Buffer{Kind: plan.ConstBuffer, DType: s.Body.In[1].DType})
		out := plan.Access{Buffer: r.into, Offset: r.cols()/r.width*r.pairs()*r.width + rest, Strides: append(slices.Clone(to.Strides[:lead]), r.width, 1)}
		steps = append(steps, plan.Step{
			Body: copying(kernel.Operand{DType: s.Body.In[1].DType, Splat: true}), Axes: form.Parallel(append(slices.Clone(r.of.Shape[:lead]), r.pairs(), r.width-rest)),
			In: []plan.Access{zero}, Out: []plan.Output{{Access: out}}, Pos: s.Pos,
		})
	}
	return steps
}

// copying returns a body that copies one operand.
func copying(x kernel.Operand) *kernel.Kernel {
	k, err := kernel.SingleOp(ir.OpCopy, ir.Invalid, x)
	if err != nil {
		panic(err)
	}
	return k
}
