//go:build unix

package binfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

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
