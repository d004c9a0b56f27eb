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

// The record of sweeps: which engines had the same bits over all 2^32 inputs of a float32
// function, and on which processor. peers.py puts it into docs/accuracy.md.

const sweptFile = "cmd/ulp/testdata/swept.txt"

const sweptHeader = `# Which engines had the same bits over all 2^32 inputs of a float32 function, and on which
# processor; go run ./cmd/ulp -sweep writes it. The hash is that of the results of few inputs,
# as in accuracy.txt: a function that has changed is not swept.
`

// swept is a line of the record.
type swept struct {
	op      ir.Op
	fast    bool
	quick   uint64 // row.quick of the function that was swept
	engines string // with commas
	cpu     string
}

// covers says whether a sweep has all engines of another on its processor.
func (s swept) covers(o swept) bool {
	all := strings.Split(s.engines, ",")
	return s.cpu == o.cpu && !slices.ContainsFunc(strings.Split(o.engines, ","), func(e string) bool { return !slices.Contains(all, e) })
}

type record []swept

// with returns the record with a sweep, without those of another form of the function and
// those of no more engines on the same processor.
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

// of returns the sweeps of functions as a table has them.
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

// parseRecord reads what String wrote.
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

// processor returns what Linux calls the first processor, with its family and model; else
// its architecture.
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
	return fmt.Sprintf("%s, family %s, model %s", found["model name"], found["cpu family"], found["model"])
}
