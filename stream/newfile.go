package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/npy"
)

// NewFile returns a .npy file as a Sink. It has the suffix .part until it is complete, and
// takes the place of one that exists only then. Several processes may write their rows.
func NewFile(name string) Sink { return &newFile{name: name} }

// newFile makes the .part with the first rows that are written, so that a process which
// writes none leaves the file of others as it is.
type newFile struct {
	name  string
	head  []byte
	info  npy.Info
	part  *os.File // that is written, nil before the first rows
	found *npyFile // that is read: .part, or the file itself if there is no .part
}

// Create checks that there can be such a file.
func (s *newFile) Create(dt graph.DType, shape []int) error {
	head, err := npy.Header(dt, shape...)
	if err != nil {
		return err
	}
	s.head, s.info = head, npy.Info{DType: dt, Shape: slices.Clone(shape), Offset: len(head)}
	_, err = s.info.Bytes()
	if err == nil {
		_, err = os.Stat(filepath.Dir(s.name))
	}
	return errors.Join(s.Close(), err)
}

func (s *newFile) partName() string { return s.name + ".part" }

// Write stores rows in the .part. If an earlier run has completed the file, and its rows
// have been read, the .part begins as a copy of it.
func (s *newFile) Write(_ context.Context, begin int, t *graph.Tensor) error {
	if err := s.make(); err != nil {
		return err
	}
	_, err := s.part.WriteAt(binfile.Memory(t), int64(s.info.Offset+begin*rowBytes(s.info.DType, s.info.Shape)))
	return err
}

// make opens the .part for writing.
func (s *newFile) make() error {
	if s.part != nil {
		return nil
	}
	f, err := os.OpenFile(s.partName(), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	n, _ := s.info.Bytes()
	if err = f.Truncate(int64(len(s.head) + n)); err == nil {
		_, err = f.WriteAt(s.head, 0)
	}
	if err == nil && s.found != nil && s.found.name == s.name {
		at := io.NewOffsetWriter(f, int64(len(s.head)))
		_, err = io.Copy(at, io.NewSectionReader(s.found.file, int64(s.found.info.Offset), int64(n)))
		err = errors.Join(err, s.forget())
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.part = f
	return nil
}

// find opens what has been written, by this process or another one.
func (s *newFile) find() error {
	for _, name := range []string{s.partName(), s.name} {
		f := &npyFile{name: name}
		dt, shape, err := f.Open()
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil && (dt != s.info.DType || !slices.Equal(shape, s.info.Shape)) {
			err = fmt.Errorf("%s: an array of %s %v in place of %s %v", name, dt, shape, s.info.DType, s.info.Shape)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
		s.found = f
		return nil
	}
	return fmt.Errorf("%s: no rows have been written", s.name)
}

// forget closes what find opened.
func (s *newFile) forget() error {
	f := s.found
	if s.found = nil; f == nil {
		return nil
	}
	return f.Close()
}

// Read returns rows of the .part, or of the file if it is complete.
func (s *newFile) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	if s.found == nil {
		if err := s.find(); err != nil {
			return nil, nil, err
		}
	}
	return s.found.Read(ctx, begin, end, buffer)
}

// Commit brings the .part to the disk and gives it its name. If there is none, the file must
// be complete.
func (s *newFile) Commit() error {
	if err := errors.Join(s.forget(), s.find()); err != nil || s.found.name == s.name {
		return err
	}
	if err := s.make(); err != nil {
		return err
	}
	if err := s.part.Sync(); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	return os.Rename(s.partName(), s.name)
}

func (s *newFile) Close() error {
	err := s.forget()
	if s.part != nil {
		err = errors.Join(err, s.part.Close())
		s.part = nil
	}
	return err
}
