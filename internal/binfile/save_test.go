package binfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/internal/binfile"
)

// TestSave: the old file can be read until the new one is complete, and stays if it never is.
func TestSave(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "x")
	text := func() string {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(data)
	}
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o640))
	link := filepath.Join(folder, "link")
	if err := os.Symlink(name, link); err != nil {
		link = name // a system without
	}
	require.Error(t, binfile.Save(link, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, errors.New("no more"))
	}))
	require.Equal(t, "old", text())
	require.NoError(t, binfile.Save(link, func(w io.Writer) error {
		_, err := io.WriteString(w, text()+" and new")
		return err
	}))
	require.Equal(t, "old and new", text())
	info, err := os.Stat(name)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.Equal(t, fs.FileMode(0o640), info.Mode().Perm(), "the mode is that of the old file")
	}
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.LessOrEqual(t, len(files), 2)
	if link != name {
		require.NoError(t, os.Remove(name))
		require.NoError(t, binfile.Save(link, func(w io.Writer) error { _, err := io.WriteString(w, "made"); return err }))
		require.Equal(t, "made", text(), "a link to a file that is not there yet")
	}
	require.NoError(t, binfile.Save(os.DevNull, func(w io.Writer) error { _, err := w.Write(make([]byte, 100_000)); return err }))
	require.NoError(t, binfile.Save(filepath.Join(folder, "new"), func(io.Writer) error { return nil }))
	require.Error(t, binfile.Save(filepath.Join(folder, "none", "x"), func(io.Writer) error { return nil }))
}
