package program

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
)

// What programs without settings of their own share: the machine, and drafts of schedules.

// common is what all programs on one set of kernels share.
type common struct {
	machine *tuning.Machine // immutable
	drafts  schedule.Drafts
}

// commons has the common for each kernels.
var commons sync.Map

// kernels identifies a set of kernels, and a number of goroutines. vector is the width of the best kernels' vectors in
// bytes.
type kernels struct {
	parallelism, version, vector int
	assembly                     bool
}

// machineOf returns the machine of a program, and the drafts that it shares with other programs, or nil.
func machineOf(c Config) (*tuning.Machine, *schedule.Drafts) {
	e := c.Executor
	if e.Tuning != nil {
		return e.Machine(), nil
	}
	key := kernels{e.Parallelism(), e.Version(), e.BestVector(), e.Assembly()}
	known, ok := commons.Load(key)
	if !ok {
		known = &common{machine: e.Machine()}
		commons.Store(key, known)
	}
	shared := known.(*common)
	if e == runtime.DefaultExecutor() && !c.TilingOnly { // other executors may have other kernels
		return shared.machine, &shared.drafts
	}
	return shared.machine, nil
}
