// Command stridefuse runs and inspects programs from their text. Its input is any dump of a program (graph, plan or
// schedule), or a formula in NumPy's notation. It runs a production dump on a developer's machine, shows what the
// compiler made of it, times it, and finds the rewrite that broke it.
//
//	stridefuse run prog.txt -in x=a.npy -out y.npy
//	stridefuse eval "(a*b + c).sum(0)" -in a=a.npy -in b=b.npy -in c=c.npy
//	stridefuse help
//
// Text from strangers is safe to run: it is verified at the level that runs, and reads and writes no memory but its
// own. It may take long; -timeout ends the command at any point.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"time"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/passes"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	t := &tool{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, pipeline: passes.Default}
	os.Exit(t.main(ctx, os.Args[1:]))
}

// tool is one run of the command.
type tool struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	pipeline       []passes.Pass // the passes that bisect examines
	profiled       bool          // whether programs measure their steps
	dump           string        // the text of the file
	captured       map[string]capture
	made           map[string]ir.Pos // the lines that made inputs and captured tensors, by their names
	before         int               // the lines of it before the part that is read
	answered       atomic.Bool       // whether explore has begun an answer
	flags
}

// command is a row of the table of commands.
type command struct {
	name, arg string
	doc       string
	flags     []string // names of rows of the table of flags
	run       func(*tool, context.Context) error
}

var commands []command

func init() { // in init, because help reads the table
	text, data, engine := []string{"stage", "size"}, []string{"in", "out"}, []string{"workers", "portable", "tiling", "timeout"}
	blocks := []string{"state", "budget"}
	commands = []command{
		{"run", "FILE", "run a program, and print or write what it computes", slices.Concat(text, data, engine), (*tool).run},
		{"eval", "FORMULA", "compute a formula in NumPy's notation", slices.Concat(data, []string{"graph"}, engine), (*tool).eval},
		{"explain", "FILE", "say what is fused, copied and moved, and by which kernels", slices.Concat(text, []string{"step"}, engine[:3]), (*tool).explain},
		{"passes", "FILE", "print the program after each pass that changed it", append(text, "diff"), (*tool).passes},
		{"kernels", "FILE", "list the kernels, and which are not generated", append(text, "portable"), (*tool).kernels},
		{"asm", "SIGNATURE", "print the assembly of a kernel, which assembler wrote it and what bounds its loops", []string{"target", "memory"}, (*tool).asm},
		{"bench", "FILE", "time a program", slices.Concat(text, data[:1], engine, []string{"runs"}), (*tool).bench},
		{"bisect", "FILE", "find the rewrite after which a program computes something else", slices.Concat(text, data[:1], engine[1:]), (*tool).bisect},
		{"html", "FILE", "write a page that shows a program at every level, with the times of some runs; symbolic sizes need -in or -size for these", slices.Concat(text, data, engine), (*tool).html},
		{"shard", "FILE", "compute a range of blocks of rows, of arrays larger than memory", slices.Concat(data, blocks, engine, []string{"range"}), (*tool).shard},
		{"merge", "FILE", "complete a job whose ranges have been computed, and print or write what has no rows", slices.Concat(data, blocks, engine, []string{"ranges"}), (*tool).merge},
		{"explore", "[ADDRESS]", "serve a page that shows a program of yours at every level while you write it; with -out, write the page as a folder that needs no server", []string{"out", "workers"}, (*tool).explore},
		{"help", "[COMMAND]", "describe a command", nil, (*tool).help},
	}
}

// errUsage reports a mistake in the command line that has already been printed.
var errUsage = errors.New("usage")

// main returns the exit code: 0, 1 for an error, 2 for a mistake in the command line.
func (t *tool) main(ctx context.Context, args []string) int {
	switch err := t.dispatch(ctx, args); {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	default:
		fmt.Fprintf(t.stderr, "stridefuse: %v\n", t.placed(err))
		return 1
	}
}

func (t *tool) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		t.overview(t.stderr)
		return errUsage
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		args = []string{"help"}
	}
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		fmt.Fprintf(t.stderr, "stridefuse: there is no command %q\n\n", args[0])
		t.overview(t.stderr)
		return errUsage
	}
	c := &commands[i]
	if err := t.parse(c, args[1:]); err != nil {
		return err
	}
	if t.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.timeout)
		defer cancel()
	}
	return run(ctx, func() error { return c.run(t, ctx) })
}

// grace is how long a command may take to end after its context has ended.
const grace = time.Second

// run calls a command, and returns when the command or its context has ended. Work without a context, such as parsing,
// compiling and evaluating definitions, is left running and ends with the process.
func run(ctx context.Context, command func() error) error {
	done := make(chan error, 1)
	go func() { done <- command() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return ctx.Err()
	}
}

// overview lists the commands.
func (t *tool) overview(w io.Writer) {
	fmt.Fprint(w, "Stridefuse runs and inspects programs from their text.\n\nusage: stridefuse COMMAND ARGUMENT [flags]\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-8s %-10s %s\n", c.name, c.arg, c.doc)
	}
	fmt.Fprint(w, "\nFILE is a dump, as Program.Dump and STRIDEFUSE_DUMP write it; - is standard input.\n\"stridefuse help COMMAND\" lists the flags.\n")
}

// help describes a command, or lists all.
func (t *tool) help(context.Context) error {
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == t.arg })
	switch {
	case t.arg == "":
		t.overview(t.stdout)
	case i < 0:
		return fmt.Errorf("there is no command %q: stridefuse help lists them", t.arg)
	default:
		commands[i].usage(t.stdout)
	}
	return nil
}
