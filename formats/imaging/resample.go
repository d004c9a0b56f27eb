package imaging

// This file resamples rows and columns of bytes.

// precision is the number of bits of weights behind the point.
const precision = 32 - 8 - 2

// weights are the weights of the old pixels for each new one.
type weights struct {
	taps  int     // for each new pixel
	first []int32 // the first old pixel
	k     []int32 // taps weights for each new pixel; they add up to about 1<<precision
}

// newWeights returns the weights for n new pixels of old ones. The number of taps is a multiple of unit, if there are as
// many old pixels.
func newWeights(n, old int, f Filter, unit int) weights {
	ratio := float64(old) / float64(n)
	wide := max(1, ratio)
	support := float64(filters[f].support * wide)
	within := func(i int) (centre float64, first, end int) { // the old pixels that have weights for a new one
		centre = float64((float64(i) + 0.5) * ratio)
		return centre, max(0, int(centre-support+0.5)), min(old, int(centre+support+0.5))
	}
	w := weights{first: make([]int32, n)}
	for i := range n {
		_, first, end := within(i)
		w.taps = max(w.taps, end-first)
	}
	k := make([]float64, 0, w.taps)
	if taps := (w.taps + unit - 1) / unit * unit; taps <= old {
		w.taps = taps
	}
	w.k = make([]int32, n*w.taps)
	for i := range n {
		centre, first, end := within(i)
		sum := 0.0
		k = k[:0]
		for j := first; j < end; j++ {
			v := filters[f].weight((float64(j) - centre + 0.5) * (1 / wide))
			k = append(k, v)
			sum += v
		}
		skip := max(0, first+w.taps-old) // weights of 0 before the others, so that all are within the row
		w.first[i] = int32(first - skip)
		for j, v := range k {
			if sum != 0 {
				v /= sum
			}
			v = float64(v * (1 << precision))
			if v < 0 {
				v -= 0.5
			} else {
				v += 0.5
			}
			w.k[i*w.taps+skip+j] = int32(v)
		}
	}
	return w
}

// byteOf returns a sum of products rounded to a byte.
func byteOf(sum int32) uint8 {
	return uint8(min(255, max(0, (sum+1<<(precision-1))>>precision)))
}

// resample resizes a raster: the rows that are needed, and then the columns.
func resample(out, from raster, f Filter) {
	if out.height() == from.height() {
		acrossRows(out, from, f)
		return
	}
	rows := newWeights(out.height(), from.height(), f, 1)
	if out.width() != from.width() {
		begin, end := int(rows.first[0]), 0
		for _, first := range rows.first {
			begin, end = min(begin, int(first)), max(end, int(first)+rows.taps)
		}
		middle := newRaster(out.width(), end-begin, out.channels)
		from.pix = from.pix[begin*from.stride:]
		from.rect.Max.Y = from.rect.Min.Y + end - begin
		acrossRows(middle, from, f)
		for i := range rows.first {
			rows.first[i] -= int32(begin)
		}
		from = middle
	}
	parallel(out.height(), out.width()*rows.taps, func(begin, end int) {
		for y := begin; y < end; y++ {
			downRow(out.row(y), from.pix[int(rows.first[y])*from.stride:], from.stride, rows.k[y*rows.taps:][:rows.taps])
		}
	})
}

// downRow computes bytes, each of those below one another, stride apart.
func downRow(dst, src []uint8, stride int, k []int32) {
	x := 0
	if blocks := len(dst) / 32; assembly && blocks > 0 {
		downBlocks(&dst[0], &src[0], stride, blocks, &k[0], len(k))
		x = 32 * blocks
		if x < len(dst) { // the last 32 bytes, some of them again
			x = len(dst)
			downBlocks(&dst[x-32], &src[x-32], stride, 1, &k[0], len(k))
		}
	}
	for ; x < len(dst); x++ {
		sum := int32(0)
		for j, w := range k {
			sum += int32(src[j*stride+x]) * w
		}
		dst[x] = byteOf(sum)
	}
}

// acrossRows resizes all rows.
func acrossRows(out, from raster, f Filter) {
	if out.width() == from.width() {
		for y := range out.height() {
			copy(out.row(y), from.row(y))
		}
		return
	}
	unit := map[int]int{1: 8, 4: 2}[out.channels]
	w := newWeights(out.width(), from.width(), f, unit)
	parallel(out.height(), out.width()*w.taps, func(begin, end int) {
		for y := begin; y < end; y++ {
			switch dst, src := out.row(y), from.row(y); {
			case assembly && w.taps%unit == 0 && unit == 8:
				acrossOne(&dst[0], &src[0], out.width(), &w.first[0], &w.k[0], w.taps/unit)
			case assembly && w.taps%unit == 0:
				acrossFour(&dst[0], &src[0], out.width(), &w.first[0], &w.k[0], w.taps/unit)
			default:
				acrossRow(dst, src, w, out.channels)
			}
		}
	})
}

// acrossRow resizes a row.
func acrossRow(dst, src []uint8, w weights, channels int) {
	for i, first := range w.first {
		for c := range channels {
			sum := int32(0)
			for j, v := range w.k[i*w.taps:][:w.taps] {
				sum += int32(src[(int(first)+j)*channels+c]) * v
			}
			dst[i*channels+c] = byteOf(sum)
		}
	}
}
