package nest

import (
	"fmt"
	"slices"
)

// position is one iteration of each of the loops that enclose an item.
type position struct {
	at     []int // by loop, the outermost first: the iteration's number
	covers []int // the number of indices it covers
}

// iterate calls f for each iteration of a nest's loops, the last loop moving fastest. from is the position of the enclosing
// loops.
func (n *Nest) iterate(from position, f func(position) error) error {
	return iterateLoops(n.Loops, from, f)
}

func iterateLoops(loops []Loop, from position, f func(position) error) error {
	if len(loops) == 0 {
		return f(from)
	}
	extent, err := from.size(loops[0].Extent)
	tile := loops[0].Tile
	switch {
	case err != nil:
		return fmt.Errorf(": loop %d: %w", len(from.at), err)
	case extent < 0 || tile < 1:
		return fmt.Errorf(": loop %d: %d indices, %d at a time", len(from.at), extent, tile)
	}
	for i := 0; i*tile < extent; i++ {
		at := position{append(slices.Clone(from.at), i), append(slices.Clone(from.covers), min(tile, extent-i*tile))}
		if err := iterateLoops(loops[1:], at, f); err != nil {
			return err
		}
	}
	return nil
}

// size returns the value of a size at the position.
func (p position) size(s Size) (int, error) {
	switch {
	case s.Loop == -1:
		return s.N, nil
	case s.Loop < 0 || s.Loop >= len(p.covers):
		return 0, fmt.Errorf("loop %d does not enclose the size", s.Loop)
	}
	return s.N * p.covers[s.Loop], nil
}

// offset returns the offset of an argument in its slot, in elements.
func (p position) offset(a *Arg) (int, error) {
	if len(a.Strides) != len(p.at) {
		return 0, fmt.Errorf("%d strides in %d loops", len(a.Strides), len(p.at))
	}
	at := a.Offset
	for l, i := range p.at {
		at += i * a.Strides[l]
	}
	return at, nil
}
