//go:build unix

package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// guarded is memory between pages without access. A region ends just before one of them or begins just after one, so a
// kernel that leaves it on that side faults.
type guarded struct {
	atEnd   bool
	regions [][]byte
}

// most is the most bytes of the regions of one program.
const mostGuarded = 32 << 20

// allocate returns zeroed bytes.
func (g *guarded) allocate(bytes int) ([]byte, error) {
	page := os.Getpagesize()
	if bytes < 0 || bytes > mostGuarded {
		return nil, fmt.Errorf("%d bytes are more than an attack takes", bytes)
	}
	whole := (bytes + page - 1) / page * page
	region, err := unix.Mmap(-1, 0, whole+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	g.regions = append(g.regions, region)
	for _, guard := range [][]byte{region[:page], region[page+whole:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			return nil, err
		}
	}
	begin := page
	if g.atEnd {
		begin += whole - bytes
	}
	return region[begin : begin+bytes : begin+bytes], nil
}

// release gives the memory back.
func (g *guarded) release() {
	for _, r := range g.regions {
		_ = unix.Munmap(r)
	}
	g.regions = nil
}
