package imaging

import (
	"encoding/binary"
	"fmt"
	"image"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
)

// Image returns a tensor as an image:
//
//	uint8[h,w], uint8[h,w,1]    *image.Gray
//	uint8[h,w,3]                *image.NRGBA, a copy with full alpha
//	uint8[h,w,4]                *image.NRGBA
//	uint16[h,w]                 *image.Gray16, a copy
//
// It is a view if the pixels of each row are contiguous, as in results of programs, and otherwise a copy. Programs
// round and saturate to uint8 with x.Round().Clip(0, 255).Cast(graph.Uint8).
func Image(t *graph.Tensor) (image.Image, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	shape := t.Shape()
	if len(shape) == 3 && shape[2] == 1 {
		t, shape = t.Index(2, 0), shape[:2]
	}
	switch {
	case len(shape) == 2 && t.DType() == graph.Uint8:
		pix, stride := rows(t)
		return &image.Gray{Pix: pix, Stride: stride, Rect: bounds(shape)}, nil
	case len(shape) == 2 && t.DType() == graph.Uint16:
		return gray16(t)
	case len(shape) == 3 && shape[2] == 4 && t.DType() == graph.Uint8:
		pix, stride := rows(t)
		return &image.NRGBA{Pix: pix, Stride: stride, Rect: bounds(shape)}, nil
	case len(shape) == 3 && shape[2] == 3 && t.DType() == graph.Uint8:
		full := graph.Full(graph.Uint8, 255, shape[0], shape[1], 4)
		if err := full.Err(); err != nil {
			return nil, err
		}
		if err := graph.Copy(full.SliceAxis(2, 0, 3, 1), t); err != nil {
			return nil, err
		}
		return Image(full)
	}
	return nil, fmt.Errorf("imaging: %s%v is no image: it must be uint8[h,w], uint8[h,w,3], uint8[h,w,4] or uint16[h,w]", t.DType(), shape)
}

func bounds(shape []int) image.Rectangle { return image.Rect(0, 0, shape[1], shape[0]) }

// rows returns the elements of a tensor of bytes, or of a copy if its rows are not contiguous, and the distance between
// rows.
func rows(t *graph.Tensor) (pix []uint8, stride int) {
	shape := t.Shape()
	width := t.Size() / max(1, shape[0])
	if t.Size() == 0 {
		return nil, width
	}
	if stride = t.Stride(0); !t.Index(0, 0).IsRowMajor() || stride < width {
		t, stride = t.Clone(), width
	}
	return unsafe.Slice((*uint8)(t.Pointer()), (shape[0]-1)*stride+width), stride
}

// gray16 copies a tensor to an image that stores the high byte first.
func gray16(t *graph.Tensor) (image.Image, error) {
	img := image.NewGray16(bounds(t.Shape()))
	elements, err := graph.All[uint16](t)
	if err != nil {
		return nil, err
	}
	at := 0
	for v := range elements {
		binary.BigEndian.PutUint16(img.Pix[at:], v)
		at += 2
	}
	return img, nil
}
