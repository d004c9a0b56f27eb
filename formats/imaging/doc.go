// Package imaging takes the pixels of Go's images as tensors and tensors as images, without
// a copy where the memory of both is laid out alike.
//
//	x, err := imaging.Pixels(img) // uint8[h,w] or uint8[h,w,4]: a view of img
//	y, err := blur.Run(ctx, x)    // any program of graph
//	out, err := imaging.Image(y)  // a view of y
//
// Rows are the first axis, columns the second, channels the third. A view shares its
// memory with the image: a write to one shows in the other.
//
// Pixels of an image.RGBA are multiplied by their alpha, as they are stored. Image makes an NRGBA, whose
// pixels are not: draw an RGBA that is partly transparent onto an NRGBA first.
package imaging
