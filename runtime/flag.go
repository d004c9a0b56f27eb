package runtime

import "sync/atomic"

// flag is taken by one goroutine at a time, and left by that.
type flag struct{ taken uint32 }

// take takes the flag, and reports whether no other has it.
func (f *flag) take() bool { return atomic.CompareAndSwapUint32(&f.taken, 0, 1) }
