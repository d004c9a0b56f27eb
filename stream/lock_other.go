//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package stream

import "os"

// haveLocks reports that this system has no locks; checksums find what two processes damage.
const haveLocks = false

func lockFile(*os.File, bool) error { return nil }
