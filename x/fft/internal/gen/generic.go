package main

import (
	"fmt"
	"io"
	"strings"
)

// This file prints butterflies as Go loops. Their parts of numbers are at any addresses, so one loop serves all forms.

func writeGeneric(w io.Writer) {
	for _, r := range radices {
		c := &code{legs: r}
		var body strings.Builder
		done := 0
		flush := func() {
			for ; done < len(c.ops); done++ {
				writeOp(&body, done, c.ops[done])
			}
		}
		read := func(j int) number {
			return number{c.load(place{"in", j, 0}), c.load(place{"inIm", j, 0})}
		}
		write := func(k int, n number) {
			flush()
			if k == 0 {
				fmt.Fprintf(&body, "\t\t\tout.put(0, v%d, v%d)\n", n.re, n.im)
			} else {
				fmt.Fprintf(&body, "\t\t\tout.putTimes(%d, v%d, v%d, table, %d)\n", k, n.re, n.im, k-1)
			}
		}
		c.transform(r, read, write)
		fmt.Fprintf(w, "\nfunc generic%d[T Element](f *Frame, form Form) {\n\tin, out := source[T](f, form), destination[T](f, form)\n\ttable := factors[T](f, form, %[1]d)\n", r)
		fmt.Fprintf(w, "\tfor range f.Rows {\n\t\tfor range f.Cols {\n%s\t\t\tin.next()\n\t\t\tout.next()\n\t\t}\n\t\tin.row(f.Cols)\n\t\tout.row(f.Cols)\n", body.String())
		fmt.Fprintf(w, "\t\tif table != nil {\n\t\t\ttable = table[%d:]\n\t\t}\n\t}\n}\n", 2*(r-1))
	}
	fmt.Fprintln(w, "\nfunc generic[T Element](radix int) func(*Frame, Form) {\n\tswitch radix {")
	for _, r := range radices {
		fmt.Fprintf(w, "\tcase %d:\n\t\treturn generic%d[T]\n", r, r)
	}
	fmt.Fprintln(w, "\t}\n\treturn nil\n}")
}

func writeOp(w io.Writer, i int, o op) {
	text := ""
	switch o.name {
	case "load":
		if o.at.array == "in" {
			fmt.Fprintf(w, "\t\t\tv%d, v%d := in.get(%d)\n", i, i+1, o.at.leg)
		}
		return
	case "const":
		text = fmt.Sprintf("T(%x) // %[1]v", o.f)
	case "add":
		text = fmt.Sprintf("v%d + v%d", o.arg[0], o.arg[1])
	case "sub":
		text = fmt.Sprintf("v%d - v%d", o.arg[0], o.arg[1])
	case "mul":
		text = fmt.Sprintf("T(v%d * v%d)", o.arg[0], o.arg[1])
	case "fma":
		text = fmt.Sprintf("fma(v%d, v%d, v%d)", o.arg[0], o.arg[1], o.arg[2])
	case "fnma":
		text = fmt.Sprintf("fma(-v%d, v%d, v%d)", o.arg[0], o.arg[1], o.arg[2])
	default:
		panic(o.name)
	}
	fmt.Fprintf(w, "\t\t\tv%d := %s\n", i, text)
}
