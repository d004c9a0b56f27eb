package main

import (
	"slices"
	"strings"
)

// Line-by-line differences of texts.

// around is the number of equal lines shown beside different ones, and mostCells the most pairs of lines that are
// compared.
const (
	around    = 1
	mostCells = 4 << 20
)

// lineDiff returns the lines that differ between two texts, marked - for the first and + for the second, with a few
// equal lines around. Lines are equal if they differ only in blanks, which align columns; those of the second text are shown. It finds a longest common subsequence. Texts too long for that differ from their first to their
// last difference as a whole.
func lineDiff(before, after string) string {
	a, b := splitLines(before), splitLines(after)
	from := 0
	for from < len(a) && from < len(b) && sameLine(a[from], b[from]) {
		from++
	}
	end := 0
	for end < len(a)-from && end < len(b)-from && sameLine(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	var d diffPrinter
	d.equal(b[:from])
	d.changes(a[from:len(a)-end], b[from:len(b)-end])
	d.equal(b[len(b)-end:])
	return d.text()
}

// sameLine reports whether two lines differ at most in blanks.
func sameLine(a, b string) bool {
	return a == b || slices.Equal(strings.Fields(a), strings.Fields(b))
}

func splitLines(s string) []string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// diffPrinter collects the lines of a diff, each with its mark.
type diffPrinter struct{ lines []string }

func (d *diffPrinter) add(mark string, lines ...string) {
	for _, l := range lines {
		d.lines = append(d.lines, mark+l)
	}
}

func (d *diffPrinter) equal(lines []string) { d.add("  ", lines...) }

// changes adds the lines of a and b by their longest common subsequence.
func (d *diffPrinter) changes(a, b []string) {
	if len(a)*len(b) > mostCells {
		d.add("- ", a...)
		d.add("+ ", b...)
		return
	}
	number := map[string]int{}
	words := func(lines []string) (numbers []int) {
		for _, l := range lines {
			key := strings.Join(strings.Fields(l), " ")
			if _, met := number[key]; !met {
				number[key] = len(number)
			}
			numbers = append(numbers, number[key])
		}
		return numbers
	}
	ofA, ofB := words(a), words(b)
	common := make([][]int32, len(a)+1) // lengths for the rest from i and j on
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if ofA[i] == ofB[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && ofA[i] == ofB[j]:
			d.add("  ", b[j])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			d.add("- ", a[i])
			i++
		default:
			d.add("+ ", b[j])
			j++
		}
	}
}

// text returns the different lines and their neighbours; dots replace other lines.
func (d *diffPrinter) text() string {
	near := make([]bool, len(d.lines))
	for i, l := range d.lines {
		if l[0] != ' ' {
			for k := max(0, i-around); k <= min(len(d.lines)-1, i+around); k++ {
				near[k] = true
			}
		}
	}
	var out strings.Builder
	for i, l := range d.lines {
		switch {
		case near[i]:
			out.WriteString(l + "\n")
		case i == 0 || near[i-1]:
			out.WriteString("  ...\n")
		}
	}
	return out.String()
}
