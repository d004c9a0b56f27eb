package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The loops of assembly, and what bounds them. The model is that of the resources of a core:
// each instruction takes some of one, and all run at the same time. It has no
// latencies and no caches: its time is a lower bound.

// asmLoop is an innermost loop.
type asmLoop struct {
	first, last int // lines, the first one after the label
	count       int // instructions
	uses        map[string]float64
	elements    int // of one iteration, 0 if no index counts them
	bytes       int // loaded and stored in one iteration
}

// resource is what a core has of something: how many of it in each cycle.
type resource struct {
	name string
	rate float64
}

// resources are those of one core of Intel's Ice Lake, for vectors of 32 bytes (Intel 64 and
// IA-32 Architectures Optimization Reference Manual; Abel and Reineke, uops.info). AMD's Zen 3
// differs by one more instruction and load, and in divisions, which take two thirds.
var resources = []resource{
	{"instructions", 5}, {"loads", 2}, {"stores", 2}, {"float arithmetic", 2}, {"integer vectors", 3}, {"shuffles", 2}, {"divisions and roots", 1},
}

// costs says which resource a vector instruction takes, and how much: the first row whose
// expression matches its name. A division or root keeps its unit busy for several cycles.
var costs = []struct {
	name     *regexp.Regexp
	resource string
	units    float64
}{
	{regexp.MustCompile(`^VDIVPS`), "divisions and roots", 5},
	{regexp.MustCompile(`^VDIVPD`), "divisions and roots", 8},
	{regexp.MustCompile(`^VSQRTPS`), "divisions and roots", 6},
	{regexp.MustCompile(`^VSQRTPD`), "divisions and roots", 9},
	{regexp.MustCompile(`^V(DIV|SQRT)S[SD]`), "divisions and roots", 4},
	{regexp.MustCompile(`^VP?(MASK)?MOV|^VBROADCAST|^VPBROADCAST`), "", 0}, // loads and stores; between registers they are renamed
	{regexp.MustCompile(`^V(P?PERM|P?SHUF|P?UNPCK|PALIGNR|P?INSERT|P?EXTRACT|PACK|PMOV)`), "shuffles", 1},
	{regexp.MustCompile(`^VF?N?M?(ADD|SUB|MUL|MIN|MAX|CMP|ROUND|CVT|ADDSUB|RCP)|^VFN?M`), "float arithmetic", 1},
	{regexp.MustCompile(`^V`), "integer vectors", 1},
}

var (
	labelLine  = regexp.MustCompile(`^(\w+):$`)
	jumpLine   = regexp.MustCompile(`^J[A-Z]+\s+(\w+)$`)
	memory     = regexp.MustCompile(`-?\d*\((\w+)\)(?:\((\w+)\*(\d)\))?`)
	increment  = regexp.MustCompile(`^ADDQ\s+\$(0x[0-9a-f]+|\d+), (\w+)$`)
	vectorName = regexp.MustCompile(`\b([XYZ])\d+\b`)
)

// findLoops returns the innermost loops: a jump back to a label, with none between.
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
	l := &asmLoop{first: first, last: last, uses: map[string]float64{}}
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
	l.uses["instructions"] = float64(l.count)
	return l
}

// instruction counts one instruction, and notes the registers that index its memory.
func (l *asmLoop) instruction(line string, indices map[string]bool) {
	l.count++
	name, operands, _ := strings.Cut(line, " ")
	for _, c := range costs {
		if c.name.MatchString(name) {
			if c.resource != "" {
				l.uses[c.resource] += c.units
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
	l.uses[kind]++
	if base := operands[m[2]:m[3]]; base != "SB" && base != "SP" { // constants and spills stay in the cache
		l.bytes += accessBytes(name, operands)
	}
}

// accessBytes returns how many bytes an instruction loads or stores.
func accessBytes(name, operands string) int {
	switch {
	case strings.Contains(name, "BROADCASTSS"), strings.HasSuffix(name, "SS"), strings.HasSuffix(name, "BROADCASTD"):
		return 4
	case strings.Contains(name, "BROADCASTSD"), strings.HasSuffix(name, "SD"), strings.HasSuffix(name, "BROADCASTQ"):
		return 8
	}
	m := vectorName.FindStringSubmatch(operands)
	if m == nil {
		return 8
	}
	return map[string]int{"X": 16, "Y": 32, "Z": 64}[m[1]]
}

// bound returns the resource that the loop takes longest for, and the cycles of an iteration.
func (l *asmLoop) bound() (name string, cycles float64) {
	for _, r := range resources {
		if c := l.uses[r.name] / r.rate; c > cycles {
			name, cycles = r.name, c
		}
	}
	return name, cycles
}

// comment describes the loop in lines of comments, with the time that memory takes at a rate
// in GB/s.
func (l *asmLoop) comment(rate float64) string {
	name, cycles := l.bound()
	var parts []string
	for _, r := range resources {
		if n := l.uses[r.name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", trim(n), r.name))
		}
	}
	text := "\t// An iteration: " + strings.Join(parts, ", ") + ".\n"
	per, n := "iteration", 1.0
	if l.elements > 0 {
		per, n = "element", float64(l.elements)
		text += fmt.Sprintf("\t// %d elements, %s instructions an element.\n", l.elements, trim(float64(l.count)/n))
	}
	text += fmt.Sprintf("\t// At least %s cycles an %s, for %s;", trim(cycles/n), per, name)
	return text + fmt.Sprintf(" %s ns for %s bytes from and to memory at %s GB/s.", trim(float64(l.bytes)/n/rate), trim(float64(l.bytes)/n), trim(rate))
}

// trim formats a number with two digits behind the point at most.
func trim(x float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', 2, 64), "0"), ".")
}
