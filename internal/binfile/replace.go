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

// Files that appear only when they are complete. Until then a file is called NAME.partN with a random N, so that
// several processes may write the same file.

// Replace writes a file, which gets its name only when it is complete and on disk. Until then it is in the given
// folder, which must be on the same disk. If write fails nothing is left.
func Replace(name, folder string, write func(io.Writer) error) error {
	part := filepath.Join(folder, fmt.Sprintf("%s.part%d", filepath.Base(name), rand.Uint64()))
	return replace(name, part, 0o666, write, (*os.File).Sync)
}

// Save writes a file. An existing file stays until the new one is complete, so write may read from it, and if write
// fails it stays for good. Save follows links. If the system refuses the replacement, Save collects the new text in
// memory and overwrites the file. It writes directly into pipes, and into names below /dev and /proc. Unlike Replace it
// does not wait for the disk.
func Save(name string, write func(io.Writer) error) error {
	name, err := followed(name)
	if err != nil {
		return err
	}
	old, err := os.OpenFile(name, os.O_WRONLY, 0) // if that fails the file can't be written
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
	var failed error // the error of write
	err = replace(name, besides(name), 0o600, func(w io.Writer) error { failed = write(w); return failed }, func(f *os.File) error { return f.Chmod(info.Mode().Perm()) })
	if err == nil || failed != nil {
		return err
	}
	var text bytes.Buffer // the folder can't get a new file, or the file can't be replaced
	if write(&text) != nil || !errors.Is(err, fs.ErrPermission) && !isLinkError(err) {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o666)
}

func isLinkError(err error) bool {
	var e *os.LinkError
	return errors.As(err, &e)
}

// besides returns a name for a file in the same folder as another.
func besides(name string) string {
	return filepath.Join(filepath.Dir(name), fmt.Sprintf(".part%d", rand.Uint64()))
}

// isDevice reports whether a name is below /dev or /proc, where names such as /dev/stdout are open files.
func isDevice(name string) bool {
	return strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/")
}

// followed returns the name of the file that a link leads to, whether or not it exists.
func followed(name string) (string, error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil || isDevice(name) { // not a link, or a link to something that is not a file name
			return name, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", fmt.Errorf("%s: too many links", name)
}

// replace writes a file under another name, and renames it when it is complete.
func replace(name, part string, mode fs.FileMode, write func(io.Writer) error, finish func(*os.File) error) error {
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	complete := false
	defer func() { // also if write panics
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

// RemoveParts removes files that killed processes have left in a folder during Replace.
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

// SyncFolders syncs the names of files in a folder, and in folders inside, to disk.
func SyncFolders(folder string) error {
	return filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return SyncFolder(name)
	})
}
