package schedule

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// wholeBody calls one kernel for the whole body, a block at a time. Operands that are strided along the columns are copied into
// a tile of local memory first, and the kernel is called for each tile.
func (e *elemWriter) wholeBody() (offer, string) {
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	if m := e.asMove(); m != nil {
		return e.offerMove(m), ""
	}
	c, why := e.oneKernel()
	if c == nil {
		return offer{}, why
	}
	return e.offer(c.work(), func() (computation, string) { return c, "" }), ""
}

// oneKernel is the computation of a tile by one call.
type oneKernel struct {
	k      kernel.Code
	order  []int // the kernel's input i is input order[i] of the step
	engine string
	cost   float64
}

// oneKernel returns the kernel of the whole body, or says that there is none.
func (e *elemWriter) oneKernel() (c *oneKernel, why string) {
	if e.t.TilingOnly {
		return nil, tilingOnly
	}
	of := e.found
	if !of.looked || !slices.Equal(of.splats, e.splats) {
		of.looked, of.splats = true, append(of.splats[:0], e.splats...)
		of.one, of.why = e.findKernel()
	}
	return of.one, of.why
}

// bodyKernel is the kernel of a step's whole body that was looked up last. Writers of the step share it.
type bodyKernel struct {
	looked bool
	splats []bool
	one    *oneKernel
	why    string        // there is none
	body   kernel.Kernel // space for the body with other classes of inputs
}

// findKernel looks up the kernel of the whole body.
func (e *elemWriter) findKernel() (c *oneKernel, why string) {
	k, order := e.body()
	if k.Pointers() > kernel.MaxPointers {
		return nil, "the body has more operands with columns than a kernel"
	}
	engine, why := e.t.engine(k)
	if why != "" {
		return nil, "no kernel of the whole body is registered"
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: e.t.BodyWork(e.step) * e.t.slowdown(engine)}, ""
}

func (c *oneKernel) work() float64  { return c.cost }
func (c *oneKernel) tileElems() int { return 0 }

func (c *oneKernel) describe(choice *nest.Choice) {
	choice.Kernel, choice.Engine, choice.Kernels = c.k.Signature(), c.engine, 1
}

// write returns the call.
func (c *oneKernel) write(e *elemWriter, _, tile *walk) (perRow, perTile []nest.Item) {
	args := make([]nest.Arg, 0, len(e.at))
	for _, i := range c.order {
		if at, ok := e.leads(i); ok {
			from := e.at[i]
			from.offset -= at
			args = append(args, tile.arg(&from, e.row))
		}
	}
	for o := range e.step.Out {
		if _, ok := e.leads(len(e.step.In) + o); !ok {
			continue
		}
		to := e.at[len(e.step.In)+o]
		if e.copiedOut(o) {
			to = e.outTile(o, tile)
		}
		args = append(args, tile.arg(&to, e.row))
	}
	rows, cols := e.callSize(tile)
	it := call(c.k, rows, cols, args)
	it.Call.NonTemporal = slices.Contains(e.stages[len(e.step.In):], nonTemporal)
	return nil, []nest.Item{it}
}

// compute returns the cheapest computation of a tile: one kernel for the body, perhaps with broadcast operands filled, or a
// tiling. It serves the options that stage operands in their own way.
func (e *elemWriter) compute() (c computation, why string) {
	one, why := e.oneKernel()
	if one != nil && one.engine != portable {
		return one, "" // a tiling by the same kernels costs more
	}
	most := math.Inf(1)
	tiles, whyTiles := e.newTiling()
	if tiles != nil {
		most = tiles.work()
	}
	if one != nil && one.work() <= most {
		return one, ""
	}
	if !e.joined { // joined rows have no place for the elements of one
		if one = e.fillKernel(most); one != nil {
			return one, ""
		}
	}
	if tiles == nil {
		return nil, why + "; " + whyTiles
	}
	return tiles, ""
}

// move is the computation of a step that only copies elements, strided or in another order. The call that would stage the
// operand for a kernel stores the result, and elements pass the first-level cache once.
type move struct {
	e  *elemWriter
	by stage
}

// asMove returns the computation of a step that copies a staged operand, which is not staged any more. It returns nil if the
// step is no copy, or if the result may be in the memory of the operand, which is read row by row.
func (e *elemWriter) asMove() *move {
	s := e.step
	body := s.Body.Body
	if e.t.TilingOnly || len(body) != 1 || body[0].Op != ir.OpCopy || len(e.ops) != 2 || e.stages[1] != direct || e.t.mayAlias(s.In[0].Buffer, s.Out[0].Buffer) {
		return nil
	}
	by := e.stages[0]
	switch by {
	case packed, packedAcross, transposedBlock:
		e.stages[0] = direct
		return &move{e, by}
	}
	return nil
}

// offerMove returns the offer to move.
func (e *elemWriter) offerMove(m *move) offer {
	return e.offer(m.work(), func() (computation, string) { return m, "" })
}

// work returns what the stage costs.
func (m *move) work() float64 {
	if m.by == inserted {
		return float64(m.e.insert.factor) * m.e.t.StageWork / 2
	}
	m.e.stages[0] = m.by
	defer func() { m.e.stages[0] = direct }()
	return m.e.stageWork(0)
}

func (m *move) tileElems() int { return 0 }

func (m *move) describe(choice *nest.Choice) {
	k := packKernel(m.e.ops[0].dtype)
	switch {
	case m.by == inserted:
		k = insertKernel(m.e.ops[0].dtype)
	case m.by != packed:
		k = transposeKernel(m.e.ops[0].dtype)
	}
	choice.Kernel, choice.Kernels = m.e.step.Body.Signature(), 1
	choice.Engine, _ = m.e.t.engine(k)
}

func (m *move) write(e *elemWriter, _, tile *walk) (perRow, perTile []nest.Item) {
	switch {
	case m.by == inserted:
		return nil, []nest.Item{e.insertCall(&e.at[0], tile)}
	case m.by == packed:
		return nil, []nest.Item{e.packRows(0, tile.size[e.row], tile, &e.at[1])}
	}
	return nil, []nest.Item{e.transpose(0, tile, &e.at[1])}
}
