package page

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// randomPicture draws a picture whose edges lead from earlier boxes to later ones.
func randomPicture(t *rapid.T) *Picture {
	p := &Picture{Name: "random"}
	n := rapid.IntRange(0, 60).Draw(t, "n")
	for i := range n {
		kind := Computed
		if i == 0 || rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
			kind = Given
		}
		p.Nodes = append(p.Nodes, Node{Title: fmt.Sprint("box ", i), Lines: []string{rapid.StringN(0, 12, -1).Draw(t, "line")}, Kind: kind, Group: i%3 - 1, Origin: []int{i}})
		if kind == Given {
			continue
		}
		for range rapid.IntRange(0, 3).Draw(t, "edges") {
			p.Edges = append(p.Edges, Edge{From: rapid.IntRange(0, i-1).Draw(t, "from"), To: i})
		}
	}
	return p
}

// TestLayout holds the layout of random pictures to what it promises.
func TestLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPicture(t)
		d := layoutOf(p)
		for _, layer := range d.layers {
			for k, i := range layer {
				b := &d.boxes[i]
				require.GreaterOrEqual(t, b.x-b.w/2, -1e-6)
				require.LessOrEqual(t, b.x+b.w/2, d.width+1e-6)
				require.LessOrEqual(t, b.y+b.h/2, d.height+1e-6)
				if k > 0 {
					a := &d.boxes[layer[k-1]]
					require.GreaterOrEqual(t, b.x-b.w/2-(a.x+a.w/2), gapX-1e-6, "boxes of a layer overlap")
				}
			}
		}
		require.Len(t, d.routes, len(p.Edges))
		for _, r := range d.routes {
			e, first, last := p.Edges[r.edge], d.boxes[r.via[0]], d.boxes[r.via[len(r.via)-1]]
			require.Equal(t, e.From, first.node)
			require.Equal(t, e.To, last.node)
			require.LessOrEqual(t, len(r.via), maxSpan+1)
			for k := 1; k < len(r.via); k++ {
				a, b := d.boxes[r.via[k-1]], d.boxes[r.via[k]]
				require.Equal(t, a.layer+1, b.layer)
				require.Less(t, a.y+a.h/2, b.y-b.h/2, "an edge that does not lead downwards")
			}
		}
		require.Equal(t, d, layoutOf(p), "another layout for the same picture")
	})
}

// TestSpread compares places with those that a search finds.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Float64Range(-100, 100), 1, 8).Draw(t, "want")
		d := &drawing{boxes: make([]box, len(want))}
		layer := make([]int, len(want))
		for i := range want {
			layer[i], d.boxes[i].w = i, 10
		}
		d.spread(layer, func(i int) float64 { return want[i] })
		cost := func() float64 {
			sum := 0.0
			for i, w := range want {
				sum += (d.boxes[i].x - w) * (d.boxes[i].x - w)
			}
			return sum
		}
		best := cost()
		for first := range want { // no run of boxes gets better by moving
			for last := first; last < len(want); last++ {
				for _, step := range []float64{-0.5, 0.5} {
					before := slices.Clone(d.boxes)
					for i := first; i <= last; i++ {
						d.boxes[i].x += step
					}
					room := (first == 0 || d.boxes[first].x-d.boxes[first-1].x >= 10+gapX) && (last == len(want)-1 || d.boxes[last+1].x-d.boxes[last].x >= 10+gapX)
					require.False(t, room && cost() < best-1e-6, "%v from %d to %d", want, first, last)
					d.boxes = before
				}
			}
		}
	})
}
