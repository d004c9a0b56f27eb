package ir

import (
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Pos is the place in a user's source that a value comes from.
type Pos struct {
	File string
	Line int
}

func (p Pos) String() string {
	if p.File == "" {
		return ""
	}
	return filepath.Base(p.File) + ":" + strconv.Itoa(p.Line)
}

// module is the import path of this module.
var module = path.Dir(reflect.TypeOf(Pos{}).PkgPath())

// Call is the number of a function or method that users call, of package graph or of a package beside it; 0 is none.
type Call uint32

// calls are the names of Calls, from 1 on.
var calls struct {
	mu    sync.Mutex
	names []string
}

// String returns the name as errors have it, "softmax", or "cmplx.prod" in another package than graph.
func (c Call) String() string {
	calls.mu.Lock()
	defer calls.mu.Unlock()
	if c == 0 || uint64(c) > uint64(len(calls.names)) {
		return ""
	}
	return calls.names[c-1]
}

// callers are the packages whose functions make Nodes for users, package graph and those made of it.
var callers = []string{"graph", "graph/cmplx"}

// callOf returns the Call of a function that Go names so.
func callOf(function string) Call {
	name, ours := strings.CutPrefix(function, module+"/")
	pkg, name, _ := strings.Cut(name, ".")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "Node."), ".")
	name, _, _ = strings.Cut(name, "[")
	if !ours || !slices.Contains(callers, pkg) || name == "" || name[0] < 'A' || name[0] > 'Z' {
		return 0
	}
	name = strings.ToLower(name)
	if pkg != callers[0] {
		name = pkg + "." + name
	}
	calls.mu.Lock()
	defer calls.mu.Unlock()
	at := slices.Index(calls.names, name)
	if at < 0 {
		at, calls.names = len(calls.names), append(calls.names, name)
	}
	return Call(at + 1)
}

// site is what is known of a program counter.
type site struct {
	pos  Pos
	call Call
	user bool
}

// sites remembers the frames met before: a program has few call sites, and
// finding the line of one takes longer than making a node.
var sites sync.Map // uintptr -> site

// CallerPos returns the line of the user's code that called into the library:
// the innermost frame outside of it. It is for functions inside, which it takes
// its own caller to be.
func CallerPos() Pos {
	pos, _ := caller()
	return pos
}

// Caller is CallerPos, and returns which function of the library was called.
func Caller() (Pos, Call) { return caller() }

// caller is for CallerPos and Caller.
func caller() (pos Pos, call Call) {
	var few [4]uintptr // enough for most: unwinding is what costs, each time from here
	const skip = 4     // past Callers, caller, what calls it, and the caller of that
	n := runtime.Callers(skip, few[:])
	pos, call, ok := userAmong(few[:n], 0)
	if ok || n < len(few) {
		return pos, call
	}
	var more [32]uintptr
	for first := skip + len(few); ; first += len(more) {
		n := runtime.Callers(first, more[:])
		if pos, call, ok = userAmong(more[:n], call); ok || n < len(more) {
			return pos, call
		}
	}
}

// userAmong returns the first line among some counters that is a user's, and the last call
// before it, which is known where they have none.
func userAmong(pcs []uintptr, known Call) (pos Pos, call Call, ok bool) {
	for _, pc := range pcs {
		s := siteOf(pc)
		if s.user {
			return s.pos, known, true
		}
		if s.call != 0 {
			known = s.call
		}
	}
	return Pos{}, known, false
}

// siteOf looks up a counter that runtime.Callers gave: it stands for one frame,
// also where calls are inlined.
func siteOf(pc uintptr) site {
	if s, ok := sites.Load(pc); ok {
		return s.(site)
	}
	one := [1]uintptr{pc}
	frame, _ := runtime.CallersFrames(one[:]).Next()
	s := site{pos: Pos{File: frame.File, Line: frame.Line}, call: callOf(frame.Function), user: isUser(frame.Function, frame.File)}
	sites.Store(pc, s)
	return s
}

// root is the folder of this module's source, as the compiler recorded it.
var root = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(file))
}()

// isUser reports whether a function is a user's, not the library's. Examples, commands, benchmarks
// and tests use the library as other modules do. (A main package has the path "main",
// in any folder. A closure of the library's that is inlined into a user's function has that
// function's name, and the library's file.)
func isUser(function, file string) bool {
	return function != "" && !ofLibrary(function, module, ".", file) && !ofLibrary(file, root, "/", file)
}

// ofLibrary reports whether a name below prefix, whose last part begins at sep, is that of
// the library itself.
func ofLibrary(name, prefix, sep, file string) bool {
	name, ours := strings.CutPrefix(name, prefix+"/")
	folder, _, _ := strings.Cut(name, sep)
	top, _, _ := strings.Cut(folder, "/")
	return ours && top != "examples" && top != "cmd" && top != "bench" && !strings.HasSuffix(file, "_test.go")
}
