package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// Folder returns the .npy files of a folder as a Source: their rows concatenated, in the order of the file names.
func Folder(name string) Source { return &folder{name: name} }

type folder struct {
	name  string
	files []*npyFile
	ends  []int // for each file, the number of the row after its last
}

func (s *folder) Open() (graph.DType, []int, error) {
	s.Close()
	names, err := npyNames(s.name)
	if err != nil {
		return 0, nil, err
	}
	if len(names) == 0 {
		return 0, nil, fmt.Errorf("%s: there is no .npy file in it", s.name)
	}
	var dt graph.DType
	var shape []int
	for i, name := range names {
		f := &npyFile{name: filepath.Join(s.name, name)}
		t, have, err := f.Open()
		s.files = append(s.files, f)
		switch {
		case err != nil:
			return 0, nil, err
		case len(have) == 0:
			return 0, nil, fmt.Errorf("%s: a scalar has no rows", f.name)
		case i == 0:
			dt, shape = t, slices.Clone(have)
		case t != dt || !slices.Equal(have[1:], shape[1:]):
			return 0, nil, fmt.Errorf("%s: rows of %s %v, and of %s %v in the files before", f.name, t, have[1:], dt, shape[1:])
		default:
			shape[0] += have[0]
		}
		s.ends = append(s.ends, shape[0])
	}
	return dt, shape, nil
}

// npyNames returns the names of the .npy files of a folder, in order.
func npyNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".npy" {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func (s *folder) Identity() string {
	var b strings.Builder
	for _, f := range s.files {
		b.WriteString(f.Identity() + "\n")
	}
	return b.String()
}

// Read maps a block that lies in one file, and copies a block that spans several.
func (s *folder) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	i := sort.SearchInts(s.ends, begin+1)
	if first := s.first(i); end <= s.ends[i] {
		return s.files[i].Read(ctx, begin-first, end-first, nil)
	}
	all := buffer()
	for at := begin; at < end; i++ {
		first, stop := s.first(i), min(end, s.ends[i])
		t, release, err := s.files[i].Read(ctx, at-first, stop-first, nil)
		if err != nil {
			return nil, nil, err
		}
		err = graph.Copy(rowsOf(all, at-begin, stop-begin), t)
		if err := errors.Join(err, release()); err != nil {
			return nil, nil, err
		}
		at = stop
	}
	return all, nothing, nil
}

// first returns the number of the first row of a file.
func (s *folder) first(i int) int {
	if i == 0 {
		return 0
	}
	return s.ends[i-1]
}

func (s *folder) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files, s.ends = nil, nil
	return errors.Join(errs...)
}
