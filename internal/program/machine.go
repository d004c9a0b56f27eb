package program

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
)

// What programs without settings of their own share: the machine, and drafts of schedules.

// common is what the programs on one set of kernels share.
type common struct {
	machine *tuning.Machine // nothing changes it
	drafts  schedule.Drafts
}

// commons has the common of each kernels.
var commons sync.Map

// kernels is the number of goroutines, and a set of kernels: vector is the bytes of a vector of the best ones.
type kernels struct {
	parallelism, version, vector int
	assembly                     bool
}

// machineOf returns the machine of a program, and the drafts that it shares with others, or nil.
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
	if e == runtime.DefaultExecutor() && !c.TilingOnly { // others may have other kernels
		return shared.machine, &shared.drafts
	}
	return shared.machine, nil
}
