package codegen

import (
	"bytes"
	"strings"
)

// Assembly is written with several instructions per line. The linker keeps a line number for each change of the line; with one
// instruction per line, that table was two fifths of a kernel's bytes.

// assemblyLine is the greatest length of a line of several instructions, in characters.
const assemblyLine = 110

// joinLines joins consecutive instructions into lines. Labels, comments, data and instructions that name a parameter, which go
// vet reads by lines, keep lines of their own.
func joinLines(text []byte) []byte {
	var out bytes.Buffer
	length := 0 // of the line being joined; 0 if nothing can follow on it
	end := func() {
		if length > 0 {
			out.WriteByte('\n')
		}
		length = 0
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "\t") || strings.Contains(line, "//") {
			end()
			out.WriteString(line)
			continue
		}
		instruction := strings.Join(strings.Fields(line), " ")
		alone := strings.Contains(instruction, "(FP)")
		switch {
		case length > 0 && !alone && length+2+len(instruction) <= assemblyLine:
			out.WriteString("; ")
			length += 2
		default:
			end()
			out.WriteByte('\t')
		}
		out.WriteString(instruction)
		length += len(instruction)
		if alone {
			end()
		}
	}
	end()
	return out.Bytes()
}
