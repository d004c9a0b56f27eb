package ir

import (
	"path"
	"reflect"
	"runtime"
	"strings"
	"sync"
)

// inside is how the names of functions start that are this module's own, and
// not its user's. The names of tests in packages of their own, such as
// graph_test, do not.
var inside = func() (prefixes [3]string) {
	module := path.Dir(reflect.TypeFor[Pos]().PkgPath())
	for i, name := range [...]string{"ir", "runtime", "graph"} {
		prefixes[i] = module + "/" + name + "."
	}
	return prefixes
}()

// site is what is known of a program counter.
type site struct {
	pos  Pos
	user bool // outside this module's packages
}

// sites remembers the frames met before: a program has few call sites, and
// finding the line of one takes longer than making a node.
var sites sync.Map // uintptr -> site

// CallerPos returns the line of the user's code that called into the packages
// ir, runtime or graph: the innermost frame outside of them. Their tests count
// as users. It is for functions inside, which it takes its own caller to be.
func CallerPos() Pos {
	var pcs [4]uintptr                  // enough for most: unwinding is what costs
	for skip := 3; ; skip += len(pcs) { // past Callers, CallerPos and who asks
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if s := siteOf(pc); s.user {
				return s.pos
			}
		}
		if n < len(pcs) {
			return Pos{}
		}
	}
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

func isUser(function, file string) bool {
	if function == "" {
		return false
	}
	for _, prefix := range inside {
		if strings.HasPrefix(function, prefix) {
			return strings.HasSuffix(file, "_test.go")
		}
	}
	return true
}
