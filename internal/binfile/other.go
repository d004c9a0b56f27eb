//go:build !unix

package binfile

import "os"

// mapFile reads the file.
func mapFile(name string) ([]byte, func([]byte) error, error) {
	data, err := os.ReadFile(name)
	return data, nil, err
}

func readRange(f *os.File, offset, n int) (Range, error) {
	data := make([]byte, n)
	_, err := f.ReadAt(data, int64(offset))
	return Range{Data: data}, err
}

// SyncFolder does nothing: on this system a name is on disk when its file is.
func SyncFolder(string) error { return nil }
