package page

import (
	"fmt"
	"slices"
)

// Fold is a run of steps that repeat those before them, such as the layers of a model. The page shows the run as one row, one line
// and one box, until a click opens it.
type Fold struct {
	First, Last int
	Text        string
}

// foldedFrom is the least number of boxes of a picture whose folds are boxes.
const foldedFrom = 100

// fold returns the index of the fold that has a step, or -1.
func fold(folds []Fold, step int) int {
	return slices.IndexFunc(folds, func(f Fold) bool { return f.First <= step && step <= f.Last })
}

// folded returns a picture in which each fold is one box. The group of a box is its step. A box without a group belongs to a fold if
// only boxes of the fold read it, or if it stands between boxes of the fold.
func (p *Picture) folded(folds []Fold) *Picture {
	in := make([]int, len(p.Nodes)) // by node: its fold, or -1
	reads, readers := make([][]int, len(p.Nodes)), make([][]int, len(p.Nodes))
	for _, e := range p.Edges {
		reads[e.To], readers[e.From] = append(reads[e.To], e.From), append(readers[e.From], e.To)
	}
	below := make([]int, len(p.Nodes)) // by node: the fold from which boxes without a group lead to it, or -1
	for i, n := range p.Nodes {
		in[i], below[i] = -1, -1
		if n.Group >= 0 {
			in[i] = fold(folds, n.Group)
			below[i] = in[i]
		}
		for _, a := range reads[i] {
			if n.Group < 0 {
				below[i] = max(below[i], below[a])
			}
		}
	}
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		if p.Nodes[i].Group >= 0 || p.Nodes[i].Kind == Result || len(readers[i]) == 0 {
			continue
		}
		first := in[readers[i][0]]
		alone := first >= 0 && !slices.ContainsFunc(readers[i], func(r int) bool { return in[r] != first })
		between := below[i] >= 0 && slices.ContainsFunc(readers[i], func(r int) bool { return in[r] == below[i] })
		if alone {
			in[i] = first
		} else if between {
			in[i] = below[i]
		}
	}
	return p.merged(in, folds)
}

// merged returns a picture in which the boxes of each fold are one.
func (p *Picture) merged(in []int, folds []Fold) *Picture {
	out := &Picture{Name: p.Name, Groups: p.Groups}
	of, boxes := make([]int, len(p.Nodes)), make([]int, len(folds)) // the box of a node; of a fold, plus 1
	var nodes []Node
	for i, n := range p.Nodes {
		k := in[i]
		if k < 0 {
			of[i], nodes = len(nodes), append(nodes, n)
			continue
		}
		if boxes[k] == 0 {
			nodes = append(nodes, Node{Title: fmt.Sprintf("steps %d to %d", folds[k].First, folds[k].Last), Lines: []string{folds[k].Text}, Group: -1, Kind: Folded})
			boxes[k] = len(nodes)
		}
		of[i] = boxes[k] - 1
	}
	met := map[[2]int]bool{}
	for _, e := range p.Edges {
		if e.From, e.To = of[e.From], of[e.To]; e.From != e.To && !met[[2]int{e.From, e.To}] {
			met[[2]int{e.From, e.To}] = true
			out.Edges = append(out.Edges, e)
		}
	}
	return out.ordered(nodes)
}

// ordered adds nodes so that sources of edges come before their targets. It returns nil if the edges have a circle.
func (p *Picture) ordered(nodes []Node) *Picture {
	waits, readers := make([]int, len(nodes)), make([][]int, len(nodes))
	for _, e := range p.Edges {
		waits[e.To]++
		readers[e.From] = append(readers[e.From], e.To)
	}
	at, ready := make([]int, len(nodes)), []int{}
	for i := range nodes {
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := slices.Min(ready)
		ready = slices.DeleteFunc(ready, func(k int) bool { return k == i })
		at[i] = len(p.Nodes)
		p.Nodes = append(p.Nodes, nodes[i])
		for _, r := range readers[i] {
			if waits[r]--; waits[r] == 0 {
				ready = append(ready, r)
			}
		}
	}
	if len(p.Nodes) < len(nodes) {
		return nil
	}
	for i := range p.Edges {
		p.Edges[i].From, p.Edges[i].To = at[p.Edges[i].From], at[p.Edges[i].To]
	}
	return p
}
