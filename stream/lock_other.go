//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package stream

import "os"

// haveLocks says that there are none here: checksums find what two processes damage.
const haveLocks = false

func lockFile(*os.File, bool) error { return nil }
