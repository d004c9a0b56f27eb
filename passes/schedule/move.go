package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
)

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
