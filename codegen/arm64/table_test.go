package arm64

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/arch/arm64/arm64asm"
)

var update = flag.Bool("update", false, "rewrite testdata: words.txt with llvm-mc, and go_loops.txt")

// A sample is an instruction with random operands.
type sample struct {
	inst *Inst
	line Line
	word uint32
}

func (s sample) text() string { return s.inst.manual(s.line.Args) }

// samples returns three instructions of each row, always the same.
func samples(t *testing.T) []sample {
	all := Insts()
	slices.SortFunc(all, func(a, b *Inst) int {
		return strings.Compare(a.Name+a.Text, b.Name+b.Text)
	})
	var list []sample
	for _, i := range all {
		for n := range 1 {
			rng := rand.New(rand.NewPCG(uint64(n), uint64(i.Word)))
			args := make([]Arg, i.args())
			for _, p := range i.text {
				if p.field != nil {
					args[p.arg] = random(t, i, p.field, rng)
				}
			}
			word, ok := i.encode(args)
			require.True(t, ok, "%s %v", i.Text, args)
			list = append(list, sample{i, Line{Op: i.Name, Args: args}, word})
		}
	}
	return list
}

// random returns an operand of a field: for constants and addresses, numbers are tried until one has a code.
func random(t *testing.T, i *Inst, f *field, rng *rand.Rand) Arg {
	if f.kind == ArgLabel {
		return label("there")
	}
	for range 1_000_000 {
		// Loads that advance a register into which they load, and a pair of the same register, have no defined result: registers of
		// addresses are others than those of data.
		a := Arg{Kind: f.kind, Reg: rng.IntN(16), Imm: int64(rng.IntN(256))}
		switch {
		case f.kind == ArgV:
			a.Reg = rng.IntN(VectorRegisters)
		case strings.HasSuffix(f.name, "t2"):
			a.Reg += 8
		case f.kind == ArgR && strings.HasSuffix(f.name, "t"):
			a.Reg /= 2
		}
		if strings.HasSuffix(f.name, "t2") && f.kind == ArgV {
			a.Reg |= 1
		} else if strings.Contains(i.Text, "t2>") && f.kind == ArgV {
			a.Reg &^= 1
		}
		switch f.name {
		case "imm12", "imm16":
			a.Imm = int64(rng.IntN(1 << 16))
		case "imm24":
			a.Imm = int64(rng.IntN(1<<12)) << 12
		case "mask":
			a.Imm = int64(uint64(1)<<(1+rng.IntN(60))-1) << rng.IntN(4)
		case "imm64":
			a.Imm = []int64{-1, 0, 0xff, 0xff00ff, -1 << 40}[rng.IntN(5)]
		}
		if f.kind == ArgMem {
			a.Mem = Memory{Base: 19 + rng.IntN(8), Index: noIndex, Disp: rng.IntN(1200) - 600, Post: rng.IntN(2) == 0}
			switch rng.IntN(3) {
			case 0:
				a.Mem.Disp = a.Mem.Disp / 8 * 16
			case 1:
				a.Mem.Disp = 0
				a.Mem.Index, a.Mem.Shift = rng.IntN(17), rng.IntN(5)
			}
		}
		if _, ok := f.encode(a); ok && (f.kind != ArgMem || !shadowed(f, a)) {
			return a
		}
	}
	require.Fail(t, "no operand", "%s: %s", i.Text, f.name)
	return Arg{}
}

// shadowed reports whether an address of the form of any small offset is also a multiple of the size: an assembler chooses that form.
func shadowed(f *field, a Arg) bool {
	return f.name == "mem:s9" && a.Mem.Disp >= 0 || strings.HasPrefix(f.name, "mem:x") && f.name != "mem:x0" && a.Mem.Shift == 0
}

// TestWords compares each instruction with testdata/words.txt, whose words llvm-mc made of the texts.
func TestWords(t *testing.T) {
	var got strings.Builder
	list := samples(t)
	for _, s := range list {
		fmt.Fprintf(&got, "%08x %s\n", s.word, s.text())
	}
	path := filepath.Join("testdata", "words.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(assembled(t, list)), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if string(want) == got.String() {
		return
	}
	wants, gots := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	require.Equal(t, len(wants), len(gots))
	n := 0
	for i := range wants {
		if wants[i] != gots[i] && n < 40 {
			n++
			t.Errorf("%s, llvm-mc: %s", gots[i], wants[i])
		}
	}
}

var encoding = regexp.MustCompile(`encoding: \[(0x..),(0x..),(0x..),(0x..)\]`)

// assembled has llvm-mc assemble the texts.
func assembled(t *testing.T, list []sample) string {
	var text strings.Builder
	for _, s := range list {
		text.WriteString(strings.ReplaceAll(s.text(), "there", "#0") + "\n")
	}
	cmd := exec.Command("llvm-mc", "--triple=aarch64", "--mattr=+fullfp16,+dotprod", "--show-encoding")
	cmd.Stdin = strings.NewReader(text.String())
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	require.NoError(t, err, errs.String())
	words := encoding.FindAllStringSubmatch(string(out), -1)
	require.Len(t, words, len(list))
	var b strings.Builder
	for i, w := range words {
		fmt.Fprintf(&b, "%s%s%s%s %s\n", w[4][2:], w[3][2:], w[2][2:], w[1][2:], list[i].text())
	}
	return b.String()
}

// undecoded are the instructions that golang.org/x/arch does not decode: only llvm-mc has checked their words.
var undecoded = []string{"SDOT.2S", "SDOT.4S", "UDOT.2S", "UDOT.4S"}

// TestDecode decodes each word with golang.org/x/arch, and compares the text.
func TestDecode(t *testing.T) {
	lacks := map[string]bool{}
	for _, s := range samples(t) {
		var code [4]byte
		for i := range code {
			code[i] = byte(s.word >> (8 * i))
		}
		in, err := arm64asm.Decode(code[:])
		if err != nil {
			lacks[s.inst.Name] = true
			continue
		}
		if s.inst.Go != "" && (s.inst.Name == "MOVZ" || s.inst.Name == "MOVN" || s.inst.Name == "TBNZ") {
			continue // is decoded to another mnemonic, and TestGoText compares it
		}
		got, want := plain(arm64asm.GNUSyntax(in)), plain(strings.ReplaceAll(s.text(), "there", ".+0x0"))
		if got != want {
			t.Errorf("%08x %s, x/arch: %s", s.word, want, got)
		}
	}
	require.Equal(t, undecoded, slices.Sorted(maps.Keys(lacks)))
}

var commas, lists, zeros = regexp.MustCompile(`, *`), regexp.MustCompile(`\{(v\d+\.\w+), .*, (v\d+\.\w+)\}`), regexp.MustCompile(`0+e`)

var spaces, hexadecimal, thousands = regexp.MustCompile(`[ {}]+`), regexp.MustCompile(`0x[0-9a-f]+`), regexp.MustCompile(`#(\d+), lsl #12`)

// plain returns a text in one of the spellings that disassemblers have for it.
func plain(s string) string {
	s = commas.ReplaceAllString(strings.ToLower(s), ", ")
	s = zeros.ReplaceAllString(lists.ReplaceAllString(s, "{$1-$2}"), "e") // a list of three or four is a range
	s = spaces.ReplaceAllString(s, " ")
	s = hexadecimal.ReplaceAllStringFunc(s, func(h string) string {
		n, _ := strconv.ParseUint(h[2:], 16, 64)
		return strconv.FormatUint(n, 10)
	})
	s = thousands.ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.Atoi(thousands.FindStringSubmatch(m)[1])
		return "#" + strconv.Itoa(n<<12)
	})
	for _, same := range [][2]string{{"#0.0", "#0"}, {", lsl #0", ""}, {"b.cs", "b.hs"}, {"b.cc", "b.lo"}, {", cs", ", hs"}, {", cc", ", lo"}} {
		s = strings.ReplaceAll(s, same[0], same[1])
	}
	op, rest, _ := strings.Cut(s, " ")
	if long, ok := strings.CutSuffix(rest, ", #0"); ok && strings.Contains(op, "shll") {
		op, rest = strings.Replace(op, "shll", "xtl", 1), long
	}
	switch op { // the manual has two names for these
	case "dup", "ins", "umov", "fmov":
		op = "mov"
	case "mvn":
		op = "not"
	}
	return op + " " + rest
}

// TestGoText has Go's assembler assemble the instructions that it has, and compares the words.
func TestGoText(t *testing.T) {
	var text strings.Builder
	text.WriteString("TEXT ·f(SB), 4, $0-0\n") // 4 is NOSPLIT
	var list []sample
	for _, s := range samples(t) {
		if s.inst.Go == "" {
			continue
		}
		if i := slices.IndexFunc(s.line.Args, func(a Arg) bool { return a.Kind == ArgLabel }); i >= 0 {
			s.line.Args[i] = label("there" + itoa(len(list)))
			fmt.Fprintf(&text, "there%d:\n", len(list))
		}
		text.WriteString("\t" + s.inst.goLine(s.line.Args) + "\n")
		list = append(list, s)
	}
	got := goWords(t, text.String())
	require.GreaterOrEqual(t, len(got), len(list))
	for i, s := range list {
		require.Equal(t, fmt.Sprintf("%08x", s.word), fmt.Sprintf("%08x", got[i]), "%s\n%s", s.text(), s.inst.goLine(s.line.Args))
	}
}

// goWords returns the words of a function of Go's assembler.
func goWords(t *testing.T, text string) []uint32 {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f.s"), []byte(text), 0o644))
	cmd := exec.Command("go", "tool", "asm", "-p", "f", "-S", "-o", filepath.Join(dir, "f.o"), filepath.Join(dir, "f.s"))
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	var words []uint32
	dump := regexp.MustCompile(`(?m)^\t0x[0-9a-f]{4,} ((?:[0-9a-f]{2} )+)`)
	for _, line := range dump.FindAllStringSubmatch(string(out), -1) {
		all := strings.Fields(line[1])
		for i := 0; i+3 < len(all); i += 4 {
			w, err := strconv.ParseUint(all[i+3]+all[i+2]+all[i+1]+all[i], 16, 32)
			require.NoError(t, err)
			words = append(words, uint32(w))
		}
	}
	return words
}
