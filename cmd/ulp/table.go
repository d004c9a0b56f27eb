package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/stridefuse/stridefuse/ir"
)

// row is a line of the table: the measurement of a function in one type and tier.
type row struct {
	op    ir.Op
	dtype ir.DType
	fast  bool
	max   float64    // greatest error in ULP, rounded up
	at    [2]float64 // its arguments
	tried uint64     // number of inputs
	hash  uint64     // hash of the results, of all inputs or of many patterns
	quick uint64     // hash of the results of a few patterns
	drops int64      // neighbours in the wrong order, for a monotone function; -1 if they are not counted
}

// bound returns the published bound: the maximum if all inputs were tried or it is that of a single rounding. Otherwise
// it adds a margin for what the search may have missed.
func (r row) bound() float64 {
	if r.swept() || r.max <= rounded {
		return r.max
	}
	return withMargin(r.max)
}

// withMargin adds the margin to the greatest error of a search.
func withMargin(ulps float64) float64 {
	const part, least = 0.08, 0.005 // share of the error beyond one rounding, and the least margin
	return math.Ceil((ulps+part*(ulps-rounded)+least)*100) / 100
}

// swept reports whether all inputs were tried.
func (r row) swept() bool { return r.tried == 1<<32 }

// table is the committed file.
type table []row

const tableHeader = `# What cmd/ulp has measured; go run ./cmd/ulp -update writes it.
# Of each function the largest error in units of the last place, where it occurs,
# how many inputs were tried, and hashes of the results: over all 2^32 inputs where
# those were tried, else over 2^22; and over 2^14. Of monotone functions how many of
# all neighbouring inputs have results in the wrong order.
`

func (t table) find(op ir.Op, dt ir.DType, fast bool) (row, bool) {
	for _, r := range t {
		if r.op == op && r.dtype == dt && r.fast == fast {
			return r, true
		}
	}
	return row{}, false
}

// worst returns the worst arguments of a function in one type, of all tiers.
func (t table) worst(op ir.Op, dt ir.DType) (at [][2]float64) {
	for _, r := range t {
		if r.op == op && r.dtype == dt {
			at = append(at, r.at)
		}
	}
	return at
}

// fewest returns the least number of inputs behind any bound with a margin.
func (t table) fewest() uint64 {
	n := uint64(math.MaxUint64)
	for _, r := range t {
		if r.bound() != r.max {
			n = min(n, r.tried)
		}
	}
	return n
}

// with returns the table with the rows of a function in one type replaced.
func (t table) with(op ir.Op, dt ir.DType, rows []row) table {
	out := slices.DeleteFunc(slices.Clone(t), func(r row) bool { return r.op == op && r.dtype == dt })
	out = append(out, rows...)
	slices.SortStableFunc(out, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.dtype, b.dtype), cmp.Compare(tierName(a.fast), tierName(b.fast)))
	})
	return out
}

// better returns new rows of a function, except where the table has rows of more inputs with the same bits.
func (t table) better(rows []row) []row {
	out := slices.Clone(rows)
	for i, r := range out {
		if old, ok := t.find(r.op, r.dtype, r.fast); ok && old.tried > r.tried && old.quick == r.quick {
			out[i], out[i].drops = old, max(old.drops, r.drops)
		}
	}
	return out
}

// roundedUp rounds an error up to four decimals.
func roundedUp(ulps float64) float64 { return max(math.Ceil(ulps*1e4-1e-9), 0) / 1e4 }

func (t table) String() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "# function\ttype\ttier\tULP\tat\tinputs\thash\tquick\tdrops")
	for _, r := range t {
		at := strconv.FormatFloat(r.at[0], 'x', -1, 64)
		if r.op.Info().Arity == 2 {
			at += "," + strconv.FormatFloat(r.at[1], 'x', -1, 64)
		}
		drops := "-"
		if r.drops >= 0 {
			drops = strconv.FormatInt(r.drops, 10)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.4f\t%s\t%d\t%016x\t%016x\t%s\n", r.op, r.dtype.Text(), tierName(r.fast), r.max, at, r.tried, r.hash, r.quick, drops)
	}
	w.Flush()
	return tableHeader + b.String()
}

// parseTable parses the text that String returns.
func parseTable(text string) (table, error) {
	var t table
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseRow(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		t = append(t, r)
	}
	return t, nil
}

func parseRow(field []string) (r row, err error) {
	if len(field) != 9 {
		return r, fmt.Errorf("%d fields, not 9", len(field))
	}
	op, ok := ir.OpByName(field[0])
	dt := slices.IndexFunc(dtypes, func(dt ir.DType) bool { return dt.Text() == field[1] })
	if !ok || dt < 0 {
		return r, fmt.Errorf("no such function or type")
	}
	r.op, r.dtype, r.fast = op, dtypes[dt], field[2] == tierName(true)
	parse := func(x *float64, s string) {
		v, e := strconv.ParseFloat(s, 64)
		*x, err = v, cmp.Or(err, e)
	}
	number := func(n *uint64, s string, base int) {
		v, e := strconv.ParseUint(s, base, 64)
		*n, err = v, cmp.Or(err, e)
	}
	parse(&r.max, field[3])
	for i, s := range strings.Split(field[4], ",") {
		parse(&r.at[i], s)
	}
	number(&r.tried, field[5], 10)
	number(&r.hash, field[6], 16)
	number(&r.quick, field[7], 16)
	if r.drops = -1; field[8] != "-" {
		n, e := strconv.ParseInt(field[8], 10, 64)
		r.drops, err = n, cmp.Or(err, e)
	}
	return r, err
}

// The files that -update writes, relative to the module's folder.
const (
	tableFile = "cmd/ulp/testdata/accuracy.txt"
	docFile   = "graph/zaccuracy.go"
)

func readTable(path string) (table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseTable(string(text))
}

// writeTable replaces the rows of a function in the table, and writes the documentation.
func writeTable(root string, op ir.Op, dt ir.DType, rows []row) error {
	path := filepath.Join(root, tableFile)
	t, err := readTable(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	t = t.with(op, dt, t.better(rows))
	if err := os.WriteFile(path, []byte(t.String()), 0o644); err != nil {
		return err
	}
	all, err := readRecord(root)
	if err != nil {
		return err
	}
	if err := all.of(t).write(root); err != nil {
		return err
	}
	doc, err := document(t)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, docFile), []byte(doc), 0o644)
}
