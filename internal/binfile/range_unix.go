//go:build unix

package binfile

import (
	"os"

	"golang.org/x/sys/unix"
)

func readRange(f *os.File, offset, n int) (Range, error) {
	before := offset % os.Getpagesize() // a mapping must begin at a page
	data, err := unix.Mmap(int(f.Fd()), int64(offset-before), n+before, unix.PROT_READ, unix.MAP_SHARED|populate)
	if err != nil {
		return Range{}, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return Range{data[before:], func() error { return unix.Munmap(data) }}, nil
}
