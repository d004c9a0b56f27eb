package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// File returns a .npy file as a Source. Each block is mapped while it is needed. The file must be in C order and in
// this machine's byte order, and must not be truncated meanwhile.
func File(name string) Source { return &npyFile{name: name} }

type npyFile struct {
	name string
	file *os.File
	info npy.Info
}

func (s *npyFile) Open() (graph.DType, []int, error) {
	s.Close()
	f, err := os.Open(s.name)
	if err != nil {
		return 0, nil, err
	}
	s.file = f
	if s.info, err = npy.ReadInfo(f); err == nil {
		err = s.check()
	}
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return s.info.DType, s.info.Shape, nil
}

// check returns what is wrong with the file as a whole, or nil.
func (s *npyFile) check() error {
	stat, err := s.file.Stat()
	if err != nil {
		return err
	}
	n, err := s.info.Bytes()
	switch {
	case err != nil:
		return err
	case s.info.Fortran:
		return errors.New("it is in Fortran order, whose rows are not together: write it in C order")
	case s.info.Swapped:
		return errors.New("its elements have the other byte order: write it in this machine's")
	case stat.Size()-int64(s.info.Offset) < int64(n):
		return fmt.Errorf("the data ends after %d of %d bytes", stat.Size()-int64(s.info.Offset), n)
	}
	return nil
}

func (s *npyFile) Identity() string {
	stat, err := s.file.Stat()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(filepath.Base(s.name), stat.Size(), stat.ModTime().UnixNano())
}

func (s *npyFile) Read(_ context.Context, begin, end int, _ func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	shape, row := rows(s.info.Shape, end-begin), rowBytes(s.info.DType, s.info.Shape)
	r, err := binfile.ReadRange(s.file, s.info.Offset+begin*row, (end-begin)*row)
	if err != nil {
		return nil, nil, err
	}
	t, err := binfile.Tensor(s.info.DType, layout.RowMajor(shape...), r.Data)
	if err != nil {
		r.Release()
		return nil, nil, fmt.Errorf("%s, rows %d to %d: %w", s.name, begin, end, err)
	}
	return t, r.Release, nil
}

func (s *npyFile) Close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}

// rows returns the shape of n rows; that of a scalar has no axes.
func rows(shape []int, n int) []int {
	if len(shape) == 0 {
		return shape
	}
	return append([]int{n}, shape[1:]...)
}

// rowBytes returns the size of a row, or of a scalar.
func rowBytes(dt graph.DType, shape []int) int {
	n := dt.Size()
	if len(shape) > 0 {
		for _, k := range shape[1:] {
			n *= k
		}
	}
	return n
}
