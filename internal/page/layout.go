package page

import (
	"sort"
)

// Layout of a picture in layers, by the method of Sugiyama, Tagawa and Toda (1981). Boxes are assigned to layers from
// top to bottom, and long edges get a point in each layer between. The boxes of a layer are ordered by the mean
// position of their neighbours, then moved towards them as far as there is room. The input is a picture, the output a
// position for each box and the course of each edge. Boxes do not overlap, and edges lead downwards.
//
// Lines from an input, or over many layers, would cross the whole picture. A stub, a small box with the name, is drawn
// beside the reader instead.

// Sizes in a picture, in pixels.
const (
	charWidth  = 7.3
	lineHeight = 15.0
	boxPad     = 9.0
	gapX, gapY = 18.0, 34.0
	pointWidth = 6.0 // width of the point of an edge in a layer
	maxLayer   = 24  // the most boxes in a layer
	maxSpan    = 6   // the most layers that an edge crosses
)

// box is a box or a point of an edge, in a layer.
type box struct {
	node  int // index in the picture, -1 for a point
	stub  bool
	layer int
	w, h  float64
	x, y  float64 // position of the center
	up    []int   // neighbours in the layer above
	down  []int
	order float64
}

// route is the course of an edge as a list of boxes, from one end to the other.
type route struct {
	edge int
	via  []int
}

// drawing is a picture with positions.
type drawing struct {
	boxes         []box
	layers        [][]int
	routes        []route
	width, height float64
}

// layoutOf returns a drawing of a picture.
func layoutOf(p *Picture) *drawing {
	d := &drawing{}
	layer := layersOf(p)
	at := make([]int, len(p.Nodes)) // the box of each node
	for i, n := range p.Nodes {
		at[i] = d.add(box{node: i, layer: layer[i], w: widthOf(n), h: heightOf(n)})
	}
	for e := range p.Edges {
		d.route(p, e, at, layer)
	}
	d.fill()
	d.arrange()
	d.place()
	return d
}

func widthOf(n Node) float64 {
	longest := len([]rune(n.Title))
	for _, l := range n.Lines {
		longest = max(longest, int(float64(len([]rune(l)))*0.86))
	}
	return max(36, float64(longest)*charWidth+2*boxPad)
}

func heightOf(n Node) float64 { return lineHeight*float64(1+len(n.Lines)) + boxPad }

// layersOf puts each node below the nodes it reads, and an input above its first reader. A layer has at most maxLayer
// nodes.
func layersOf(p *Picture) []int {
	layer, full := make([]int, len(p.Nodes)), map[int]int{}
	ins := make([][]int, len(p.Nodes))
	for _, e := range p.Edges {
		ins[e.To] = append(ins[e.To], e.From)
	}
	for i, n := range p.Nodes {
		if n.Kind == Given {
			layer[i] = -1 // -1 until it has a reader
			continue
		}
		layer[i] = 1
		for _, a := range ins[i] {
			if p.Nodes[a].Kind != Given {
				layer[i] = max(layer[i], layer[a]+1)
			}
		}
		for full[layer[i]] >= maxLayer {
			layer[i]++
		}
		full[layer[i]]++
		for _, a := range ins[i] {
			if layer[a] < 0 {
				layer[a] = layer[i] - 1
			}
		}
	}
	for i := range layer {
		layer[i] = max(0, layer[i])
	}
	return layer
}

// add appends a box.
func (d *drawing) add(b box) int {
	d.boxes = append(d.boxes, b)
	return len(d.boxes) - 1
}

// link connects box a with box b in the layer below.
func (d *drawing) link(a, b int) {
	d.boxes[a].down = append(d.boxes[a].down, b)
	d.boxes[b].up = append(d.boxes[b].up, a)
}

// route leads an edge through the layers, or starts it with a stub.
func (d *drawing) route(p *Picture, e int, at, layer []int) {
	from, to := p.Edges[e].From, p.Edges[e].To
	n := &p.Nodes[from]
	span := layer[to] - layer[from]
	if span > maxSpan || n.Kind == Given && span != 1 {
		stub := d.add(box{node: from, stub: true, layer: layer[to] - 1, w: widthOf(Node{Title: n.Title}), h: lineHeight + boxPad})
		d.link(stub, at[to])
		d.routes = append(d.routes, route{e, []int{stub, at[to]}})
		return
	}
	via := []int{at[from]}
	for l := layer[from] + 1; l < layer[to]; l++ {
		point := d.add(box{node: -1, layer: l, w: pointWidth})
		d.link(via[len(via)-1], point)
		via = append(via, point)
	}
	d.link(via[len(via)-1], at[to])
	d.routes = append(d.routes, route{e, append(via, at[to])})
}

// fill makes the list of each layer.
func (d *drawing) fill() {
	for i, b := range d.boxes {
		for len(d.layers) <= b.layer {
			d.layers = append(d.layers, nil)
		}
		d.layers[b.layer] = append(d.layers[b.layer], i)
	}
}

// arrange orders the boxes of each layer to reduce crossings: by the mean position of their neighbours, layer by layer
// downwards and upwards.
func (d *drawing) arrange() {
	position := make([]float64, len(d.boxes))
	number := func(layer []int) {
		for k, i := range layer {
			position[i] = float64(k)
		}
	}
	for _, layer := range d.layers {
		number(layer)
	}
	for sweep := range 8 {
		for k := range d.layers {
			layer := d.layers[k]
			if sweep%2 == 1 {
				layer = d.layers[len(d.layers)-1-k]
			}
			for _, i := range layer {
				b := &d.boxes[i]
				near := b.up
				if sweep%2 == 1 {
					near = b.down
				}
				if b.order = position[i]; len(near) > 0 {
					b.order = meanOf(near, func(j int) float64 { return position[j] })
				}
			}
			sort.SliceStable(layer, func(i, j int) bool { return d.boxes[layer[i]].order < d.boxes[layer[j]].order })
			number(layer)
		}
	}
}

func meanOf(list []int, f func(int) float64) float64 {
	sum := 0.0
	for _, i := range list {
		sum += f(i)
	}
	return sum / float64(len(list))
}
