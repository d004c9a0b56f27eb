package codegen

import (
	"bytes"
	"strings"
)

// Assembly as it is written to files: several instructions a line. The linker keeps a line
// number for each change of the line, in a table that was two fifths of a kernel's bytes.

// assemblyLine is the most characters of a line that has several instructions.
const assemblyLine = 110

// joinLines puts instructions that follow one another on one line. Labels, comments, data and
// instructions that name a parameter, which go vet reads by lines, keep lines of their own.
func joinLines(text []byte) []byte {
	var out bytes.Buffer
	length := 0 // of the line that has begun, 0 if nothing can follow on it
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
