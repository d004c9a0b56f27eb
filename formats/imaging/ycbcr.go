package imaging

import (
	"fmt"
	"image"
	"image/color"
)

// This file converts luma and chroma, as of JPEG files, to red, green and blue.

// rgba returns the pixels of an image with full alpha: the bytes of color.YCbCrToRGB.
func rgba(img *image.YCbCr) (*image.NRGBA, error) {
	b := img.Rect
	if err := checkSize(b); err != nil {
		return nil, err
	}
	out := image.NewNRGBA(b)
	if b.Empty() {
		return out, nil
	}
	across, along := subsampling(img.SubsampleRatio)
	width := (b.Max.X-1)/across - b.Min.X/across + 1 // elements of a row of chroma
	height := (b.Max.Y-1)/along - b.Min.Y/along + 1
	short := func(plane []uint8, stride, w, h int) bool { return stride < 0 || (h-1)*stride+w > len(plane) }
	if short(img.Y, img.YStride, b.Dx(), b.Dy()) || short(img.Cb, img.CStride, width, height) || short(img.Cr, img.CStride, width, height) {
		return nil, fmt.Errorf("imaging: the planes of the image are too short for its bounds %v", b)
	}
	parallel(b.Dy(), b.Dx(), func(begin, end int) {
		rows := [2]chromaRow{{plane: img.Cb, row: -1}, {plane: img.Cr, row: -1}}
		for i := begin; i < end; i++ {
			c := (b.Min.Y+i)/along - b.Min.Y/along
			cb, cr := rows[0].at(img, c, across, width), rows[1].at(img, c, across, width)
			convert(out.Pix[i*out.Stride:][:4*b.Dx()], img.Y[i*img.YStride:][:b.Dx()], cb, cr)
		}
	})
	return out, nil
}

// chromaRow is a row of chroma with an element for each pixel.
type chromaRow struct {
	plane []uint8
	row   int // that wide has, or -1
	wide  []uint8
	spare []uint8
}

// at returns the elements of a row of chroma, each as often as pixels share it.
func (r *chromaRow) at(img *image.YCbCr, row, across, width int) []uint8 {
	from := r.plane[row*img.CStride:][:width]
	if across == 1 || row == r.row {
		if across == 1 {
			return from
		}
		return r.wide
	}
	n, first := img.Rect.Dx(), img.Rect.Min.X
	if r.row < 0 {
		r.wide, r.spare = make([]uint8, n), make([]uint8, 2*width)
	}
	r.row = row
	if first < 0 { // more pixels share the element that has the pixel 0
		for i := range n {
			r.wide[i] = from[(first+i)/across-first/across]
		}
		return r.wide
	}
	lead := min(n, (across-first%across)%across) // pixels that share an element with pixels before the first one
	for i := range lead {
		r.wide[i] = from[0]
	}
	if lead > 0 {
		from = from[1:]
	}
	if across == 4 {
		double(r.spare, from)
		from = r.spare[:2*len(from)]
	}
	double(r.wide[lead:], from)
	return r.wide
}

// double stores each byte twice, as far as dst goes.
func double(dst, src []uint8) {
	i := 0
	if n := min(len(dst)/2, len(src)) / 16; assembly && n > 0 {
		doubleSixteens(&dst[0], &src[0], n)
		i = 16 * n
	}
	for ; i < len(src) && 2*i < len(dst); i++ {
		dst[2*i] = src[i]
		if 2*i+1 < len(dst) {
			dst[2*i+1] = src[i]
		}
	}
}

// convert converts a row.
func convert(dst, y, cb, cr []uint8) {
	i := 0
	if n := len(y) / 8; assembly && n > 0 {
		rgbaEights(&dst[0], &y[0], &cb[0], &cr[0], n)
		i = 8 * n
	}
	for ; i < len(y); i++ {
		r, g, b := color.YCbCrToRGB(y[i], cb[i], cr[i])
		p := dst[4*i:][:4]
		p[0], p[1], p[2], p[3] = r, g, b, 255
	}
}
