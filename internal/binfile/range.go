package binfile

import (
	"fmt"
	"os"
)

// Range is a part of a file in memory.
type Range struct {
	Data    []byte
	release func() error
}

// Release releases Data.
func (r Range) Release() error {
	if r.release == nil {
		return nil
	}
	return r.release()
}

// ReadRange returns n bytes of a file from an offset on, for reading only. Where the system supports it, they are
// mapped, and read from disk at once. The file must not be truncated before Release. A file that is too short is an
// error.
func ReadRange(f *os.File, offset, n int) (Range, error) {
	info, err := f.Stat()
	if err != nil {
		return Range{}, err
	}
	if int64(offset)+int64(n) > info.Size() {
		return Range{}, fmt.Errorf("%s has %d bytes: it ends before byte %d", f.Name(), info.Size(), int64(offset)+int64(n))
	}
	if n == 0 {
		return Range{}, nil
	}
	return readRange(f, offset, n)
}
