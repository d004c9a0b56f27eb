package main

import (
	"regexp"
	"slices"
)

// A model of a core that bounds the time of a loop from below: each instruction uses some of a resource, and all
// resources work in parallel. It has no latencies and no caches.

// resource is a resource of a core, with the number of instructions that can use it per cycle. An instruction on
// 64-byte vectors uses wide times as much as one on 32 bytes.
type resource struct {
	one, many  string
	rate, wide float64
}

// resources are those of one core of an Intel Ice Lake server (Intel 64 and IA-32 Architectures Optimization Reference
// Manual; Abel and Reineke, uops.info). AMD's Zen 3 executes one more instruction and one more load per cycle, and its
// divisions take two thirds of the time.
var resources = []resource{
	{"instruction", "instructions", 5, 1},
	{"load", "loads", 2, 1},
	{"store", "stores", 2, 2},
	{"float operation", "float operations", 2, 1},
	{"integer vector operation", "integer vector operations", 3, 1.5},
	{"shuffle", "shuffles", 2, 2},
	{"division or root", "divisions and roots", 1, 2},
}

// costs says which resource a vector instruction uses, and how much: the first row whose expression matches its name
// applies. A division or square root occupies its unit for several cycles.
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
	{regexp.MustCompile(`^VP?(MASK)?MOV|^VP?BROADCAST`), "", 0}, // loads and stores; moves between registers are only renamed
	{regexp.MustCompile(`^VF?N?M?(ADD|SUB|MUL|MIN|MAX|CMP|ROUND|CVT|ADDSUB|RCP)|^VFN?M|^V(SCALEF|RNDSCALE|GETEXP|GETMANT|RANGE|REDUCE|FIXUPIMM)`), "float operations", 1},
	{regexp.MustCompile(`^V|^K[A-Z]`), "integer vector operations", 1}, // instructions on masks use the same ports
}

// narrow lists instructions whose memory operand is smaller than their registers, and by what factor.
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

// wideness returns by what factor an instruction uses more of a resource.
func wideness(name string, wide bool) float64 {
	i := slices.IndexFunc(resources, func(r resource) bool { return r.many == name })
	if !wide {
		return 1
	}
	return resources[i].wide
}

// accessBytes returns the bytes that an instruction loads or stores.
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
	bytes := 0 // bytes of the widest register
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

// scalarBytes returns the bytes that an instruction on general registers moves, from the size letter at the end of its
// name, perhaps before a suffix such as LZX.
func scalarBytes(name string) int {
	m := scalarName.FindStringSubmatch(name)
	if m == nil {
		return 8
	}
	return map[string]int{"B": 1, "W": 2, "L": 4, "Q": 8}[m[1]]
}
