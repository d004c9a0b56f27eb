//go:build !unix

package binfile

import "os"

func readRange(f *os.File, offset, n int) (Range, error) {
	data := make([]byte, n)
	_, err := f.ReadAt(data, int64(offset))
	return Range{Data: data}, err
}
