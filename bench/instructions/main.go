// Instructions prints a table of the instructions that workloads execute on arm64: with NEON kernels, with Go loops, and in C++. They
// are counted by a plugin of qemu-aarch64, and are not times:
//
//	apt-get install qemu-user gcc g++-aarch64-linux-gnu
//	go run ./bench/instructions            # run from the module's folder; takes half an hour
//	go run ./bench/instructions -only W10
//
// The workloads are those of the benchmark program, at one size each.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// titles are the workloads that are counted, and their sizes.
const titles = `^(W[1-5]-.* 64K|(W[6-9]|W10|W13)-.* 256x256|W13-cumsum 64K|W1[12]-.* 64x128|W14-matmul 512|W14-matmul\+.*|W14-matmul-batch.*|W15.*|W16.*|W17.*|W18.*|C.*|D.* [^ ]*x.*|D6.*)$`

// peers are the programs of a table, the first of which is compared with the others.
var peers = []peer{
	{"NEON", []string{"go", "build", "-o", "OUT", "./bench"}, goArguments},
	{"Go loops", []string{"go", "build", "-tags", "purego", "-o", "OUT", "./bench"}, goArguments},
	{"C++", []string{"aarch64-linux-gnu-g++", "-O3", "-march=armv8-a", "-static", "-o", "OUT", "bench/peers/counted.cpp"}, cxxArguments},
}

// A peer is a program that counts workloads.
type peer struct {
	name      string
	build     []string // the command, with OUT for the program's path
	arguments func(counter, only string) []string
}

func goArguments(counter, only string) []string {
	return []string{"-count", counter, "-only", only, "-note", "^generated kernel, bound$"}
}

func cxxArguments(counter, _ string) []string { return []string{counter} }

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("instructions", flag.ContinueOnError)
	only := flags.String("only", titles, "count the workloads whose \"name size\" this `regexp` matches")
	names := flags.String("peers", "", "count these programs, with commas between them; all: NEON,Go loops,C++")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "instructions")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	plugin := filepath.Join(dir, "count.so")
	if err := command("gcc", "-O2", "-shared", "-fPIC", "-o", plugin, "bench/peers/plugin.c").Run(); err != nil {
		return fmt.Errorf("the plugin: %w", err)
	}
	t := table{counts: map[string][]float64{}}
	for _, p := range peers {
		if *names != "" && !slices.Contains(strings.Split(*names, ","), p.name) {
			continue
		}
		t.peers = append(t.peers, p.name)
	}
	for i, name := range t.peers {
		p := peers[slices.IndexFunc(peers, func(p peer) bool { return p.name == name })]
		if err := t.count(i, p, dir, plugin, *only); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	t.print(w)
	return nil
}

// command returns a command that prints its errors here, and for which Go builds programs of arm64.
func command(args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=arm64", "GOOS=linux")
	c.Stderr = os.Stderr
	return c
}

// table has the counts of each workload, by peer.
type table struct {
	peers  []string
	titles []string // of the first peer
	counts map[string][]float64
}

// count builds a peer's program and runs it.
func (t *table) count(i int, p peer, dir, plugin, only string) error {
	program, counter := filepath.Join(dir, "program"), filepath.Join(dir, "counter")
	build := slices.Clone(p.build)
	build[slices.Index(build, "OUT")] = program
	if err := command(build...).Run(); err != nil {
		return err
	}
	c := command(append([]string{"qemu-aarch64", "-plugin", plugin + ",to=" + counter, program}, p.arguments(counter, only)...)...)
	out, err := c.Output()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(out) {
		var r struct {
			Workload, Size string
			Instructions   float64
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("%w: %s", err, line)
		}
		title := r.Workload + " " + r.Size
		if i == 0 {
			t.titles = append(t.titles, title)
		}
		if t.counts[title] == nil {
			t.counts[title] = make([]float64, len(t.peers))
		}
		t.counts[title][i] = r.Instructions
	}
	return nil
}

// print writes the table: thousands of instructions, and the first peer's as a part of each other one's.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "| workload | %s |", strings.Join(t.peers, " | "))
	for _, name := range t.peers[1:] {
		fmt.Fprintf(w, " %s / %s |", t.peers[0], name)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", 2*len(t.peers)-1))
	for _, title := range t.titles {
		fmt.Fprintf(w, "| %s |", title)
		counts := t.counts[title]
		for _, n := range counts {
			fmt.Fprintf(w, " %.*f |", decimals(n/1000), n/1000)
		}
		for _, n := range counts[1:] {
			fmt.Fprintf(w, " %.2f |", counts[0]/n)
		}
		fmt.Fprintln(w)
	}
}

// decimals returns how many digits follow the point, so that there are three or more.
func decimals(x float64) int {
	switch {
	case x < 10:
		return 2
	case x < 100:
		return 1
	}
	return 0
}
