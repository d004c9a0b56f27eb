package main

import (
	"regexp"
	"slices"
)

// The model of a core, which bounds the time of a loop from below: each instruction takes
// some of a resource, and all run at the same time. It has no latencies and no caches.

// resource is what a core has of something: how many instructions take it in each cycle. One
// on vectors of 64 bytes takes wide times as much as one on 32.
type resource struct {
	one, many  string
	rate, wide float64
}

// resources are those of one core of Intel's Ice Lake server (Intel 64 and IA-32
// Architectures Optimization Reference Manual; Abel and Reineke, uops.info). AMD's Zen 3
// differs by one more instruction and load, and in divisions, which take two thirds.
var resources = []resource{
	{"instruction", "instructions", 5, 1},
	{"load", "loads", 2, 1},
	{"store", "stores", 2, 2},
	{"float operation", "float operations", 2, 1},
	{"integer vector operation", "integer vector operations", 3, 1.5},
	{"shuffle", "shuffles", 2, 2},
	{"division or root", "divisions and roots", 1, 2},
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
	{regexp.MustCompile(`^VP?MOVMSK`), "float operations", 1},
	{regexp.MustCompile(`^V(P?PERM|P?SHUF|P?UNPCK|PALIGNR|P?INSERT|P?EXTRACT|PACK|PMOV|P?COMPRESS|P?EXPAND|MOV[SLH]*DUP)`), "shuffles", 1},
	{regexp.MustCompile(`^VP?(MASK)?MOV|^VP?BROADCAST`), "", 0}, // loads and stores; between registers they are renamed
	{regexp.MustCompile(`^VF?N?M?(ADD|SUB|MUL|MIN|MAX|CMP|ROUND|CVT|ADDSUB|RCP)|^VFN?M|^V(SCALEF|RNDSCALE|GETEXP|GETMANT|RANGE|REDUCE|FIXUPIMM)`), "float operations", 1},
	{regexp.MustCompile(`^V|^K[A-Z]`), "integer vector operations", 1}, // those on masks take the same ports
}

// narrow has the instructions whose operand in memory has fewer bytes than their registers:
// how many times fewer.
var narrow = []struct {
	name  *regexp.Regexp
	times int
}{
	{regexp.MustCompile(`^VPMOV[SZ]X(BD|WQ)|^VPMOV(DB|QW)`), 4},
	{regexp.MustCompile(`^VPMOV[SZ]XBQ|^VPMOVQB`), 8},
	{regexp.MustCompile(`^VPMOV|^VCVT(PH2PS|PS2PH|PS2PD|DQ2PD|UDQ2PD)`), 2},
}

var (
	wideRegister = regexp.MustCompile(`\bZ\d+\b`)
	fourBytes    = regexp.MustCompile(`^VP?BROADCAST(SS|D)|[A-Z]SS(\.|$)|(P[SH]|D)\.BCST`)
	eightBytes   = regexp.MustCompile(`^VP?BROADCAST(SD|Q)|[A-Z]SD(\.|$)|\.BCST`)
	scalarName   = regexp.MustCompile(`^[A-Z]+?([BWLQ])(?:[LQ][SZ]X)?$`)
	vectorName   = regexp.MustCompile(`\b([XYZ])\d+\b`)
)

// wideness returns how many times as much of a resource an instruction takes.
func wideness(name string, wide bool) float64 {
	i := slices.IndexFunc(resources, func(r resource) bool { return r.many == name })
	if !wide {
		return 1
	}
	return resources[i].wide
}

// accessBytes returns how many bytes an instruction loads or stores.
func accessBytes(name, operands string) int {
	switch {
	case fourBytes.MatchString(name):
		return 4
	case eightBytes.MatchString(name):
		return 8
	}
	m := vectorName.FindAllStringSubmatch(operands, -1)
	if m == nil {
		return scalarBytes(name)
	}
	bytes := 0 // of the widest register
	for _, register := range m {
		bytes = max(bytes, map[string]int{"X": 16, "Y": 32, "Z": 64}[register[1]])
	}
	for _, n := range narrow {
		if n.name.MatchString(name) {
			return bytes / n.times
		}
	}
	return bytes
}

// scalarBytes returns the bytes that an instruction on general registers moves: its name ends
// in their letter, or in LZX and the like behind it.
func scalarBytes(name string) int {
	m := scalarName.FindStringSubmatch(name)
	if m == nil {
		return 8
	}
	return map[string]int{"B": 1, "W": 2, "L": 4, "Q": 8}[m[1]]
}
