// Package imaging compares package formats/imaging with other libraries for Go. It is a module of its own, so that the
// library does not depend on them: go test -bench . -cpu 1
package imaging

import (
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"testing"
	"time"

	peer "github.com/disintegration/imaging"
	"golang.org/x/image/draw"

	"github.com/stridefuse/stridefuse/formats/imaging"
)

// least reports the least time of a call, which other load on the machine disturbs least.
func least(b *testing.B, f func()) {
	best := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Nanoseconds())/1e6, "least-ms")
}

func photo(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{uint8(x * y), uint8(x + y), uint8(x ^ y), 255})
		}
	}
	return img
}

// BenchmarkResize resizes an opaque image with four channels.
func BenchmarkResize(b *testing.B) {
	filters := map[string]struct {
		ours  imaging.Filter
		other peer.ResampleFilter
		x     draw.Interpolator
	}{
		"nearest":  {imaging.Nearest, peer.NearestNeighbor, draw.NearestNeighbor},
		"box":      {imaging.Box, peer.Box, nil},
		"bilinear": {imaging.Bilinear, peer.Linear, draw.BiLinear},
		"bicubic":  {imaging.Bicubic, peer.CatmullRom, draw.CatmullRom},
		"lanczos":  {imaging.Lanczos, peer.Lanczos, nil},
	}
	src := photo(1920, 1280)
	for _, size := range []image.Point{{320, 213}, {1024, 683}, {3000, 2000}} {
		for name, f := range filters {
			at := fmt.Sprintf("%s/%dx%d/", name, size.X, size.Y)
			b.Run(at+"here", func(b *testing.B) {
				least(b, func() {
					if _, err := imaging.Resize(src, size.X, size.Y, f.ours); err != nil {
						b.Fatal(err)
					}
				})
			})
			b.Run(at+"disintegration", func(b *testing.B) {
				least(b, func() { peer.Resize(src, size.X, size.Y, f.other) })
			})
			if f.x != nil {
				b.Run(at+"x/image", func(b *testing.B) {
					least(b, func() {
						dst := image.NewNRGBA(image.Rectangle{Max: size})
						f.x.Scale(dst, dst.Rect, src, src.Rect, draw.Src, nil)
					})
				})
			}
		}
	}
}

// BenchmarkYCbCr converts the planes of a JPEG file; image/draw does so to an RGBA, which it is fastest for.
func BenchmarkYCbCr(b *testing.B) {
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420} {
		img := image.NewYCbCr(image.Rect(0, 0, 1920, 1080), ratio)
		for i := range img.Y {
			img.Y[i] = uint8(i * i)
		}
		for i := range img.Cb {
			img.Cb[i], img.Cr[i] = uint8(i*i>>3), uint8(i*i>>5)
		}
		b.Run(ratio.String()+"/here", func(b *testing.B) {
			least(b, func() {
				if _, err := imaging.Pixels(img); err != nil {
					b.Fatal(err)
				}
			})
		})
		b.Run(ratio.String()+"/draw", func(b *testing.B) {
			least(b, func() {
				dst := image.NewRGBA(img.Rect)
				stddraw.Draw(dst, dst.Rect, img, image.Point{}, stddraw.Src)
			})
		})
	}
}
