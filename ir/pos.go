package ir

import (
	"path"
	"path/filepath"
	"reflect"
	"runtime"
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
var module = path.Dir(reflect.TypeFor[Pos]().PkgPath())

// site is what is known of a program counter.
type site struct {
	pos  Pos
	user bool
}

// sites remembers the frames met before: a program has few call sites, and
// finding the line of one takes longer than making a node.
var sites sync.Map // uintptr -> site

// CallerPos returns the line of the user's code that called into the library:
// the innermost frame outside of it. It is for functions inside, which it takes
// its own caller to be.
func CallerPos() Pos {
	var few [4]uintptr // enough for most: unwinding is what costs, each time from here
	const skip = 3     // past Callers, CallerPos and its caller
	n := runtime.Callers(skip, few[:])
	if pos, ok := userAmong(few[:n]); ok || n < len(few) {
		return pos
	}
	var more [32]uintptr
	for first := skip + len(few); ; first += len(more) {
		n := runtime.Callers(first, more[:])
		if pos, ok := userAmong(more[:n]); ok || n < len(more) {
			return pos
		}
	}
}

// userAmong returns the first line among some counters that is a user's.
func userAmong(pcs []uintptr) (pos Pos, ok bool) {
	for _, pc := range pcs {
		if s := siteOf(pc); s.user {
			return s.pos, true
		}
	}
	return Pos{}, false
}

// siteOf looks up a counter that runtime.Callers gave: it stands for one frame,
// also where calls are inlined.
func siteOf(pc uintptr) site {
	if s, ok := sites.Load(pc); ok {
		return s.(site)
	}
	one := [1]uintptr{pc}
	frame, _ := runtime.CallersFrames(one[:]).Next()
	s := site{pos: Pos{File: frame.File, Line: frame.Line}, user: isUser(frame.Function, frame.File)}
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
