package onnx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/stridefuse/stridefuse/internal/binfile"
)

// externalFiles reads tensors that a model keeps in other files. These must be in the model's folder or below: no
// location may lead out of it by "..", an absolute path or a link.
type externalFiles struct {
	folder string // empty if the model is not a file
}

// read returns the n bytes that a tensor's external_data refers to.
func (e externalFiles) read(entries map[string]string, n int) ([]byte, error) {
	location := entries["location"]
	if e.folder == "" {
		return nil, fmt.Errorf("its data are in the file %q: load the model with Load", location)
	}
	offset, err := position(entries["offset"], 0)
	if err != nil {
		return nil, fmt.Errorf("offset: %w", err)
	}
	length, err := position(entries["length"], int64(n))
	if err != nil {
		return nil, fmt.Errorf("length: %w", err)
	}
	if length != int64(n) {
		return nil, fmt.Errorf("%d bytes of external data: the shape takes %d", length, n)
	}
	root, err := os.OpenRoot(e.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is not a regular file", location)
	case offset > info.Size() || length > info.Size()-offset:
		return nil, fmt.Errorf("bytes %d to %d of the %d bytes of %q", offset, offset+length, info.Size(), location)
	}
	return binfile.Read(io.NewSectionReader(f, offset, length), n)
}

// position parses a number of bytes.
func position(text string, otherwise int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, err
	}
	if n < 0 || n > math.MaxInt64/2 {
		return 0, errors.New("out of range")
	}
	return n, nil
}
