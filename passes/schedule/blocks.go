package schedule

import "github.com/stridefuse/stridefuse/ir/plan"

// Blocks: how a step is divided for several goroutines, and so that no kernel call runs
// for long. Sizes follow from the extents, the body and the machine.

// work returns what a step costs in additions of float32, by a kernel of the better
// engine for the whole body.
func (m *Machine) work(s *plan.Step) float64 {
	return m.bodyWork(s) * float64(elems(s))
}

// bodyWork returns what one index of a step costs.
func (m *Machine) bodyWork(s *plan.Step) float64 { return m.LoadWork + opWork(s) }

// opWork returns what the ops of one index cost.
func opWork(s *plan.Step) float64 {
	work := 0.0
	for _, in := range s.Body.Body {
		work += in.Op.Info().Cost
	}
	return work
}

// pieces returns into how many pieces so much work is divided at least. A small task is
// one piece for each goroutine, if the pieces are worth it: each goroutine finds its
// piece in the cache where it left it. A larger one is two for each, as some of them
// start late.
func (m *Machine) pieces(work float64) int {
	switch {
	case m.Workers <= 1:
		return 1
	case m.Blocks > 0: // a test
		return 2 * m.Workers
	}
	upTo := func(most int, least float64) int { return int(min(float64(most), work/least)) }
	return max(1, upTo(m.Workers, m.PieceWork), upTo(2*m.Workers, m.WakeWork))
}

// mostElems returns how many elements a block of a step has at most, to give work to
// several goroutines.
func (m *Machine) mostElems(s *plan.Step) int {
	if m.Blocks > 0 {
		return min(m.BlockElems, m.Blocks)
	}
	return min(m.BlockElems, ((elems(s)-1)/m.pieces(m.work(s))+64)&^63)
}

// callElems returns how many elements of a step one kernel call handles at most: fewer
// of an expensive body.
func (m *Machine) callElems(s *plan.Step) int {
	return max(m.LeastCallElems, int(float64(m.CallElems)/max(1, opWork(s)/m.CheapWork))&^63)
}

// block returns the extents of a block of a step's rows and columns: as wide as can be.
func (m *Machine) block(s *plan.Step, row, col int) (rows, cols int) {
	limit, most := m.callElems(s), m.mostElems(s)
	cols = min(s.Axes[col].Extent, limit, most)
	return max(1, min(s.Axes[row].Extent, limit/cols, most/cols)), cols
}

// slowdown returns by how much an engine is slower than the better one.
func (m *Machine) slowdown(engine string) float64 {
	if engine == portable {
		return m.PortableWork
	}
	return 1
}

// portable is the engine that is slower.
const portable = "portable"
