package jit

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"
)

// Executable memory. Input: machine code. Output: pages that hold it. The arena reserves its addresses once, without
// memory behind them. A page is in one of three states: free (no access, no memory), being written by load (writable), or
// loaded (executable and readable). No page is ever writable and executable.

// Limit is the most bytes of executable memory that a process uses.
const Limit = 32 << 20

// ErrFull says that the arena has no room for a kernel. Room appears when kernels are dropped.
var ErrFull = fmt.Errorf("jit: %d MiB of executable memory are in use", Limit>>20)

// system has the calls that change pages. Tests replace it.
type system interface {
	reserve(bytes int) ([]byte, error) // addresses that can't be accessed
	write(pages []byte) error          // makes free pages writable
	execute(pages []byte) error        // makes written pages executable and no longer writable
	free(pages []byte) error           // makes pages inaccessible and gives their memory back
}

// arena is the executable memory of a process.
type arena struct {
	sys   system
	mu    sync.Mutex
	bytes []byte // nil before the first use
	page  int    // bytes of a page
	used  []bool // by page
	next  int    // the page from which load searches
	count int    // pages in use
}

// span is consecutive pages of an arena.
type span struct{ first, pages int }

// memory returns the pages of a span.
func (a *arena) memory(s span) []byte {
	return a.bytes[s.first*a.page : (s.first+s.pages)*a.page : (s.first+s.pages)*a.page]
}

// begin reserves the addresses and tries whether the system lets a page execute. It is called before all else.
func (a *arena) begin(limit int) error {
	bytes, err := a.sys.reserve(limit)
	if err != nil {
		return fmt.Errorf("the system refuses addresses for executable memory: %w", err)
	}
	a.page = os.Getpagesize()
	a.bytes, a.used = bytes, make([]bool, limit/a.page)
	_, s, err := a.load([]byte{filler})
	if err != nil {
		return err
	}
	a.drop(s)
	return nil
}

// load copies code to the start of free pages, makes them executable, and returns its address.
func (a *arena) load(code []byte) (entry uintptr, s span, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s, err = a.take((len(code) + a.page - 1) / a.page); err != nil {
		return 0, span{}, err
	}
	pages := a.memory(s)
	if err := a.sys.write(pages); err != nil {
		return 0, span{}, fmt.Errorf("the system refuses memory: %w", errors.Join(err, a.free(s)))
	}
	for i := copy(pages, code); i < len(pages); i++ {
		pages[i] = filler
	}
	if err := a.sys.execute(pages); err != nil {
		return 0, span{}, fmt.Errorf("the system refuses to make memory executable: %w", errors.Join(err, a.free(s)))
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(pages))), s, nil
}

// take finds free pages, searching from where it ended before, so that addresses are not used again at once.
func (a *arena) take(pages int) (span, error) {
	run := 0
	for i := range len(a.used) + pages {
		at := (a.next + i) % len(a.used)
		if at == 0 {
			run = 0 // the last page and the first one are not consecutive
		}
		if run++; a.used[at] {
			run = 0
		}
		if run == pages {
			s := span{at - pages + 1, pages}
			a.set(s, true)
			a.next = (at + 1) % len(a.used)
			return s, nil
		}
	}
	return span{}, ErrFull
}

// free gives pages back to the system. Pages that the system does not take back stay in use.
func (a *arena) free(s span) error {
	err := a.sys.free(a.memory(s))
	if err == nil {
		a.set(s, false)
	}
	return err
}

func (a *arena) set(s span, used bool) {
	for i := range s.pages {
		a.used[s.first+i] = used
	}
	if used {
		a.count += s.pages
	} else {
		a.count -= s.pages
	}
}

// drop frees pages in which nothing may execute any more.
func (a *arena) drop(s span) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.free(s)
}

// inUse returns the bytes of the pages in use.
func (a *arena) inUse() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count * a.page
}
