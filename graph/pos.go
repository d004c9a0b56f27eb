package graph

import (
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// inside is how the names of this package's functions start. Those of its
// tests, in package graph_test, do not.
var inside = reflect.TypeFor[Node]().PkgPath() + "."

// site is what is known of a program counter.
type site struct {
	pos  ir.Pos
	user bool // outside this package
}

// sites remembers the frames met before: a program has few call sites, and
// finding the line of one takes longer than making a node.
var sites sync.Map // uintptr -> site

// caller returns the line of the user's code that called into this package:
// the first frame outside of it.
func caller() ir.Pos {
	var pcs [8]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if s := siteOf(pc); s.user {
				return s.pos
			}
		}
		if n < len(pcs) {
			return ir.Pos{}
		}
	}
}

func siteOf(pc uintptr) site {
	if s, ok := sites.Load(pc); ok {
		return s.(site)
	}
	one := [1]uintptr{pc}
	frame, _ := runtime.CallersFrames(one[:]).Next()
	s := site{
		pos:  ir.Pos{File: frame.File, Line: frame.Line},
		user: frame.Function != "" && !strings.HasPrefix(frame.Function, inside),
	}
	sites.Store(pc, s)
	return s
}
