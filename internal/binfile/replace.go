package binfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// Files that appear when they are complete. Until then a file is called NAME.partN, where N
// is random, so that several processes may write the same file.

// Replace writes a file, which has its name once it is complete and on the disk. Until then
// it is in the folder given, which must be on the same disk. If write fails nothing is left.
func Replace(name, folder string, write func(io.Writer) error) error {
	part := filepath.Join(folder, fmt.Sprintf("%s.part%d", filepath.Base(name), rand.Uint64()))
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

var partName = regexp.MustCompile(`.\.part\d+$`)

// RemoveParts removes what processes that were killed have left of Replace in a folder.
func RemoveParts(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		if partName.MatchString(f.Name()) {
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// SyncFolders brings the names of files in a folder, and in those inside, to the disk.
func SyncFolders(folder string) error {
	return filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return SyncFolder(name)
	})
}
