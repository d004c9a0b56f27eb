package binfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Files that appear when they are complete. Until then a file is called NAME.partN, where N
// is random, so that several processes may write the same file.

// Replace writes a file, which has its name once it is complete and on the disk. Until then
// it is in the folder given, which must be on the same disk. If write fails nothing is left.
func Replace(name, folder string, write func(io.Writer) error) error {
	part := filepath.Join(folder, fmt.Sprintf("%s.part%d", filepath.Base(name), rand.Uint64()))
	return replace(name, part, 0o666, write, (*os.File).Sync)
}

// Save writes a file. A file of that name stays as it is until the new one is complete, and if write fails: so write may
// read from it. Save follows links. If the system refuses the replacement, Save collects the new text in memory and then
// overwrites the file. It writes into pipes, and into names below /dev and /proc, directly. Unlike Replace it does not wait for the disk.
func Save(name string, write func(io.Writer) error) error {
	name, err := followed(name)
	if err != nil {
		return err
	}
	old, err := os.OpenFile(name, os.O_WRONLY, 0) // if that fails it can't be written
	if errors.Is(err, fs.ErrNotExist) {
		return replace(name, besides(name), 0o666, write, func(*os.File) error { return nil })
	}
	if err != nil {
		return err
	}
	info, err := old.Stat()
	if err == nil && (!info.Mode().IsRegular() || isDevice(name)) {
		err = buffered(old, write)
		return errors.Join(err, old.Close())
	}
	if err := errors.Join(err, old.Close()); err != nil {
		return err
	}
	var failed error // of write
	err = replace(name, besides(name), 0o600, func(w io.Writer) error { failed = write(w); return failed }, func(f *os.File) error { return f.Chmod(info.Mode().Perm()) })
	if err == nil || failed != nil {
		return err
	}
	var text bytes.Buffer // the folder takes no file, or the file can't be replaced
	if write(&text) != nil || !errors.Is(err, fs.ErrPermission) && !isLinkError(err) {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o666)
}

func isLinkError(err error) bool {
	var e *os.LinkError
	return errors.As(err, &e)
}

// besides returns a name for a file in the folder of another.
func besides(name string) string {
	return filepath.Join(filepath.Dir(name), fmt.Sprintf(".part%d", rand.Uint64()))
}

// isDevice reports whether a name is below /dev or /proc, where names such as /dev/stdout are files that are open.
func isDevice(name string) bool {
	return strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/")
}

// followed returns the name of the file that a link leads to, whether or not there is one yet.
func followed(name string) (string, error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil || isDevice(name) { // no link, or one that is no name of a file
			return name, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", fmt.Errorf("%s: too many links", name)
}

// replace writes a file of another name, and renames it once it is complete.
func replace(name, part string, mode fs.FileMode, write func(io.Writer) error, finish func(*os.File) error) error {
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	complete := false
	defer func() { // also of a write that panics
		if !complete {
			f.Close()
			os.Remove(part)
		}
	}()
	if err = buffered(f, write); err == nil {
		err = finish(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, name)
	}
	complete = err == nil
	return err
}

func buffered(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
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
