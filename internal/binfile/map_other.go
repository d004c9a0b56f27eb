//go:build !unix

package binfile

import "os"

// mapFile reads the file.
func mapFile(name string) ([]byte, func([]byte) error, error) {
	data, err := os.ReadFile(name)
	return data, nil, err
}
