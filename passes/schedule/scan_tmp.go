package schedule

const accessCost = 8

const (
	PackBytesTmp = 16 << 10
)

type tmpMachine struct{ PackBytes, NonTemporalBytes, NonTemporalFrom, CallElems int }

var defaultTmp = tmpMachine{16 << 10, 8 << 10, 16 << 20, 32 << 10}

// blockElems returns how many elements a block has at most.
func (t *target) blockElems(elems int, work float64) int {
	if t.Blocks > 0 {
		return min(64<<10, t.Blocks)
	}
	pieces := 1
	if t.Workers > 1 && !t.inGroup {
		pieces = max(1, int(min(float64(t.Workers), work/(1<<16))), int(min(float64(2*t.Workers), work/(1<<20))))
	}
	return min(64<<10, ((elems-1)/pieces+64)&^63)
}
