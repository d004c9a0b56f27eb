package onnx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// NonMaxSuppression keeps, of boxes that overlap much, the one with the greatest score.

// suppression has the settings of NonMaxSuppression.
type suppression struct {
	most    int64   // the most boxes of a class
	overlap float32 // the largest allowed overlap of two boxes of a class: common area by total area
	scored  bool    // boxes must have scores above score
	score   float32
	centers bool // boxes are [x, y, width, height] with the center, otherwise [y, x, y, x] of two corners
}

// nonMaxSuppression returns rows [sample, class, box] for boxes [samples, n, 4] with scores [samples, classes, n]. For
// each class it takes the boxes by descending score, without those that overlap one taken before.
func nonMaxSuppression(c *call) []value {
	number, none := constantOf(graph.Of([]float32{0})), constantOf(graph.Of([]int64{0}))
	s := suppression{scored: c.has(4), centers: c.flag("center_point_box")}
	for i, usual := range []value{number, number, none, number, number} {
		switch {
		case i == len(c.in):
			c.in = append(c.in, usual)
		case !c.has(i):
			c.in[i] = usual
		case c.in[i].dtype() != usual.dtype():
			return c.fail("input %d is of %s: it must be %s", i, c.in[i].dtype(), usual.dtype())
		}
	}
	if boxes, scores := c.in[0], c.in[1]; boxes.kind == constant && scores.kind == constant {
		n := scores.tensor.Size()
		if n > mostFolded {
			return c.fail("%d scores that are known at load: it takes up to %d", n, mostFolded)
		}
		if c.spendElements(n * scores.tensor.Shape()[2]); c.err != nil { // each box may be compared with all others of its sample
			return nil
		}
	}
	eval := func(ctx context.Context, in []*graph.Tensor) ([]*graph.Tensor, error) {
		s := s // a copy for this run
		var errs [3]error
		s.most, errs[0] = graph.At[int64](in[2].Reshape())
		s.overlap, errs[1] = graph.At[float32](in[3].Reshape())
		s.score, errs[2] = graph.At[float32](in[4].Reshape())
		if err := errors.Join(errs[:]...); err != nil {
			return nil, err
		}
		rows, err := s.rows(ctx, in[0], in[1])
		return []*graph.Tensor{graph.Of(rows, len(rows)/3, 3)}, err
	}
	return c.edge(eval, result{graph.Int64, graph.Shape{c.found(), ir.Fixed(3)}})
}

// rows returns the elements of the result.
func (s suppression) rows(ctx context.Context, boxes, scores *graph.Tensor) (rows []int64, err error) {
	b, k := boxes.Shape(), scores.Shape()
	if b[2] != 4 || b[0] != k[0] || b[1] != k[2] {
		return nil, fmt.Errorf("boxes of shape %v and scores of shape %v: they must be [samples, boxes, 4] and [samples, classes, boxes]", b, k)
	}
	corners, err := graph.Data[float32](boxes.Contiguous())
	if err != nil {
		return nil, err
	}
	points, err := graph.Data[float32](scores.Contiguous())
	if err != nil {
		return nil, err
	}
	for sample := range k[0] {
		places := s.rectangles(corners[sample*b[1]*4:][:b[1]*4])
		for class := range k[1] {
			kept, err := s.selected(ctx, places, points[(sample*k[1]+class)*k[2]:][:k[2]])
			if err != nil {
				return nil, err
			}
			for _, box := range kept {
				rows = append(rows, int64(sample), int64(class), int64(box))
			}
		}
	}
	return rows, nil
}

// selected returns boxes of one class by descending score; of equal scores the first box first.
func (s suppression) selected(ctx context.Context, boxes []rectangle, scores []float32) (kept []int, err error) {
	var order []int
	for i, score := range scores {
		if !s.scored || score > s.score {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	for _, i := range order {
		if err := ctx.Err(); err != nil || int64(len(kept)) >= s.most {
			return kept, err
		}
		if !slices.ContainsFunc(kept, func(j int) bool { return boxes[i].overlap(boxes[j]) > s.overlap }) {
			kept = append(kept, i)
		}
	}
	return kept, nil
}

// rectangle is a box from x to right and from y to bottom.
type rectangle struct{ y, x, bottom, right float32 }

// rectangles returns boxes of four numbers each.
func (s suppression) rectangles(boxes []float32) []rectangle {
	out := make([]rectangle, len(boxes)/4)
	for i := range out {
		p, q, r, t := boxes[4*i], boxes[4*i+1], boxes[4*i+2], boxes[4*i+3]
		if s.centers {
			out[i] = rectangle{y: q - float32(t/2), x: p - float32(r/2), bottom: q + float32(t/2), right: p + float32(r/2)}
		} else {
			out[i] = rectangle{y: min(p, r), x: min(q, t), bottom: max(p, r), right: max(q, t)}
		}
	}
	return out
}

// overlap returns the common area of two boxes by their total area, or 0 for boxes without area. Each product is
// rounded, so that all machines compute the same bits.
func (a rectangle) overlap(b rectangle) float32 {
	area := func(r rectangle) float32 { return float32(max(0, r.bottom-r.y) * max(0, r.right-r.x)) }
	common := area(rectangle{max(a.y, b.y), max(a.x, b.x), min(a.bottom, b.bottom), min(a.right, b.right)})
	if !(common > 0) {
		return 0
	}
	return common / (area(a) + area(b) - common)
}
