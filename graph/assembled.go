package graph

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime/jit"
)

// Kernels assembled at run time: when, and what Explain says of them.

// WithAssembledKernels assembles the kernels that were not generated before the first run with inputs of new sizes or
// layouts. That takes 0.1 to 0.6 ms for a kernel of arithmetic, and 0.2 to 80 ms for one of elementary functions. Without it
// a tiling is replaced by an assembled kernel when its runs have taken several times as long as assembling takes. Where no
// kernels can be assembled it has no effect; Explain says why. The environment variable STRIDEFUSE_JIT=prepared does so for
// all programs of a process. Of this option and WithoutAssembledKernels the last one counts.
func WithAssembledKernels() Option {
	return func(s *settings) { s.assemble = program.BeforeFirstRun }
}

// WithoutAssembledKernels assembles no kernels at run time: loops without a generated kernel stay tilings. The
// environment variable STRIDEFUSE_JIT=off and the build tag nojit do so for all programs. Of this option and
// WithAssembledKernels the last one counts.
func WithoutAssembledKernels() Option {
	return func(s *settings) { s.assemble = program.Never }
}

// explainAssembled says how many kernels were assembled at run time, what generating them spares, and when those of the
// tilings that remain are due.
func (p *Program) explainAssembled(b *bytes.Buffer, bound *program.Binding, nests *nest.Program) {
	if !p.compiled.Assembles() {
		return
	}
	tilings := 0
	for i := range nests.Tasks {
		for _, c := range nests.Tasks[i].Choices {
			if c.Kernels > 1 {
				tilings++
			}
		}
	}
	with, due := bound.Assembled()
	if kernels := with.Kernels(); len(kernels) > 0 {
		code, took := 0, time.Duration(0)
		for _, k := range kernels {
			code, took = code+k.Bytes(), took+k.Took()
		}
		text, spared := fmt.Sprintf("%s, %s, assembled at run time in %v", plural(len(kernels), "kernel"), byteText(code), rounded(took)), "that"
		if spent := p.compiled.Spent(); spent > 0 {
			text, spared = text+fmt.Sprintf(", after about %v of tilings", rounded(spent)), "both"
		}
		line(b, "jit", text+": generated kernels spare "+spared, ir.Pos{})
	}
	for _, why := range with.Refused() {
		line(b, "jit", "refused: "+strings.TrimPrefix(why, "jit: "), ir.Pos{})
	}
	if tilings == 0 {
		return
	}
	switch off := jit.Off(); {
	case off != nil:
		line(b, "jit", fmt.Sprintf("off: %v", off), ir.Pos{})
	case due > 0:
		line(b, "jit", fmt.Sprintf("kernels for %s are assembled when the runs' tilings have taken %v by estimate; so far %v", plural(tilings, "tiling"), rounded(due), rounded(p.compiled.Spent())), ir.Pos{})
	}
}
