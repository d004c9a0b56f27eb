package graph

import "github.com/stridefuse/stridefuse/ir"

// Conversions between space and depth: blocks of pixels of images [n, c, h, w] become channels, and back. Each is a
// reshape, a permutation and a reshape.

// SpaceToDepth returns blocks of size x size pixels of x, [n, c, h, w], as channels:
// [n, size*size*c, h/size, w/size]. Channel (i*size+j)*c + k of the result is pixel (i, j)
// of the blocks of channel k.
func (x Node) SpaceToDepth(size int) Node {
	s, bad := x.image(size)
	if bad.Err() != nil {
		return bad
	}
	b := ir.Fixed(size)
	h, w := s[2].Div(size), s[3].Div(size)
	y := x.Reshape(s[0], s[1], h, b, w, b).Permute(0, 3, 5, 1, 2, 4)
	return y.Reshape(s[0], s[1].Mul(b).Mul(b), h, w)
}

// DepthToSpace is the inverse of SpaceToDepth: of [n, c, h, w] it returns
// [n, c/(size*size), h*size, w*size]. ONNX calls this order of channels DCR.
func (x Node) DepthToSpace(size int) Node { return x.depthToSpace(size, 0, 3, 4, 1, 5, 2) }

// PixelShuffle is DepthToSpace with PyTorch's order of channels, which ONNX calls CRD: channel (k*size+i)*size + j of x
// is pixel (i, j) of the blocks of channel k.
func (x Node) PixelShuffle(size int) Node { return x.depthToSpace(size, 0, 1, 4, 2, 5, 3) }

func (x Node) depthToSpace(size int, order ...any) Node {
	s, bad := x.image(size)
	if bad.Err() != nil {
		return bad
	}
	if channels, known := s[1].Int(); known && channels%(size*size) != 0 {
		return fail("%s has %d channels, no multiple of %d", x.n.text(), channels, size*size)
	}
	b := ir.Fixed(size)
	c := s[1].Div(size * size)
	apart := Shape{s[0], b, b, c, s[2], s[3]}
	if order[1] == 1 { // channels before the parts of a block
		apart = Shape{s[0], c, b, b, s[2], s[3]}
	}
	y := x.Reshape(apart).Permute(order...)
	return y.Reshape(s[0], c, s[2].Mul(b), s[3].Mul(b))
}

const mostBlock = 1 << 15 // the square of size fits int on all machines

// image returns the shape of x, or a poisoned Node if x is not a batch of images.
func (x Node) image(size int) (Shape, Node) {
	n := x.get()
	switch {
	case n.err != nil:
	case len(n.typ.Shape) != 4:
		return nil, fail("%s is no batch of images: it takes the axes n, c, h, w", n.text())
	case size < 1 || size > mostBlock:
		return nil, fail("blocks of %d pixels: give 1 to %d", size, mostBlock)
	}
	return n.typ.Shape, x
}
