//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import "syscall"

// pages are the system calls of Linux.
type pages struct{}

func (pages) reserve(bytes int) ([]byte, error) {
	return syscall.Mmap(-1, 0, bytes, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
}

func (pages) write(b []byte) error { return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE) }

func (pages) execute(b []byte) error {
	if err := syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return err
	}
	synchronize(b)
	return nil
}

func (pages) free(b []byte) error {
	if err := syscall.Mprotect(b, syscall.PROT_NONE); err != nil {
		return err
	}
	return syscall.Madvise(b, syscall.MADV_DONTNEED)
}
