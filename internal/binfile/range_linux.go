package binfile

import "golang.org/x/sys/unix"

// populate has the system read all pages at once.
const populate = unix.MAP_POPULATE
