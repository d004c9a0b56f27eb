package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Loops in assembly, and what bounds them.

// asmLoop is an innermost loop.
type asmLoop struct {
	first, last int                // line numbers, the first after the label
	count       int                // number of instructions
	kinds       map[string]int     // number of instructions that use each resource
	uses        map[string]float64 // total use of each resource
	elements    int                // elements of one iteration, 0 if no index counts them
	bytes       int                // bytes loaded and stored in one iteration
}

var (
	labelLine = regexp.MustCompile(`^(\w+):$`)
	jumpLine  = regexp.MustCompile(`^J[A-Z]+\s+(\w+)$`)
	memory    = regexp.MustCompile(`-?\d*\((\w+)\)(?:\((\w+)\*(\d)\))?`)
	increment = regexp.MustCompile(`^ADDQ\s+\$(0x[0-9a-f]+|\d+), (\w+)$`)
)

// findLoops returns the innermost loops: a jump back to a label without another such jump between.
func findLoops(lines []string) []*asmLoop {
	labels := map[string]int{}
	var loops []*asmLoop
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if m := labelLine.FindStringSubmatch(line); m != nil {
			labels[m[1]] = i
		}
		m := jumpLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at, back := labels[m[1]]
		inner := slices.ContainsFunc(loops, func(l *asmLoop) bool { return back && l.first > at })
		if back && !inner {
			loops = append(loops, newLoop(lines, at+1, i))
		}
	}
	return loops
}

// newLoop counts the instructions of a loop.
func newLoop(lines []string, first, last int) *asmLoop {
	l := &asmLoop{first: first, last: last, kinds: map[string]int{}, uses: map[string]float64{}}
	indices := map[string]bool{}
	for _, line := range lines[first : last+1] {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "//")
		if line = strings.TrimSpace(line); line != "" && labelLine.FindString(line) == "" && !strings.HasPrefix(line, "PCALIGN") {
			l.instruction(line, indices)
		}
	}
	for _, line := range lines[first : last+1] {
		if m := increment.FindStringSubmatch(strings.TrimSpace(strings.Join(strings.Fields(line), " "))); m != nil && indices[m[2]] {
			n, _ := strconv.ParseInt(m[1], 0, 32)
			l.elements = int(n)
		}
	}
	return l
}

// instruction counts one instruction, and records the registers that index its memory.
func (l *asmLoop) instruction(line string, indices map[string]bool) {
	l.count++
	l.take("instructions", 1)
	name, operands, _ := strings.Cut(line, " ")
	wide := strings.HasPrefix(wideRegister.FindString(operands), "Z")
	for _, c := range costs {
		if c.name.MatchString(name) {
			if c.resource != "" {
				l.take(c.resource, c.units*wideness(c.resource, wide))
			}
			break
		}
	}
	m := memory.FindStringSubmatchIndex(operands)
	if m == nil || strings.HasPrefix(name, "LEA") {
		return
	}
	if m[4] >= 0 {
		indices[operands[m[4]:m[5]]] = true
	}
	isStore := m[1] == len(operands) && strings.Contains(operands[:m[0]], ",")
	kind := "loads"
	if isStore {
		kind = "stores"
	}
	l.take(kind, wideness(kind, wide))
	if base := operands[m[2]:m[3]]; base != "SB" && base != "SP" { // constants and spilled registers stay in the cache
		l.bytes += accessBytes(name, operands)
	}
}

// take records the use of a resource by an instruction.
func (l *asmLoop) take(resource string, units float64) {
	l.kinds[resource]++
	l.uses[resource] += units
}

// bound returns the resource that limits the loop, and the cycles of an iteration.
func (l *asmLoop) bound() (name string, cycles float64) {
	for _, r := range resources {
		if c := l.uses[r.many] / r.rate; c > cycles {
			name, cycles = r.many, c
		}
	}
	return name, cycles
}

// comment describes the loop in comment lines, with the time for its memory traffic at a rate in GB/s.
func (l *asmLoop) comment(rate float64) string {
	name, cycles := l.bound()
	var parts []string
	for _, r := range resources {
		switch n := l.kinds[r.many]; {
		case n == 1:
			parts = append(parts, "1 "+r.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, r.many))
		}
	}
	text := "\t// An iteration: " + strings.Join(parts, ", ") + ".\n"
	per, n := "iteration", 1.0
	if l.elements > 0 {
		per, n = "element", float64(l.elements)
		text += fmt.Sprintf("\t// %s, %s instructions an element.\n", counted(l.elements, "element"), trim(float64(l.count)/n))
	}
	unit := "cycles"
	if trim(cycles/n) == "1" {
		unit = "cycle"
	}
	text += fmt.Sprintf("\t// At least %s %s an %s, for %s;", trim(cycles/n), unit, per, name)
	return text + fmt.Sprintf(" %s ns for %s bytes from and to memory at %s GB/s.", trim(float64(l.bytes)/n/rate), trim(float64(l.bytes)/n), trim(rate))
}

// trim formats a number with at most two digits after the point.
func trim(x float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}

// counted returns a number of things: "1 kernel", "2 kernels".
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
