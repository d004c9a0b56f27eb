//go:build unix

package binfile

import (
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
