package page

import "math"

// The last phase of a layout: coordinates. The order of boxes in a layer is fixed.

// place sets the coordinates of each box: layers one below the other, boxes as near to the mean of their neighbours as
// order and widths allow.
func (d *drawing) place() {
	y := 0.0
	for _, layer := range d.layers {
		height := 0.0
		for _, i := range layer {
			height = max(height, d.boxes[i].h)
		}
		for _, i := range layer {
			d.boxes[i].y = y + height/2
		}
		y += height + gapY
	}
	d.height = max(0, y-gapY)
	for _, layer := range d.layers {
		d.spread(layer, func(int) float64 { return 0 })
	}
	for sweep := range 12 {
		for k := range d.layers {
			layer := d.layers[k]
			if sweep%2 == 1 {
				layer = d.layers[len(d.layers)-1-k]
			}
			d.spread(layer, func(i int) float64 {
				b := &d.boxes[i]
				near := b.up
				if sweep%2 == 1 || len(near) == 0 {
					near = b.down
				}
				if len(near) == 0 {
					return b.x
				}
				return meanOf(near, func(j int) float64 { return d.boxes[j].x })
			})
		}
	}
	d.shift()
}

// spread places the boxes of a layer without overlap so that the sum of squared distances from their ideal positions is
// least. Boxes that touch form a run, which is placed at the mean of its boxes' ideal positions (the
// pool-adjacent-violators algorithm, Ayer et al. 1955).
func (d *drawing) spread(layer []int, ideal func(i int) float64) {
	type run struct {
		sum float64 // sum of the ideal positions minus the offsets in the run
		n   int
	}
	offset := make([]float64, len(layer)) // distance of each box from the first if all boxes touch
	var runs []run
	for k, i := range layer {
		if k > 0 {
			offset[k] = offset[k-1] + (d.boxes[layer[k-1]].w+d.boxes[i].w)/2 + gapX
		}
		runs = append(runs, run{ideal(i) - offset[k], 1})
		for n := len(runs); n > 1 && runs[n-2].sum/float64(runs[n-2].n) > runs[n-1].sum/float64(runs[n-1].n); n-- {
			runs[n-2].sum += runs[n-1].sum
			runs[n-2].n += runs[n-1].n
			runs = runs[:n-1]
		}
	}
	k := 0
	for _, r := range runs {
		for range r.n {
			d.boxes[layer[k]].x = r.sum/float64(r.n) + offset[k]
			k++
		}
	}
}

// shift moves all boxes so that the leftmost one begins at 0.
func (d *drawing) shift() {
	left, right := math.Inf(1), math.Inf(-1)
	for _, b := range d.boxes {
		left, right = min(left, b.x-b.w/2), max(right, b.x+b.w/2)
	}
	if len(d.boxes) == 0 {
		return
	}
	for i := range d.boxes {
		d.boxes[i].x -= left
	}
	d.width = right - left
}
