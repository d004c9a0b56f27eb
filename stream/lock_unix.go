//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package stream

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const haveLocks = true

// lockFile locks a file without waiting. A file system without locks is not an error: checksums find what two processes
// damage.
func lockFile(f *os.File, shared bool) error {
	how := unix.LOCK_EX | unix.LOCK_NB
	if shared {
		how = unix.LOCK_SH | unix.LOCK_NB
	}
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrInUse
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK):
			return nil
		case err != nil:
			return &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
		return nil
	}
}
