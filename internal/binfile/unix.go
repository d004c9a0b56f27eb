//go:build unix

package binfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapFile maps a regular file, copy on write.
func mapFile(name string) ([]byte, func([]byte) error, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%s: not a regular file: it can't be mapped", name)
	case info.Size() > math.MaxInt:
		return nil, nil, fmt.Errorf("%s: its %d bytes pass int", name, info.Size())
	case info.Size() == 0: // the system can't map an empty file
		return nil, nil, nil
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, &os.PathError{Op: "mmap", Path: name, Err: err}
	}
	return data, release, nil
}

// release replaces the file's pages by zeros, which need memory only where they are written.
func release(data []byte) error {
	at := unsafe.Pointer(unsafe.SliceData(data))
	_, err := unix.MmapPtr(-1, 0, at, uintptr(len(data)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED)
	return err
}

func readRange(f *os.File, offset, n int) (Range, error) {
	before := offset % os.Getpagesize() // a mapping must begin at a page
	data, err := unix.Mmap(int(f.Fd()), int64(offset-before), n+before, unix.PROT_READ, unix.MAP_SHARED|populate)
	if err != nil {
		return Range{}, &os.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	return Range{data[before:], func() error { return unix.Munmap(data) }}, nil
}

// SyncFolder syncs the names of files in a folder to disk, if the file system can.
func SyncFolder(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
