package zarr

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Identity returns a checksum of the names, sizes and times of the files, which changes when a chunk changes. It reads
// no file.
func (r *Reader) Identity() string {
	h := sha256.New()
	err := filepath.WalkDir(r.folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(r.folder, name)
		fmt.Fprintf(h, "%q %d %d\n", filepath.ToSlash(inside), info.Size(), info.ModTime().UnixNano())
		return err
	})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
