package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/stridefuse/stridefuse/ir"
)

// The record of sweeps: which engines had the same bits over all 2^32 inputs of a float32 function, and on which
// processor. The last section of docs/accuracy.md is made from it.

const (
	sweptFile    = "cmd/ulp/testdata/swept.txt"
	sweptPage    = "docs/accuracy.md"
	sweptHeading = "## All inputs on several engines\n"
)

const sweptHeader = `# Which engines had the same bits over all 2^32 inputs of a float32 function, and on which
# processor; go run ./cmd/ulp -sweep writes it. The hash is that of the results of few inputs,
# as in accuracy.txt: a function that has changed is not swept.
`

// swept is a line of the record.
type swept struct {
	op      ir.Op
	fast    bool
	quick   uint64 // row.quick of the swept function
	engines string // names of engines, separated by commas
	cpu     string
}

// covers reports whether a sweep includes all engines of another on the same processor.
func (s swept) covers(o swept) bool {
	all := strings.Split(s.engines, ",")
	return s.cpu == o.cpu && !slices.ContainsFunc(strings.Split(o.engines, ","), func(e string) bool { return !slices.Contains(all, e) })
}

type record []swept

// with returns the record with a sweep added. It drops sweeps of an older form of the function, and those that the new
// one covers.
func (s record) with(n swept) record {
	out := slices.DeleteFunc(slices.Clone(s), func(o swept) bool {
		same := o.op == n.op && o.fast == n.fast
		return same && (o.quick != n.quick || n.covers(o))
	})
	out = append(out, n)
	slices.SortFunc(out, func(a, b swept) int {
		return cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(tierName(a.fast), tierName(b.fast)), cmp.Compare(a.engines, b.engines), cmp.Compare(a.cpu, b.cpu))
	})
	return out
}

// of returns the sweeps of functions in the form that a table has.
func (s record) of(t table) record {
	return slices.DeleteFunc(slices.Clone(s), func(o swept) bool {
		r, ok := t.find(o.op, ir.Float32, o.fast)
		return !ok || r.quick != o.quick
	})
}

func (s record) String() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "# function\ttier\thash\tengines\tprocessor")
	for _, o := range s {
		fmt.Fprintf(w, "%s\t%s\t%016x\t%s\t%s\n", o.op, tierName(o.fast), o.quick, o.engines, o.cpu)
	}
	w.Flush()
	return sweptHeader + b.String()
}

// parseRecord parses the text that String returns.
func parseRecord(text string) (record, error) {
	var s record
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		field := strings.Fields(line)
		if len(field) < 5 {
			return nil, fmt.Errorf("%q: %d fields, not 5", line, len(field))
		}
		op, ok := ir.OpByName(field[0])
		quick, err := strconv.ParseUint(field[2], 16, 64)
		if !ok || err != nil {
			return nil, fmt.Errorf("%q: no such function, or no hash", line)
		}
		s = append(s, swept{op, field[1] == tierName(true), quick, field[3], strings.Join(field[4:], " ")})
	}
	return s, nil
}

func readRecord(root string) (record, error) {
	text, err := os.ReadFile(filepath.Join(root, sweptFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseRecord(string(text))
}

func (s record) write(root string) error {
	return os.WriteFile(filepath.Join(root, sweptFile), []byte(s.String()), 0o644)
}

// sweptIntro is the text of the section before its table.
const sweptIntro = `
Tests compare the engines (AVX2, AVX-512, Go) on samples, and with hashes in
` + "`cmd/ulp/testdata/accuracy.txt`. `go run ./cmd/ulp -sweep`" + ` compares the assembly engines on all 2^32 inputs of a
float32 function, in both tiers. ` + "`-sweep -engine portable`" + ` also includes the Go loops, which takes several times as
long. Functions with equal bits are recorded in ` + "`cmd/ulp/testdata/swept.txt`" + `, from which
` + "`go test ./cmd/ulp -run Swept -update`" + ` makes this table. A function that changes is removed. Family 25, model 1 is Zen 3, model 17 Zen 4; family 6, model 143 is Sapphire Rapids, model 207 Emerald Rapids.

| processor | engines | functions |
|---|---|---|
`

// section returns the section of the page: the functions whose tiers are all swept.
func (s record) section(t table) string {
	type group struct{ cpu, engines string }
	done := map[group]map[ir.Op]int{} // number of tiers
	for _, o := range s {
		g := group{o.cpu, o.engines}
		if done[g] == nil {
			done[g] = map[ir.Op]int{}
		}
		done[g][o.op]++
	}
	var lines []string
	for g, tiers := range done {
		var names []string
		for _, f := range functions {
			all := 0
			for _, r := range t {
				if r.op == f.op && r.dtype == ir.Float32 {
					all++
				}
			}
			if tiers[f.op] == all && all > 0 {
				names = append(names, f.name())
			}
		}
		if len(names) > 0 {
			engines := strings.NewReplacer("avx512", "AVX-512", "avx2", "AVX2", "portable", "Go", ",", ", ").Replace(g.engines)
			lines = append(lines, fmt.Sprintf("| %s | %s | %s |\n", g.cpu, engines, strings.Join(names, ", ")))
		}
	}
	slices.Sort(lines)
	return sweptHeading + sweptIntro + strings.Join(lines, "")
}

// processor returns the first processor's maker and name, with its family and model, as Linux reports them: "AMD EPYC,
// family 25, model 1". Elsewhere it returns the architecture.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && found[strings.TrimSpace(key)] == "" {
			found[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	if found["model name"] == "" {
		return runtime.GOARCH
	}
	name := strings.Fields(strings.ReplaceAll(found["model name"], "(R)", ""))
	return fmt.Sprintf("%s, family %s, model %s", strings.Join(name[:min(2, len(name))], " "), found["cpu family"], found["model"])
}
