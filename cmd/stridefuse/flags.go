package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

// The command line: one argument, and flags before or after it.

// flags holds the values of the command line.
type flags struct {
	arg      string
	in       []named // files, by the names of inputs
	out      []string
	stage    string
	sizes    map[string]int
	workers  int
	portable bool
	tiling   bool
	timeout  time.Duration
	graph    bool
	diff     bool
	runs     int
	step     int // -1 for all
	target   string
	memory   float64
	rangeOf  [2]int // range of blocks: number and count
	ranges   int
	state    string
	budget   int // in MB
}

// named is a file of an input.
type named struct{ name, file string }

// flagRow is a row of the table of flags.
type flagRow struct {
	value string // placeholder of its value, or "" for a switch
	doc   string
	set   func(f *flags, text string) error
}

// flagTable has the flags of all commands.
var flagTable = map[string]flagRow{
	"in": {"name=file.npy", "an input; once for each", func(f *flags, text string) error {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			return errors.New("write -in name=file.npy")
		}
		if slices.ContainsFunc(f.in, func(n named) bool { return n.name == name }) {
			return fmt.Errorf("the input %s is given twice", name)
		}
		f.in = append(f.in, named{name, file})
		return nil
	}},
	"out": {"file", "where an output goes, in the order of the outputs, or a page; without it they are printed", func(f *flags, text string) error {
		f.out = append(f.out, text)
		return nil
	}},
	"stage": {"name", "which section of a dump of all stages: graph without it, or plan, schedule or a pass", func(f *flags, text string) error {
		f.stage = text
		return nil
	}},
	"size": {"name=n", "the number that a symbolic size is; once for each", func(f *flags, text string) error {
		name, number, ok := strings.Cut(text, "=")
		n, err := strconv.Atoi(number)
		if !ok || name == "" || err != nil || n < 0 {
			return errors.New("write -size name=number")
		}
		if f.sizes == nil {
			f.sizes = map[string]int{}
		}
		if _, twice := f.sizes[name]; twice {
			return fmt.Errorf("the size %s is given twice", name)
		}
		f.sizes[name] = n
		return nil
	}},
	"workers":  {"n", "how many threads compute, all without it", func(f *flags, text string) error { return natural(text, &f.workers) }},
	"portable": {"", "take the Go loops in place of assembly", func(f *flags, _ string) error { portable.Register(); f.portable = true; return nil }},
	"tiling":   {"", "take no kernel of a whole loop", func(f *flags, _ string) error { f.tiling = true; return nil }},
	"graph":    {"", "print the text of the graph, and compute nothing", func(f *flags, _ string) error { f.graph = true; return nil }},
	"diff":     {"", "print what each pass changed alone", func(f *flags, _ string) error { f.diff = true; return nil }},
	"step": {"n", "tell all of one step: each strategy's cost, or what it lacks, and the kernels that are called", func(f *flags, text string) (err error) {
		if f.step, err = strconv.Atoi(text); err == nil && f.step < 0 {
			err = errors.New("steps have numbers from 0")
		}
		return err
	}},
	"runs":   {"n", "how many runs are timed; without it, those of a second", func(f *flags, text string) error { return natural(text, &f.runs) }},
	"target": {"name", "the instruction set: " + targetNames() + "; without it, all that have the kernel", func(f *flags, text string) error { f.target = text; return nil }},
	"memory": {"rate", "what memory moves, in GB/s: 10 without it", func(f *flags, text string) (err error) {
		if f.memory, err = strconv.ParseFloat(text, 64); err == nil && !(f.memory > 0) {
			err = errors.New("it must be more than 0")
		}
		return err
	}},
	"range":  {"i/n", "which of n ranges of blocks of rows, from 0", parseRange},
	"ranges": {"n", "of how many ranges the job is", func(f *flags, text string) error { return natural(text, &f.ranges) }},
	"state":  {"folder", "what ranges share: which blocks are complete, and parts of sums", func(f *flags, text string) error { f.state = text; return nil }},
	"budget": {"MB", "how much memory blocks take at most: 1024 without it", func(f *flags, text string) error {
		if err := natural(text, &f.budget); err != nil {
			return err
		}
		if f.budget > math.MaxInt>>20 {
			return errors.New("it is in MB, and passes the address space")
		}
		return nil
	}},
	"timeout": {"duration", "when to give up, such as 10s", func(f *flags, text string) (err error) {
		if f.timeout, err = time.ParseDuration(text); err == nil && f.timeout <= 0 {
			err = errors.New("it must be more than 0")
		}
		return err
	}},
}

// natural parses a number of 1 or more.
func natural(text string, n *int) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 {
		return errors.New("write a number of 1 or more")
	}
	*n = v
	return nil
}

// flagSet returns the flags of a command.
func (c *command) flagSet(f *flags) *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	for _, name := range c.flags {
		row := flagTable[name]
		set := func(text string) error { return row.set(f, text) }
		if row.value == "" {
			fs.BoolFunc(name, row.doc, set)
		} else {
			fs.Func(name, "`"+row.value+"`: "+row.doc, set)
		}
	}
	return fs
}

// parse parses the command line of a command into the tool's flags.
func (t *tool) parse(c *command, args []string) error {
	t.flags = flags{step: -1}
	fs := c.flagSet(&t.flags)
	fs.SetOutput(io.Discard)
	if c.arg == "FORMULA" {
		args = guarded(fs, args)
	}
	var given []string
	for {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			c.usage(t.stdout)
			return err
		} else if err != nil {
			return t.misuse(c, err)
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		given, args = append(given, args[0]), args[1:]
	}
	switch {
	case len(given) > 1:
		return t.misuse(c, fmt.Errorf("one argument too many: %s", given[1]))
	case len(given) == 0 && !strings.HasPrefix(c.arg, "["):
		return t.misuse(c, fmt.Errorf("%s is missing", c.arg))
	case len(given) == 1:
		t.arg = given[0]
	}
	return nil
}

// guarded puts -- before a formula that begins with -. The formula is the first argument that looks like an unknown
// flag, if no other argument can be the formula.
func guarded(fs *flag.FlagSet, args []string) []string {
	formula := -1
	for i := 0; i < len(args); i++ {
		name, _, valued := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch row := fs.Lookup(name); {
		case !strings.HasPrefix(args[i], "-") || args[i] == "--" || name == "h" || name == "help":
			return args
		case row == nil && formula < 0:
			formula = i
		case row != nil && !valued && flagTable[name].value != "":
			i++
		}
	}
	if formula < 0 {
		return args
	}
	return slices.Insert(slices.Clone(args), formula, "--")
}

func (t *tool) misuse(c *command, err error) error {
	fmt.Fprintf(t.stderr, "stridefuse %s: %v\n\n", c.name, err)
	c.usage(t.stderr)
	return errUsage
}

// usage describes a command.
func (c *command) usage(w io.Writer) {
	fmt.Fprintf(w, "usage: stridefuse %s %s [flags]\n\n%s\n", c.name, c.arg, c.doc)
	if len(c.flags) == 0 {
		return
	}
	fmt.Fprintln(w)
	for _, name := range c.flags {
		row := flagTable[name]
		fmt.Fprintf(w, "  %-22s %s\n", strings.TrimSpace("-"+name+" "+row.value), row.doc)
	}
}

// options returns the flags as options of Compile.
func (t *tool) options() []graph.Option {
	options := []graph.Option{graph.WithDebug(graph.Verify), graph.WithProgress(t.progress())}
	if t.workers > 0 {
		options = append(options, graph.WithWorkers(t.workers))
	}
	if t.portable {
		options = append(options, graph.WithDebug(graph.Portable))
	}
	if t.profiled {
		options = append(options, graph.WithProfile())
	}
	if t.tiling {
		options = append(options, graph.WithDebug(graph.TilingOnly))
	}
	return options
}

// readText reads a file, or standard input.
func (t *tool) readText(file string) (string, error) {
	if file == "-" {
		text, err := io.ReadAll(t.stdin)
		return string(text), err
	}
	text, err := os.ReadFile(file)
	return string(text), err
}
