package program

import (
	"sync/atomic"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
)

// common is what programs without settings of their own share: the machine, and the drafts of schedules for a set of kernels.
type common struct {
	kernels int             // the version of the executor's kernels
	machine *tuning.Machine // immutable
	drafts  schedule.Drafts
}

// shared is the common of the latest kernels.
var shared atomic.Pointer[common]

// machineOf returns the machine of a program, and the drafts that it shares with other programs, or nil.
func machineOf(c Config) (*tuning.Machine, *schedule.Drafts) {
	e := c.Executor
	if e != runtime.DefaultExecutor() || c.TilingOnly { // other executors may have other kernels
		return e.Machine(), nil
	}
	s := shared.Load()
	if version := e.Version(); s == nil || s.kernels != version {
		s = &common{kernels: version, machine: e.Machine()}
		shared.Store(s)
	}
	return s.machine, &s.drafts
}
