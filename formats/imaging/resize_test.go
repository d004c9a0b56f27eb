package imaging_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/formats/imaging"
	"github.com/stridefuse/stridefuse/graph"
)

// TestPillow compares resized images with Pillow's, byte by byte, by testdata/resize.py. Both have the same integer
// weights, so no tolerance is needed.
func TestPillow(t *testing.T) {
	var cases []struct {
		Mode     string
		From, To [2]int
		Filter   imaging.Filter
		Want     string
	}
	text, err := os.ReadFile("testdata/resize.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &cases))
	for i, c := range cases {
		w, h, channels := c.From[0], c.From[1], len(c.Mode)
		pix := make([]uint8, w*h*channels)
		for i := range pix {
			pix[i] = uint8((i*i*7919 + i*104729 + w*h) % 65521)
		}
		r := image.Rect(0, 0, w, h)
		var img image.Image
		switch c.Mode {
		case "L":
			img = &image.Gray{Pix: pix, Stride: w, Rect: r}
		case "RGBA":
			img = &image.NRGBA{Pix: pix, Stride: 4 * w, Rect: r}
		default:
			for i := range pix {
				pix[i] = min(pix[i], pix[i|3])
			}
			img = &image.RGBA{Pix: pix, Stride: 4 * w, Rect: r}
		}
		out, err := imaging.Resize(img, c.To[0], c.To[1], c.Filter)
		require.NoError(t, err)
		want, err := base64.StdEncoding.DecodeString(c.Want)
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, c.To[0], c.To[1]), out.Bounds())
		require.True(t, bytes.Equal(want, bytesOf(t, out)), "case %d: %s of %v to %v, filter %d", i, c.Mode, c.From, c.To, c.Filter)
	}
	require.Len(t, cases, 3*14*6)
}

// bytesOf returns the bytes of an image.
func bytesOf(t require.TestingT, img image.Image) []uint8 {
	x, err := imaging.Pixels(img)
	require.NoError(t, err)
	data, err := graph.Data[uint8](x.Contiguous())
	require.NoError(t, err)
	return data
}

// TestResizeParts resizes parts of images as copies of them, and large images in pieces as columns of one row each.
func TestResizeParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(2, 70).Draw(t, "w"), rapid.IntRange(2, 70).Draw(t, "h")
		f := imaging.Filter(rapid.IntRange(0, 5).Draw(t, "filter"))
		whole := image.NewNRGBA(image.Rect(-1, 3, w-1, h+3))
		for i := range whole.Pix {
			whole.Pix[i] = uint8(i * i * 7919 % 65521)
		}
		r := image.Rect(0, 4, w-1, h+3)
		copied := image.NewNRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
		for y := range r.Dy() {
			copy(copied.Pix[y*copied.Stride:][:4*r.Dx()], whole.Pix[(y+1)*whole.Stride+4:])
		}
		nw, nh := rapid.IntRange(1, 90).Draw(t, "nw"), rapid.IntRange(1, 90).Draw(t, "nh")
		a, err := imaging.Resize(whole.SubImage(r), nw, nh, f)
		require.NoError(t, err)
		b, err := imaging.Resize(copied, nw, nh, f)
		require.NoError(t, err)
		require.Equal(t, bytesOf(t, b), bytesOf(t, a))
	})
}

// TestTransparent: the colour of a transparent pixel has no weight, and one colour stays as it is.
func TestTransparent(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{10, 200, 30, 255}), image.Point{}, draw.Src)
	for y := range 30 {
		for x := range 20 {
			img.SetNRGBA(x, y, color.NRGBA{R: 255})
		}
	}
	for f := imaging.Box; f <= imaging.Lanczos; f++ {
		out, err := imaging.Resize(img, 13, 9, f)
		require.NoError(t, err)
		for y := range 9 {
			c := out.(*image.NRGBA).NRGBAAt(12, y)
			require.Equal(t, color.NRGBA{10, 200, 30, 255}, c)
			if edge := out.(*image.NRGBA).NRGBAAt(6, y); edge.A > 30 {
				require.InDelta(t, 10, edge.R, 5)
				require.InDelta(t, 200, edge.G, 5)
			}
		}
	}
}

// TestYCbCr compares converted planes, of all subsamplings, at odd and negative corners, with the conversion of package
// color pixel by pixel.
func TestYCbCr(t *testing.T) {
	ratios := []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410}
	rapid.Check(t, func(t *rapid.T) {
		at := image.Pt(rapid.IntRange(-1, 5).Draw(t, "x"), rapid.IntRange(-1, 5).Draw(t, "y"))
		size := image.Pt(rapid.IntRange(1, 80).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h"))
		if at.X < 0 { // package image has too little chroma for other negative corners
			at.X, size.X = -4, size.X+5
		}
		if at.Y < 0 {
			at.Y, size.Y = -4, size.Y+5
		}
		img := image.NewYCbCr(image.Rectangle{at, at.Add(size)}, rapid.SampledFrom(ratios).Draw(t, "ratio"))
		seed := rapid.IntRange(1, 1<<20).Draw(t, "seed")
		for i := range img.Y {
			img.Y[i] = uint8((i*i*7919 + seed*i) % 65521)
		}
		for i := range img.Cb {
			img.Cb[i], img.Cr[i] = uint8((i*i*104729+seed*i)%65521), uint8((i*i*1299709+seed*i)%65521)
		}
		part := image.Rect(at.X+rapid.IntRange(0, 3).Draw(t, "left"), at.Y+rapid.IntRange(0, 3).Draw(t, "top"), at.X+size.X, at.Y+size.Y)
		if !part.Empty() {
			img = img.SubImage(part).(*image.YCbCr)
		}
		got := bytesOf(t, img)
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				c := img.YCbCrAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
				r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
				require.Equal(t, []uint8{r, g, b, 255}, got[4*(y*img.Rect.Dx()+x):][:4])
			}
		}
	})
}

// TestAllColors compares the conversion of every luma and chroma, on the whole rows of an image.
func TestAllColors(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	img := image.NewYCbCr(image.Rect(0, 0, 256, 256), image.YCbCrSubsampleRatio444)
	for cr := range 256 {
		for i := range img.Y {
			img.Y[i], img.Cb[i], img.Cr[i] = uint8(i), uint8(i>>8), uint8(cr)
		}
		got := bytesOf(t, img)
		for i := range img.Y {
			r, g, b := color.YCbCrToRGB(uint8(i), uint8(i>>8), uint8(cr))
			if [4]uint8(got[4*i:]) != [4]uint8{r, g, b, 255} {
				t.Fatal(i, cr)
			}
		}
	}
}

func TestResizeErrors(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 4, 3))
	for want, call := range map[string]func() (image.Image, error){
		"imaging: the image is nil": func() (image.Image, error) { return imaging.Resize((*image.YCbCr)(nil), 1, 1, imaging.Box) },
		"imaging: the image has bounds (0,0)-(0,0): it has no pixels": func() (image.Image, error) {
			return imaging.Resize(image.NewGray(image.Rectangle{}), 1, 1, imaging.Box)
		},
		"imaging: the size 0x5 must be at least 1x1":                                   func() (image.Image, error) { return imaging.Resize(gray, 0, 5, imaging.Box) },
		"imaging: filter 6: it is Nearest, Box, Bilinear, Hamming, Bicubic or Lanczos": func() (image.Image, error) { return imaging.Resize(gray, 1, 1, 6) },
		"imaging: the pixels of the image are too few for its bounds (0,0)-(2,3)": func() (image.Image, error) {
			return imaging.Resize(&image.Gray{Pix: make([]uint8, 5), Stride: 2, Rect: image.Rect(0, 0, 2, 3)}, 1, 1, imaging.Box)
		},
		"imaging: the planes of the image are too short for its bounds (0,0)-(8,8)": func() (image.Image, error) {
			return imaging.Resize(&image.YCbCr{Y: make([]uint8, 64), YStride: 8, Rect: image.Rect(0, 0, 8, 8)}, 1, 1, imaging.Box)
		},
	} {
		_, err := call()
		require.EqualError(t, err, want)
	}
	_, err := imaging.Resize(gray, 1<<20, 1<<20, imaging.Box)
	require.ErrorContains(t, err, "too large")
	_, err = imaging.Resize(image.NewGray(image.Rect(0, 0, 1, 1)), 1<<28, 1, imaging.Box)
	require.EqualError(t, err, "imaging: from 1x1 to 268435456x1 pixels: a side is above 16777216, the most for filters other than Nearest")
	_, err = imaging.Resize(image.NewGray(image.Rect(0, 0, 1, 1<<24+1)), 1, 1, imaging.Lanczos)
	require.ErrorContains(t, err, "a side is above")
	_, err = imaging.Resize(image.NewUniform(color.White), 2, 2, imaging.Box)
	require.ErrorContains(t, err, "no end")
	_, err = imaging.Pixels(&image.YCbCr{Y: make([]uint8, 64), YStride: 8, Rect: image.Rect(0, 0, 8, 8)})
	require.ErrorContains(t, err, "too short")
	empty, err := imaging.Pixels(&image.YCbCr{})
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 4}, empty.Shape())
}
