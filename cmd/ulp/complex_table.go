package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/ir"
)

// The table of functions of complex numbers. peers.py puts it into docs/accuracy.md.

const complexFile = "cmd/ulp/testdata/complex.txt"

const complexHeader = `# Functions of complex numbers: the greatest distance from the exact result in units of the last
# place of its magnitude, and where; the greatest error of a part in units of its own last
# place, if package cmplx says that each is accurate, and where; how many inputs were tried.
# go run ./cmd/ulp -complex writes it.
`

type complexTable []complexRow

// points are the worst arguments of a function, which every measurement tries.
func (t complexTable) points(name string) (at []operands) {
	for _, r := range t {
		if r.name == name {
			at = append(at, r.at, r.partsAt)
		}
	}
	return at
}

func (t complexTable) String() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "# function\ttype\tmagnitude\tat\tparts\tat\tinputs")
	for _, r := range t {
		fmt.Fprintf(w, "%s\t%s\t%.4f\t%s\t%.4f\t%s\t%d\n", r.name, r.dtype.Text(), r.magnitude, r.at, r.parts, r.partsAt, r.tried)
	}
	w.Flush()
	return complexHeader + b.String()
}

func (a operands) String() string {
	return strings.ReplaceAll(hex([]float64{real(a.z), imag(a.z), real(a.w), imag(a.w)}), " ", ",")
}

// parseComplexTable parses the text that String returns.
func parseComplexTable(text string) (t complexTable, err error) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		field := strings.Fields(line)
		if len(field) != 7 {
			return nil, fmt.Errorf("%q: %d fields, not 7", line, len(field))
		}
		dt := slices.IndexFunc(dtypes, func(dt ir.DType) bool { return dt.Text() == field[1] })
		if dt < 0 {
			return nil, fmt.Errorf("%q: no such type", line)
		}
		r := complexRow{name: field[0], dtype: dtypes[dt]}
		var problems [5]error
		r.magnitude, problems[0] = strconv.ParseFloat(field[2], 64)
		r.at, problems[1] = parseOperands(field[3])
		r.parts, problems[2] = strconv.ParseFloat(field[4], 64)
		r.partsAt, problems[3] = parseOperands(field[5])
		r.tried, problems[4] = strconv.Atoi(field[6])
		for _, err := range problems {
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
		}
		t = append(t, r)
	}
	return t, nil
}

func parseOperands(s string) (a operands, err error) {
	var v [4]float64
	for i, part := range strings.SplitN(s, ",", 4) {
		if v[i], err = strconv.ParseFloat(part, 64); err != nil {
			return a, err
		}
	}
	return operands{complex(v[0], v[1]), complex(v[2], v[3])}, nil
}

func readComplexTable(root string) (complexTable, error) {
	text, err := os.ReadFile(filepath.Join(root, complexFile))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return parseComplexTable(string(text))
}

// The number of random inputs, and of generations of neighbours of the worst.
const (
	drawnComplex       = 40000
	complexGenerations = 12
)

// measureComplex measures all functions and writes the table.
func measureComplex(ctx context.Context, root string) error {
	old, err := readComplexTable(root)
	if err != nil {
		return err
	}
	var t complexTable
	for i := range complexFunctions {
		f := &complexFunctions[i]
		for _, dt := range dtypes {
			r, err := f.measure(ctx, dt, old.points(f.name), drawnComplex, complexGenerations)
			if err != nil {
				return err
			}
			fmt.Printf("%-5s %s %8.4f of the magnitude at %s, parts %.4f at %s, %d inputs\n", r.name, dt.Text(), r.magnitude, r.at, r.parts, r.partsAt, r.tried)
			t = append(t, r)
		}
	}
	return os.WriteFile(filepath.Join(root, complexFile), []byte(t.String()), 0o644)
}

// comparedComplex is the number of inputs of each function on which other libraries are compared.
const comparedComplex = 2000

// writeComplexCases writes inputs with the library's results, the exact results rounded to float64, the rounding errors
// of these in units of the last place of the magnitude, and its exponent.
func writeComplexCases(ctx context.Context, w io.Writer) error {
	var o oracle.Oracle
	for i := range complexFunctions {
		f := &complexFunctions[i]
		for _, dt := range dtypes {
			at := f.sample(rand.New(rand.NewPCG(1, uint64(dt))), dt, comparedComplex)
			out, err := f.run(ctx, dt, at)
			if err != nil {
				return err
			}
			for i, a := range at {
				v := o.Complex(f.exact, a.z, a.w)
				near, above := v.Near(formats[dt])
				fmt.Fprintf(w, "complex %s %s %s %d\n", f.name, dt.Text(), hex([]float64{real(a.z), imag(a.z), real(a.w), imag(a.w),
					real(out[i]), imag(out[i]), real(near), imag(near), real(above), imag(above)}), v.Exponent(formats[dt]))
			}
		}
	}
	return nil
}
