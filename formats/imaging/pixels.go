package imaging

import (
	"encoding/binary"
	"errors"
	"image"
	"reflect"

	"github.com/stridefuse/stridefuse/graph"
)

// Pixels returns the pixels of an image:
//
//	*image.Gray, *image.Alpha                 uint8[h,w], a view
//	*image.RGBA, *image.NRGBA, *image.CMYK    uint8[h,w,4], a view
//	*image.Gray16, *image.Alpha16             uint16[h,w], a copy: Go stores the high byte first
//	*image.RGBA64, *image.NRGBA64             uint16[h,w,4], a copy
//	others                                    uint8[h,w,4], a copy as red, green, blue and alpha
//
// The channels of RGBA and RGBA64 are premultiplied by alpha; those of NRGBA and NRGBA64, and of copies of other
// images, are not. Copies of *image.YCbCr have the bytes of color.YCbCrToRGB and full alpha; Planes returns its channels
// without a copy. An *image.YCbCr whose planes are too short is an error.
func Pixels(img image.Image) (*graph.Tensor, error) {
	if v := reflect.ValueOf(img); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errNil
	}
	var t *graph.Tensor
	switch img := img.(type) {
	case *image.Gray:
		t = view(img.Pix, img.Stride, img.Rect, 1)
	case *image.Alpha:
		t = view(img.Pix, img.Stride, img.Rect, 1)
	case *image.RGBA:
		t = view(img.Pix, img.Stride, img.Rect, 4)
	case *image.NRGBA:
		t = view(img.Pix, img.Stride, img.Rect, 4)
	case *image.CMYK:
		t = view(img.Pix, img.Stride, img.Rect, 4)
	case *image.Gray16:
		t = wide(img.Pix, img.Stride, img.Rect, 1)
	case *image.Alpha16:
		t = wide(img.Pix, img.Stride, img.Rect, 1)
	case *image.RGBA64:
		t = wide(img.Pix, img.Stride, img.Rect, 4)
	case *image.NRGBA64:
		t = wide(img.Pix, img.Stride, img.Rect, 4)
	default:
		if err := checkSize(img.Bounds()); err != nil {
			return nil, err
		}
		copied, err := straightPixels(img)
		if err != nil {
			return nil, err
		}
		t = view(copied.Pix, copied.Stride, copied.Rect, 4)
	}
	return t, t.Err()
}

var errNil = errors.New("imaging: the image is nil")

// mostPixels is the most pixels that are copied: 4 GB, or 1 GB where an int has 32 bits.
const mostPixels = 1 << (28 + 2*(^uint(0)>>63))

// Planes returns the luma and chroma of an image as views, uint8[h,w] each. If chroma is subsampled, cb and cr have
// fewer rows or columns.
func Planes(img *image.YCbCr) (y, cb, cr *graph.Tensor, err error) {
	if img == nil {
		return nil, nil, nil, errNil
	}
	chroma := img.Rect
	down := func(at, by int) int { return (at + by - 1) / by }
	across, along := subsampling(img.SubsampleRatio)
	chroma.Min = image.Pt(chroma.Min.X/across, chroma.Min.Y/along)
	chroma.Max = image.Pt(down(chroma.Max.X, across), down(chroma.Max.Y, along))
	y = view(img.Y, img.YStride, img.Rect, 1)
	cb = view(img.Cb, img.CStride, chroma, 1)
	cr = view(img.Cr, img.CStride, chroma, 1)
	for _, t := range []*graph.Tensor{y, cb, cr} {
		if err := t.Err(); err != nil {
			return nil, nil, nil, err
		}
	}
	return y, cb, cr, nil
}

// subsampling returns how many columns and rows of luma share an element of chroma.
func subsampling(ratio image.YCbCrSubsampleRatio) (across, along int) {
	switch ratio {
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	case image.YCbCrSubsampleRatio410:
		return 4, 2
	}
	return 1, 1
}

// view returns the pixels of a rectangle whose first element is the first of pix.
func view(pix []uint8, stride int, r image.Rectangle, channels int) *graph.Tensor {
	l := graph.Layout{Shape: []int{r.Dy(), r.Dx()}, Strides: []int{stride, channels}}
	if channels > 1 {
		l.Shape, l.Strides = append(l.Shape, channels), append(l.Strides, 1)
	}
	return graph.OfLayout(pix, l)
}

// wide returns a copy of 16-bit pixels that are stored with the high byte first.
func wide(pix []uint8, stride int, r image.Rectangle, channels int) *graph.Tensor {
	if r.Empty() {
		return view(nil, 0, image.Rectangle{}, channels).Bitcast(graph.Uint16)
	}
	bytes := graph.OfLayout(pix, graph.Layout{Shape: []int{r.Dy(), 2 * r.Dx() * channels}, Strides: []int{stride, 1}})
	if bytes.Err() != nil { // pix is too short
		return bytes
	}
	data := make([]uint16, 0, r.Dy()*r.Dx()*channels)
	for y := range r.Dy() {
		row := pix[y*stride:][:2*r.Dx()*channels]
		for at := 0; at < len(row); at += 2 {
			data = append(data, binary.BigEndian.Uint16(row[at:]))
		}
	}
	if channels == 1 {
		return graph.Of(data, r.Dy(), r.Dx())
	}
	return graph.Of(data, r.Dy(), r.Dx(), channels)
}
