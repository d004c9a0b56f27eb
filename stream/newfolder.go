package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// NewFolder returns a folder of .npy files as a Sink: one file for each block of rows, named by its first row. A file
// gets its name when it is complete; it then replaces all files of an earlier job that begin within its rows. The
// folder must not contain .npy files of other arrays.
func NewFolder(name string) Sink { return &newFolder{name: name} }

type newFolder struct {
	name string
	rows int
	old  []int // first rows of the existing files, ascending
}

// Create rejects a folder with files that no block replaces: a reader of the folder would take them for rows.
func (s *newFolder) Create(_ graph.DType, shape []int) error {
	if err := os.MkdirAll(s.name, 0o777); err != nil {
		return err
	}
	names, err := npyNames(s.name)
	if err != nil {
		return err
	}
	end := 1
	if len(shape) > 0 {
		end = shape[0]
	}
	s.old, s.rows = nil, end
	for _, name := range names {
		begin, err := strconv.Atoi(strings.TrimSuffix(name, ".npy"))
		if err != nil || begin < 0 || begin >= end || name != fileOf(begin) {
			return fmt.Errorf("%s: it is not of this array, which has %d rows: remove it", filepath.Join(s.name, name), end)
		}
		s.old = append(s.old, begin)
	}
	return nil
}

// fileOf returns the name of a block's file.
func fileOf(begin int) string { return fmt.Sprintf("%015d.npy", begin) }

func (s *newFolder) file(begin int) string { return filepath.Join(s.name, fileOf(begin)) }

// Write removes the files of an earlier job that begin within the rows.
func (s *newFolder) Write(_ context.Context, begin int, t *graph.Tensor) error {
	err := binfile.Replace(s.file(begin), s.name, func(w io.Writer) error { return npy.Write(w, t) })
	if err != nil || t.Rank() == 0 {
		return err
	}
	first, _ := slices.BinarySearch(s.old, begin+1)
	end, _ := slices.BinarySearch(s.old, begin+t.Extent(0))
	for _, at := range s.old[min(first, end):end] {
		if err := os.Remove(s.file(at)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (s *newFolder) Read(ctx context.Context, begin, end int, _ func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	f := &npyFile{name: s.file(begin)}
	_, shape, err := f.Open()
	if err == nil && (len(shape) == 0 || shape[0] != end-begin) {
		err = fmt.Errorf("%s: an array of shape %v, not of %d rows", f.name, shape, end-begin)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	t, release, err := f.Read(ctx, 0, end-begin, nil)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return t, func() error { return errors.Join(release(), f.Close()) }, nil
}

// Commit checks that the files contain each row once, and syncs their names to disk.
func (s *newFolder) Commit() error {
	if err := binfile.RemoveParts(s.name); err != nil {
		return err
	}
	names, err := npyNames(s.name)
	if err != nil {
		return err
	}
	at := 0
	for _, name := range names {
		if name != fileOf(at) {
			return fmt.Errorf("%s: %s is there in place of %s: blocks were written where this machine does not see them, or in other sizes", s.name, name, fileOf(at))
		}
		rows, err := rowsIn(filepath.Join(s.name, name))
		if err != nil {
			return err
		}
		at += rows
	}
	if at != s.rows {
		return fmt.Errorf("%s: the rows from %d on have not been written", s.name, at)
	}
	return binfile.SyncFolder(s.name)
}

// rowsIn returns how many rows a file has; a scalar is one.
func rowsIn(name string) (int, error) {
	f := &npyFile{name: name}
	_, shape, err := f.Open()
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	if len(shape) == 0 {
		return 1, nil
	}
	return shape[0], nil
}

func (s *newFolder) Close() error { return nil }
