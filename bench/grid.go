package main

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

// grid is a program whose sizes are fixed.
type grid struct {
	name, size string
	build      func() graph.Node
	inputs     []limits
	work       work
	known      known
	tiling     bool // whether it is also measured as a tiling
}

// grids returns W6 to W16, W18, B1 to B12, M1 to M3, N1 to N8, C1 to C5, and D1 to D7.
func grids() []workload {
	var ws []workload
	for _, g := range allGrids() {
		ws = append(ws, workload{g.name, g.size, g.calls})
	}
	return ws
}

func allGrids() []grid {
	var gs []grid
	for _, n := range []int{256, 4096} {
		size := fmt.Sprintf("%dx%d", n, n)
		gs = append(append(gs, views(n, size)...), reductions(n, size)...)
	}
	gs = append(gs, runningSums(1<<16, "64K"), runningSums(1<<20, "1M"), runningSums(1<<24, "16M"))
	gs = append(append(gs, rowwise(64, 128)...), rowwise(4096, 1024)...)
	gs = append(append(gs, convolutions()...), movement()...)
	gs = append(append(gs, questions(2048)...), shortRows(1<<18)...)
	return append(append(gs, products()...), append(append(pixels(360, 640), integerProduct(1024)), image(2160, 3840), distances(2048, 64), mandelbrot(2048))...)
}

// calls runs a grid's program into an old result and with a fresh one, as a tiling, and in the fast tier if that is
// another program.
func (g grid) calls(threads int) ([]call, error) {
	ins, err := inputs(g.build(), 0, g.inputs)
	if err != nil {
		return nil, err
	}
	j, err := jobs(g.build(), 0, ins, g.work, g.known, threads, nil, graph.WithDebug(graph.TilingOnly), graph.WithFast())
	if err != nil {
		return nil, err
	}
	full, tiling, fast := j[0], j[1], j[2]
	calls := []call{full.into("generated kernel"), full.bound("generated kernel, bound"), full.fresh(), full.released()}
	if g.tiling {
		calls = append(calls, tiling.into("tiling"))
	}
	if fast.kernels() != full.kernels() {
		calls = append(calls, fast.into("generated kernel, fast tier"))
	}
	return calls, nil
}
