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

// Pos is the position in a user's source that a value comes from.
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

// Call identifies a function or method that users call, of package graph or a package made of it; 0 is none.
type Call uint32

// calls are the names of Calls, starting at 1.
var calls struct {
	mu    sync.Mutex
	names []string
}

// String returns the name for errors: "softmax", or "cmplx.prod" for a package other than graph.
func (c Call) String() string {
	calls.mu.Lock()
	defer calls.mu.Unlock()
	if c == 0 || uint64(c) > uint64(len(calls.names)) {
		return ""
	}
	return calls.names[c-1]
}

// callers are the packages whose functions make Nodes for users: package graph and packages made of it.
var callers = []string{"graph", "graph/cmplx", "optim"}

// callOf returns the Call of a function with the given Go name.
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

// site is the cached information about a program counter.
type site struct {
	pos  Pos
	call Call
	user bool
}

// sites caches the frames seen before: a program has few call sites, and finding the line of one takes longer than making a
// node.
var sites sync.Map // uintptr -> site

// CallerPos returns the line of the user's code that called into the library: that of the innermost frame outside the library. Its own
// caller must be a function of the library.
func CallerPos() Pos {
	pos, _ := caller()
	return pos
}

// Caller is CallerPos, and also returns the function of the library that was called.
func Caller() (Pos, Call) { return caller() }

// caller implements CallerPos and Caller.
func caller() (pos Pos, call Call) {
	var few [4]uintptr // enough for most; unwinding is what costs, each time from here
	const skip = 4     // skips Callers, caller, its caller, and the caller of that
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

// userAmong returns the first of some counters' lines that is a user's, and the last Call before it, or known if there is none.
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

// siteOf returns the site of a counter that runtime.Callers returned. Such a counter stands for one frame, also for inlined calls.
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

// folders are those of the library's packages. Other folders of the module, as examples, commands and benchmarks, use it as other modules do.
var folders = []string{"codegen", "formats", "graph", "internal", "ir", "optim", "passes", "runtime", "stream", "x"}

// isUser reports whether a function is a user's, not the library's. So are the library's tests. (A main package has the path "main", in any
// folder. A closure of the library's that is inlined into a user's function has that function's name, and the library's file.)
func isUser(function, file string) bool {
	return function != "" && !ofLibrary(function, module, ".", file) && !ofLibrary(file, root, "/", file)
}

// ofLibrary reports whether a name below prefix, whose last part begins at sep, belongs to the library itself.
func ofLibrary(name, prefix, sep, file string) bool {
	name, ours := strings.CutPrefix(name, prefix+"/")
	folder, _, _ := strings.Cut(name, sep)
	top, _, _ := strings.Cut(folder, "/")
	return ours && slices.Contains(folders, top) && !strings.HasSuffix(file, "_test.go")
}
