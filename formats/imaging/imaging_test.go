package imaging_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/formats/imaging"
	"github.com/stridefuse/stridefuse/graph"
)

// A blur is the mean of windows of 3 by 3 pixels.
func ExamplePixels() {
	img := image.NewGray(image.Rect(0, 0, 5, 4))
	img.SetGray(2, 1, color.Gray{Y: 90})

	x := graph.Input("x", graph.Uint8, graph.Dim("h"), graph.Dim("w")).Cast(graph.Float32)
	blur, err := graph.Compile(x.Window(0, 3, 1, 1).Window(1, 3, 1, 1).Mean(-2, -1).Round().Cast(graph.Uint8))
	if err != nil {
		panic(err)
	}
	pixels, err := imaging.Pixels(img)
	if err != nil {
		panic(err)
	}
	blurred, err := blur.Run(context.Background(), pixels)
	if err != nil {
		panic(err)
	}
	out, err := imaging.Image(blurred)
	fmt.Println(out.Bounds(), out.(*image.Gray).Pix, err)
	// Output:
	// (0,0)-(3,2) [10 10 10 10 10 10] <nil>
}

// images makes an image of each kind, all of one color.
var images = map[string]func(r image.Rectangle) (set func(x, y int, c color.Color), img image.Image){
	"gray": func(r image.Rectangle) (func(x, y int, c color.Color), image.Image) {
		m := image.NewGray(r)
		return m.Set, m
	},
	"gray16": func(r image.Rectangle) (func(x, y int, c color.Color), image.Image) {
		m := image.NewGray16(r)
		return m.Set, m
	},
	"alpha": func(r image.Rectangle) (func(x, y int, c color.Color), image.Image) {
		m := image.NewAlpha(r)
		return m.Set, m
	},
	"rgba": func(r image.Rectangle) (func(x, y int, c color.Color), image.Image) {
		m := image.NewRGBA(r)
		return m.Set, m
	},
	"nrgba": func(r image.Rectangle) (func(x, y int, c color.Color), image.Image) {
		m := image.NewNRGBA(r)
		return m.Set, m
	},
	"nrgba64": func(r image.Rectangle) (func(x, y int, c color.Color), image.Image) {
		m := image.NewNRGBA64(r)
		return m.Set, m
	},
}

// TestPixels compares the tensors of images, and of parts of images, with the pixels that these return one by one.
// TestNil refuses images that are nil, of any type.
func TestNil(t *testing.T) {
	for _, img := range []image.Image{nil, (*image.Gray)(nil), (*image.RGBA)(nil), (*image.RGBA64)(nil), (*image.YCbCr)(nil), (*image.Paletted)(nil)} {
		_, err := imaging.Pixels(img)
		require.EqualError(t, err, "imaging: the image is nil")
	}
	_, _, _, err := imaging.Planes(nil)
	require.EqualError(t, err, "imaging: the image is nil")
	for _, img := range []image.Image{
		&image.Gray{Pix: make([]uint8, 5), Stride: 2, Rect: image.Rect(0, 0, 2, 3)},
		&image.Gray16{Pix: make([]uint8, 11), Stride: 4, Rect: image.Rect(0, 0, 2, 3)},
		&image.NRGBA64{Pix: make([]uint8, 47), Stride: 16, Rect: image.Rect(0, 0, 2, 3)},
	} {
		_, err := imaging.Pixels(img)
		require.Error(t, err)
	}
}

func TestPixels(t *testing.T) {
	for name, make := range images {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := image.Rect(0, 0, rapid.IntRange(1, 5).Draw(t, "w"), rapid.IntRange(1, 5).Draw(t, "h")).Add(image.Pt(3, -2))
				set, img := make(r)
				for y := r.Min.Y; y < r.Max.Y; y++ {
					for x := r.Min.X; x < r.Max.X; x++ {
						v := rapid.Uint16().Draw(t, "v")
						set(x, y, color.NRGBA64{R: v, G: v, B: v, A: 0xffff - v})
					}
				}
				part := r.Intersect(r.Add(image.Pt(1, 1)))
				if !part.Empty() {
					r, img = part, img.(interface {
						SubImage(image.Rectangle) image.Image
					}).SubImage(part)
				}
				pixels, err := imaging.Pixels(img)
				require.NoError(t, err)
				require.Equal(t, []int{r.Dy(), r.Dx()}, pixels.Shape()[:2])
				for y := range r.Dy() {
					for x := range r.Dx() {
						want := img.At(r.Min.X+x, r.Min.Y+y)
						require.Equal(t, first(want), value(t, pixels, y, x))
					}
				}
			})
		})
	}
}

// first returns the first channel of a color.
func first(c color.Color) any {
	switch c := c.(type) {
	case color.Gray:
		return c.Y
	case color.Gray16:
		return c.Y
	case color.Alpha:
		return c.A
	case color.RGBA:
		return c.R
	case color.NRGBA:
		return c.R
	case color.NRGBA64:
		return c.R
	}
	return nil
}

func value(t *rapid.T, x *graph.Tensor, row, col int) any {
	index := []int{row, col, 0}
	v, err := x.At(index[:x.Rank()]...)
	require.NoError(t, err)
	return v
}

// TestShares checks that views share memory with images, both ways.
func TestShares(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 4, 3))
	pixels, err := imaging.Pixels(img.SubImage(image.Rect(1, 1, 4, 3)))
	require.NoError(t, err)
	require.NoError(t, pixels.Set(7, 0, 0, 2))
	require.Equal(t, color.NRGBA{B: 7}, img.NRGBAAt(1, 1))
	back, err := imaging.Image(pixels)
	require.NoError(t, err)
	back.(*image.NRGBA).SetNRGBA(2, 1, color.NRGBA{R: 9})
	require.Equal(t, color.NRGBA{R: 9}, img.NRGBAAt(3, 2))

	flipped, err := imaging.Image(pixels.Flip(1)) // flipped rows need a copy
	require.NoError(t, err)
	require.Equal(t, color.NRGBA{B: 7}, flipped.At(2, 0))
	rgb, err := imaging.Image(pixels.SliceAxis(2, 0, 3, 1))
	require.NoError(t, err)
	require.Equal(t, color.NRGBA{B: 7, A: 255}, rgb.At(0, 0))
	wide, err := imaging.Image(graph.Of([]uint16{0x1234, 5}, 1, 2))
	require.NoError(t, err)
	require.Equal(t, color.Gray16{Y: 0x1234}, wide.At(0, 0))
}

// TestPlanes compares chroma with the image's own.
func TestPlanes(t *testing.T) {
	img := image.NewYCbCr(image.Rect(0, 0, 7, 5), image.YCbCrSubsampleRatio420)
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = uint8(i), uint8(2*i)
	}
	y, cb, cr, err := imaging.Planes(img.SubImage(image.Rect(2, 2, 7, 5)).(*image.YCbCr))
	require.NoError(t, err)
	require.Equal(t, []int{3, 5}, y.Shape())
	require.Equal(t, []int{2, 3}, cb.Shape())
	for row := range 3 {
		for col := range 5 {
			want := img.YCbCrAt(2+col, 2+row)
			b, err := graph.At[uint8](cb, row/2, col/2)
			require.NoError(t, err)
			r, err := graph.At[uint8](cr, row/2, col/2)
			require.NoError(t, err)
			require.Equal(t, []uint8{want.Cb, want.Cr}, []uint8{b, r})
		}
	}
}

// TestErrors checks tensors that are not images.
func TestErrors(t *testing.T) {
	_, err := imaging.Pixels(nil)
	require.ErrorContains(t, err, "nil")
	_, err = imaging.Pixels(image.NewUniform(color.White))
	require.ErrorContains(t, err, "it has no end")
	_, err = imaging.Image(graph.New(graph.Float32, 2, 2))
	require.EqualError(t, err, "imaging: float32[2 2] is no image: it must be uint8[h,w], uint8[h,w,3], uint8[h,w,4] or uint16[h,w]")
}
