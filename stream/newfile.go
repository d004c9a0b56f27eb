package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// NewFile returns a .npy file as a Sink. Until it is complete it has the suffix .part; then it replaces an existing
// file. Several processes may write their rows, and each block is on disk when Write returns. If rows are missing,
// Commit returns an error that names them, and the file keeps its suffix.
func NewFile(name string) Sink { return &newFile{name: name} }

// newFile creates the .part when the first rows are written, so that a process that writes no rows leaves the files of
// others alone. After the array the .part has the table of written rows.
type newFile struct {
	name  string
	head  []byte
	info  npy.Info
	table rowTable
	part  *os.File // the file that is written, nil before the first rows
	found *npyFile // the file that is read: .part, or the complete file if there is no .part
}

// Create checks that the file can be created, and that an existing .part is of the same array.
func (s *newFile) Create(dt graph.DType, shape []int) error {
	head, err := npy.Header(dt, shape...)
	if err != nil {
		return errors.Join(s.Close(), err)
	}
	s.head, s.info = head, npy.Info{DType: dt, Shape: slices.Clone(shape), Offset: len(head)}
	n, err := s.info.Bytes()
	if err == nil {
		s.table, err = newRowTable(int64(len(head))+int64(n), shape)
	}
	if err == nil {
		_, err = os.Stat(filepath.Dir(s.name))
	}
	if err == nil {
		err = s.checkPart()
	}
	return errors.Join(s.Close(), err)
}

func (s *newFile) partName() string { return s.name + ".part" }

// checkPart rejects a .part of another array, left by an earlier job.
func (s *newFile) checkPart() error {
	f, err := os.Open(s.partName())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	head := make([]byte, len(s.head))
	f.ReadAt(head, 0)
	begun := !slices.ContainsFunc(head, func(b byte) bool { return b != 0 }) // another process has just created it
	if size := info.Size(); size != s.table.size() && size != s.table.at || !begun && !slices.Equal(head, s.head) {
		return fmt.Errorf("%s: an earlier job has left rows of an array of another shape or type: remove it", s.partName())
	}
	return nil
}

// Write stores rows in the .part. If an earlier run has completed the file, and its rows have been read, the .part
// starts as a copy of it.
func (s *newFile) Write(_ context.Context, begin int, t *graph.Tensor) error {
	if err := s.make(); err != nil {
		return err
	}
	if _, err := s.part.WriteAt(binfile.Memory(t), int64(s.info.Offset+begin*rowBytes(s.info.DType, s.info.Shape))); err != nil {
		return err
	}
	if err := s.part.Sync(); err != nil {
		return err
	}
	end := begin + 1
	if t.Rank() > 0 {
		end = begin + t.Extent(0)
	}
	return s.table.note(s.part, begin, end)
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
	if err = s.begin(f); err == nil && s.found != nil && s.found.name == s.name {
		err = errors.Join(s.table.copy(f, s.found.file, len(s.head)), s.forget())
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.part = f
	return nil
}

// begin gives the .part its size, unless Commit has already cut off the table.
func (s *newFile) begin(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == s.table.at {
		return err
	}
	if err := f.Truncate(s.table.size()); err != nil {
		return err
	}
	_, err = f.WriteAt(s.head, 0)
	return err
}

// find opens the file that this or another process has written.
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

// Read returns rows of the .part, which must have been written together, or rows of the complete file.
func (s *newFile) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	if s.found == nil {
		if err := s.find(); err != nil {
			return nil, nil, err
		}
	}
	if s.found.name != s.name {
		if err := s.table.check(s.found.file, begin, end); err != nil {
			return nil, nil, err
		}
	}
	return s.found.Read(ctx, begin, end, buffer)
}

// Commit syncs the .part to disk and renames it. Without a .part the file must be complete.
func (s *newFile) Commit() error {
	err := errors.Join(s.forget(), s.find())
	if err != nil || s.found.name == s.name {
		return errors.Join(err, s.forget())
	}
	if err := s.make(); err != nil {
		return err
	}
	if err := s.table.check(s.part, 0, s.table.rows); err != nil {
		return fmt.Errorf("%w. Blocks were written where this machine does not see them; or one was written again after %s was completed, and then the .part can be removed", err, s.name)
	}
	if err := errors.Join(s.part.Truncate(s.table.at), s.part.Sync()); err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	if err := os.Rename(s.partName(), s.name); errors.Is(err, os.ErrNotExist) { // another process has renamed it
		return errors.Join(s.find(), s.forget())
	} else if err != nil {
		return err
	}
	return binfile.SyncFolder(filepath.Dir(s.name))
}

func (s *newFile) Close() error {
	err := s.forget()
	if s.part != nil {
		err = errors.Join(err, s.part.Close())
		s.part = nil
	}
	return err
}
