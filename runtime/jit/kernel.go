package jit

import (
	"fmt"
	goruntime "runtime"
	"sync"
	"time"
	"weak"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Kernels, shared by engine and signature. Input: a kernel's text. Output: machine code in the arena. The library has
// weak pointers: a kernel lives as long as a program can call it, and the garbage collector ends it.

// Kernel is a kernel assembled at run time. It lives as long as it is reachable, or one of its functions is.
type Kernel struct {
	entry uintptr
	bytes int
	on    abi.Engine
	took  time.Duration
}

// Func returns the kernel as a function, which may be called concurrently.
func (k *Kernel) Func() func(*abi.Frame) {
	return func(f *abi.Frame) {
		enter(k.entry, f)
		goruntime.KeepAlive(k)
	}
}

// Engine returns the engine that the kernel is for.
func (k *Kernel) Engine() abi.Engine { return k.on }

// Bytes returns the length of the machine code, with its constants. In memory it has whole pages.
func (k *Kernel) Bytes() int { return k.bytes }

// Took returns the time of assembling it.
func (k *Kernel) Took() time.Duration { return k.took }

// code is machine code from an assembler.
type code struct {
	bytes []byte // its entry is the first
	stack int    // bytes of the caller's frame that it uses
}

// maxStack is the most bytes of stack that a kernel may use: what enter reserves.
const maxStack = 4096

// assemble makes the code of a kernel for an engine.
type assemble func(on abi.Engine, code kernel.Code) (code, error)

// library has the kernels that are alive.
type library struct {
	arena    *arena
	assemble assemble

	mu    sync.Mutex // held while a kernel is assembled: the process assembles one at a time
	alive map[identity]weak.Pointer[Kernel]
	made  int // kernels ever made
}

// newLibrary returns a library without kernels. The arena has begun, or begins before the first kernel.
func newLibrary(a *arena, by assemble) *library {
	return &library{arena: a, assemble: by, alive: map[identity]weak.Pointer[Kernel]{}}
}

// identity is what tells kernels apart.
type identity struct {
	on        abi.Engine
	signature string
}

// kernel returns the kernel of a signature, which it assembles unless it is alive.
func (l *library) kernel(on abi.Engine, c kernel.Code) (*Kernel, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := identity{on, c.Signature()}
	if k := l.alive[id].Value(); k != nil {
		return k, nil
	}
	begun := time.Now()
	made, err := l.code(on, c)
	if err != nil {
		return nil, fmt.Errorf("jit: %s: %w", id.signature, err)
	}
	if made.stack > maxStack {
		return nil, fmt.Errorf("jit: %s: it needs %d bytes of stack, and may have %d", id.signature, made.stack, maxStack)
	}
	entry, at, err := l.arena.load(made.bytes)
	if err != nil {
		return nil, err
	}
	k := &Kernel{entry: entry, bytes: len(made.bytes), on: on, took: time.Since(begun)}
	l.alive[id] = weak.Make(k)
	l.made++
	goruntime.AddCleanup(k, func(at span) { l.drop(id, at) }, at)
	return k, nil
}

// code returns the code of a kernel. A panic of the assembler, which is a bug, is an error: the caller has another way to
// compute.
func (l *library) code(on abi.Engine, c kernel.Code) (made code, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("BUG: %v", p)
		}
	}()
	return l.assemble(on, c)
}

// drop gives back the pages of a kernel that has become unreachable. Meanwhile another one may have its signature.
func (l *library) drop(id identity, at span) {
	l.arena.drop(at)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alive[id].Value() == nil {
		delete(l.alive, id)
	}
}

// Usage counts the kernels of the process.
type Usage struct {
	Kernels int // alive: a program may call them
	Made    int // assembled since the process began
	Bytes   int // of executable memory in use, at most Limit
}

func (l *library) usage() Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := Usage{Made: l.made, Bytes: l.arena.inUse()}
	for _, k := range l.alive {
		if k.Value() != nil {
			u.Kernels++
		}
	}
	return u
}
