package binfile

import "golang.org/x/sys/unix"

// populate makes the system read all pages at once.
const populate = unix.MAP_POPULATE
