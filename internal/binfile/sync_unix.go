//go:build unix

package binfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncFolder brings the names of files in a folder to the disk, where the file system can.
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
