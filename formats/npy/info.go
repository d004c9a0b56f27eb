package npy

import (
	"bytes"
	"fmt"
	"io"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// Info is the content of a file's header, for programs that read and write parts of it. The two parts of complex
// numbers are a last axis of Shape.
type Info struct {
	DType   graph.DType
	Shape   []int
	Fortran bool // the elements along the first axis are contiguous: the file is in Fortran order
	Swapped bool // the elements have the other byte order than this machine
	Complex bool // the elements are complex numbers
	Offset  int  // byte offset of the first element
}

// Bytes returns how many bytes the elements take.
func (i Info) Bytes() (int, error) { return binfile.NumBytes(i.DType, i.Shape) }

// ReadInfo reads everything before the first element.
func ReadInfo(r io.Reader) (Info, error) {
	c := &counter{r: r}
	h, err := readHeader(c)
	if err == nil {
		_, err = h.size()
	}
	if err != nil {
		return Info{}, fmt.Errorf("npy: %w", err)
	}
	return Info{h.dtype, h.numbers(), h.fortran && len(h.shape) > 1, h.swapped(), h.parts == 2, c.n}, nil
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// Header returns the header of a little-endian array in C order.
func Header(dt graph.DType, shape ...int) ([]byte, error) {
	if _, err := binfile.NumBytes(dt, shape); err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	head, err := header{element: element{dtype: dt, parts: 1}, shape: shape}.bytes()
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	return bytes.Clone(head), nil
}
