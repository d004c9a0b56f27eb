//go:build !amd64 || race || purego

package runtime

import "sync/atomic"

// leave leaves the flag.
func (f *flag) leave() { atomic.StoreUint32(&f.taken, 0) }
