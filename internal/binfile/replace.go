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
	return replace(name, folder, 0o666, write, (*os.File).Sync)
}

// Save writes a file in place of one that exists, which stays as it was until the new one is complete, and if write fails:
// write may read it. A link is followed. What is no file, such as a pipe, is written as it is.
func Save(name string, write func(io.Writer) error) error {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(name); err == nil {
		if mode = info.Mode(); !mode.IsRegular() {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			return errors.Join(buffered(f, write), f.Close())
		}
	}
	return replace(name, filepath.Dir(name), mode.Perm(), write, func(*os.File) error { return nil })
}

// replace writes a file of another name, and renames it once it is complete.
func replace(name, folder string, mode fs.FileMode, write func(io.Writer) error, sync func(*os.File) error) error {
	part := filepath.Join(folder, fmt.Sprintf("%s.part%d", filepath.Base(name), rand.Uint64()))
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err = buffered(f, write); err == nil {
		err = sync(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush())
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
