package amd64

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Go's assembler, with which the tests compare. Programs become text, one instruction a line, and the assembler's listing
// (go tool asm -S) has the bytes of each function.

// goAssembled returns the machine code that Go's assembler makes of programs, and the offsets of their instructions. The four
// bytes that address a constant are 0.
func goAssembled(t *testing.T, target *Target, programs []*Program) (code [][]byte, offsets []map[int]int) {
	var b strings.Builder
	firstLine := make([]int, len(programs))
	lines := 1
	for i, p := range programs {
		text := goText(target, i, p)
		firstLine[i] = lines
		lines += strings.Count(text, "\n")
		b.WriteString(text)
	}
	file := filepath.Join(t.TempDir(), "p.s")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	asm := exec.Command("go", "tool", "asm", "-S", "-p", "p", "-o", file+".o", file)
	asm.Env = append(os.Environ(), "GOARCH=amd64", "GOOS=linux")
	out, err := asm.CombinedOutput()
	require.NoError(t, err, "%.3000s", out)
	return listed(t, string(out), firstLine)
}

var (
	listedText  = regexp.MustCompile(`^p\.f(\d+) STEXT`)
	listedPlace = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(.*:(\d+)\)`)
	listedBytes = regexp.MustCompile(`^\t0x[0-9a-f]{4,} ((?:[0-9a-f]{2} )+)`)
)

// listed reads a listing. The offsets of a function's instructions are by their lines, counted from its TEXT.
func listed(t *testing.T, listing string, firstLine []int) (code [][]byte, offsets []map[int]int) {
	code, offsets = make([][]byte, len(firstLine)), make([]map[int]int, len(firstLine))
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	f := -1
	for line := range strings.Lines(listing) {
		if m := listedText.FindStringSubmatch(line); m != nil {
			f = number(m[1])
			offsets[f] = map[int]int{}
		} else if m := listedPlace.FindStringSubmatch(line); m != nil {
			if at := number(m[2]) - firstLine[f]; offsets[f][at] == 0 {
				offsets[f][at] = number(m[1])
			}
		} else if m := listedBytes.FindStringSubmatch(line); m != nil && f >= 0 {
			b, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
			require.NoError(t, err)
			code[f] = append(code[f], b...)
		} else if !strings.HasPrefix(line, "\t") {
			f = -1
		}
	}
	return code, offsets
}

// goText returns a function in the syntax of Go's assembler.
func goText(t *Target, i int, p *Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "TEXT ·f%d(SB), 4, $%d-8\n", i, p.Frame) // 4 is NOSPLIT
	for _, l := range p.Lines {
		if label := l.Label(); label != "" {
			fmt.Fprintf(&b, "%s:\n", label)
			continue
		}
		args := make([]string, len(l.Args))
		for i := range l.Args {
			args[i] = t.goArg(&l.Args[i])
		}
		fmt.Fprintf(&b, "\t%s %s\n", l.Op, strings.Join(args, ", "))
	}
	return b.String()
}

func (t *Target) goArg(x *Arg) string {
	switch x.Kind {
	case ArgX, ArgHalf, ArgY:
		return map[int]string{16: "X", 32: "Y", 64: "Z"}[t.registerBytes(x)] + strconv.Itoa(int(x.Reg))
	case ArgMask:
		return "K" + strconv.Itoa(int(x.Reg))
	case ArgGP, ArgGP32, ArgGP16, ArgGP8:
		return generalNames[x.Reg]
	case ArgHigh:
		return strings.Replace(generalNames[x.Reg], "X", "H", 1)
	case ArgImm, ArgImm32:
		return "$" + strconv.Itoa(int(x.Imm))
	case ArgLabel:
		return *x.Label
	}
	m := x.Mem
	index := ""
	if m.Index != NoIndex {
		index = fmt.Sprintf("(%s*%d)", generalNames[m.Index], m.Scale)
	}
	switch m.Base {
	case BaseStack:
		return fmt.Sprintf("%d(SP)%s", m.Disp, index)
	case BaseParam:
		return fmt.Sprintf("f+%d(FP)", m.Disp)
	case BaseSymbol:
		return fmt.Sprintf("%s<>+%d(SB)", m.Const, m.Disp)
	}
	return fmt.Sprintf("%d(%s)%s", m.Disp, generalNames[m.Base], index)
}
