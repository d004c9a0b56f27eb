// Package imaging converts Go's images to tensors and back, without a copy if both have the same layout in memory.
//
//	x, err := imaging.Pixels(img) // uint8[h,w] or uint8[h,w,4]: a view of img
//	y, err := blur.Run(ctx, x)    // any program of graph
//	out, err := imaging.Image(y)  // a view of y
//	small, err := imaging.Resize(img, 224, 224, imaging.Bicubic)
//
// The axes are rows, columns and channels. A view shares its memory with the image: a write to one shows in the other.
//
// Resize has the filters of Pillow, antialiased, and its bytes. Pixels of JPEG files, which have luma and chroma, are
// those of color.YCbCrToRGB. Both run in AVX2 assembly where they can, with the same bytes as in Go.
//
// Pixels of an image.RGBA are stored premultiplied by alpha. Image makes an NRGBA, which is not premultiplied: draw a
// partly transparent RGBA onto an NRGBA first.
package imaging
