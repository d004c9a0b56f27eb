package imaging

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"reflect"
	"runtime"
	"sync"
)

// This file resizes images by the algorithm of Pillow: integer weights of 22 bits, first along the rows and then down
// the columns, with bytes between them.

// Filter says how pixels are weighted. When an image becomes smaller, all filters but Nearest are as many times wider,
// so that every pixel counts (antialiasing).
type Filter uint8

const (
	Nearest  Filter = iota // the pixel whose area has the centre
	Box                    // the mean of the area: of whole pixels, for a whole ratio
	Bilinear               // a triangle of width 2
	Hamming                // a raised cosine of width 2
	Bicubic                // Keys's cubic of width 4, with a = -1/2: Catmull-Rom
	Lanczos                // a windowed sinc of width 6
)

// filters has half the width and the function of each filter.
var filters = [...]struct {
	support float64
	weight  func(x float64) float64
}{
	Nearest:  {},
	Box:      {0.5, box},
	Bilinear: {1, triangle},
	Hamming:  {1, hamming},
	Bicubic:  {2, cubic},
	Lanczos:  {3, lanczos},
}

func box(x float64) float64 {
	if x > -0.5 && x <= 0.5 {
		return 1
	}
	return 0
}

func triangle(x float64) float64 { return max(0, 1-math.Abs(x)) }

func hamming(x float64) float64 {
	switch x = math.Abs(x); {
	case x == 0:
		return 1
	case x >= 1:
		return 0
	}
	x *= math.Pi
	return math.Sin(x) / x * (float64(float32(0.54)) + float64(float64(float32(0.46))*math.Cos(x))) // Pillow's constants are float32
}

func cubic(x float64) float64 {
	const a = -0.5
	switch x = math.Abs(x); {
	case x < 1:
		return float64(float64(float64(float64((a+2)*x)-(a+3))*x)*x) + 1
	case x < 2:
		return float64(float64(float64(float64(float64(x-5)*x)+8)*x)-4) * a
	}
	return 0
}

func lanczos(x float64) float64 {
	if x < -3 || x >= 3 {
		return 0
	}
	return sinc(x) * sinc(x/3)
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	x *= math.Pi
	return math.Sin(x) / x
}

// Resize returns an image of another size:
//
//	*image.Gray, *image.Alpha    one channel
//	*image.RGBA, *image.CMYK     four channels; those of RGBA are and stay premultiplied by alpha
//	*image.NRGBA, others         *image.NRGBA: the channels are premultiplied before and divided after, except by Nearest
//
// So the colours of transparent pixels have no weight. The bytes are those of Image.resize of Pillow 12 with the same
// filter, for modes L, RGBa and RGBA. Pillow 13 takes columns before rows where that is less work, and then rounds
// differently. Images of 16 bits are converted to bytes before.
//
// The result has its own memory and begins at (0, 0). A nil or empty image, a size below 1, more than 1<<30 pixels (1<<28
// where an int has 32 bits) and, but for Nearest, a width or height above 1<<24 of either image are errors. Large images are computed on all processors.
func Resize(img image.Image, width, height int, f Filter) (image.Image, error) {
	if v := reflect.ValueOf(img); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errNil
	}
	b := img.Bounds()
	switch {
	case b.Empty():
		return nil, fmt.Errorf("imaging: the image has bounds %v: it has no pixels", b)
	case width < 1 || height < 1:
		return nil, fmt.Errorf("imaging: the size %dx%d must be at least 1x1", width, height)
	case int(f) >= len(filters):
		return nil, fmt.Errorf("imaging: filter %d: it is Nearest, Box, Bilinear, Hamming, Bicubic or Lanczos", f)
	}
	to := image.Rect(0, 0, width, height)
	for _, r := range []image.Rectangle{to, b, image.Rect(0, 0, width, b.Dy())} {
		if err := checkSize(r); err != nil {
			return nil, err
		}
	}
	if side := max(width, height, b.Dx(), b.Dy()); f != Nearest && side > mostSide {
		return nil, fmt.Errorf("imaging: from %dx%d to %dx%d pixels: a side is above %d, the most for filters other than Nearest", b.Dx(), b.Dy(), width, height, mostSide)
	}
	var from, out raster
	var result image.Image
	straight := false
	switch img := img.(type) {
	case *image.Gray:
		r := image.NewGray(to)
		from, out, result = raster{img.Pix, img.Stride, b, 1}, raster{r.Pix, r.Stride, to, 1}, r
	case *image.Alpha:
		r := image.NewAlpha(to)
		from, out, result = raster{img.Pix, img.Stride, b, 1}, raster{r.Pix, r.Stride, to, 1}, r
	case *image.RGBA:
		r := image.NewRGBA(to)
		from, out, result = raster{img.Pix, img.Stride, b, 4}, raster{r.Pix, r.Stride, to, 4}, r
	case *image.CMYK:
		r := image.NewCMYK(to)
		from, out, result = raster{img.Pix, img.Stride, b, 4}, raster{r.Pix, r.Stride, to, 4}, r
	default:
		p, err := straightPixels(img)
		if err != nil {
			return nil, err
		}
		r := image.NewNRGBA(to)
		from, out, result = raster{p.Pix, p.Stride, b, 4}, raster{r.Pix, r.Stride, to, 4}, r
		straight = f != Nearest
	}
	if from.stride < 0 || (b.Dy()-1)*from.stride+from.bytes() > len(from.pix) {
		return nil, fmt.Errorf("imaging: the pixels of the image are too few for its bounds %v", b)
	}
	switch {
	case b.Size() == to.Max:
		for y := range out.height() {
			copy(out.row(y), from.row(y))
		}
		return result, nil
	case f == Nearest:
		nearest(out, from)
		return result, nil
	}
	if straight = straight && !from.opaque(); straight {
		from = from.premultiplied()
	}
	resample(out, from, f)
	if straight {
		out.divide()
	}
	return result, nil
}

// mostSide bounds the memory of weights, which is up to 36 bytes for each pixel of a side.
const mostSide = 1 << 24

// straightPixels returns an image as one that is not premultiplied: a copy, unless it is one.
func straightPixels(img image.Image) (*image.NRGBA, error) {
	switch img := img.(type) {
	case *image.NRGBA:
		return img, nil
	case *image.YCbCr:
		return rgba(img)
	}
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, out.Rect.Min, draw.Src)
	return out, nil
}

// checkSize returns an error for a rectangle with too many pixels.
func checkSize(r image.Rectangle) error {
	if r.Dx() > mostPixels || r.Dy() > mostPixels || int64(r.Dx())*int64(r.Dy()) > mostPixels {
		return fmt.Errorf("imaging: the image has bounds %v: it has no end, as an image of one colour, or is too large to copy", r)
	}
	return nil
}

// raster is pixels of one or four bytes.
type raster struct {
	pix      []uint8
	stride   int
	rect     image.Rectangle
	channels int
}

func (r raster) width() int  { return r.rect.Dx() }
func (r raster) height() int { return r.rect.Dy() }
func (r raster) bytes() int  { return r.width() * r.channels }

func (r raster) row(y int) []uint8 { return r.pix[y*r.stride:][:r.bytes()] }

// newRaster returns a raster for intermediate results.
func newRaster(width, height, channels int) raster {
	return raster{make([]uint8, width*height*channels), width * channels, image.Rect(0, 0, width, height), channels}
}

// opaque reports whether all pixels have full alpha.
func (r raster) opaque() bool {
	for y := range r.height() {
		row := r.row(y)
		for i := 3; i < len(row); i += 4 {
			if row[i] != 255 {
				return false
			}
		}
	}
	return true
}

// premultiplied returns a copy whose channels are multiplied by alpha, rounded to nearest.
func (r raster) premultiplied() raster {
	out := newRaster(r.width(), r.height(), 4)
	parallel(r.height(), r.width(), func(begin, end int) {
		for y := begin; y < end; y++ {
			to := out.row(y)
			for i, v := range r.row(y) {
				to[i] = v
				if i%4 == 3 {
					for c := i - 3; c < i; c++ {
						product := uint32(to[c])*uint32(v) + 128
						to[c] = uint8((product>>8 + product) >> 8)
					}
				}
			}
		}
	})
	return out
}

// divide divides channels by alpha, rounded down.
func (r raster) divide() {
	for y := range r.height() {
		for row := r.row(y); len(row) > 0; row = row[4:] {
			if alpha := int(row[3]); alpha != 0 && alpha != 255 {
				for c := range 3 {
					row[c] = uint8(min(255, 255*int(row[c])/alpha))
				}
			}
		}
	}
}

// parallel divides rows among all processors, if they have enough pixels.
func parallel(rows, width int, f func(begin, end int)) {
	workers := min(runtime.GOMAXPROCS(0), rows, rows*width/(1<<15)+1)
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { f(rows*w/workers, rows*(w+1)/workers) })
	}
	f(0, rows/workers)
	wg.Wait()
}

// nearest copies the pixel that has the centre of each new one.
func nearest(out, from raster) {
	columns, rows := centres(out.width(), from.width()), centres(out.height(), from.height())
	parallel(out.height(), out.width(), func(begin, end int) {
		for y := begin; y < end; y++ {
			src, dst := from.row(rows[y]), out.row(y)
			if out.channels == 1 {
				for x, c := range columns {
					dst[x] = src[c]
				}
				continue
			}
			for x, c := range columns {
				*(*[4]uint8)(dst[4*x:]) = *(*[4]uint8)(src[4*c:])
			}
		}
	})
}

// centres returns the old pixel at the centre of each of n new ones. It adds up steps as Pillow does, which decides
// where centres are between two pixels.
func centres(n, old int) []int {
	step := float64(old) / float64(n)
	at := step * 0.5
	out := make([]int, n)
	for i := range out {
		out[i] = min(int(at), old-1)
		at += step
	}
	return out
}
