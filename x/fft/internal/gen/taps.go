package main

import (
	"fmt"
	"io"
)

// writeTaps prints the kernel of direct convolutions: eight vectors of sums at a time, then single ones.
func writeTaps(w io.Writer, t elem) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "\t"+format+"\n", args...) }
	vector, s := t.bytes*t.lanes, t.suffix[1:]
	fmt.Fprintf(w, "\n// func taps%s(f *Frame)\nTEXT ·taps%[1]s(SB), NOSPLIT, $0-8\n", t.bits)
	line("MOVQ f+0(FP), DI")
	for _, load := range [][2]string{{"In", "AX"}, {"Out", "CX"}, {"Table", "SI"}, {"Cols", "DX"}, {"Rows", "BX"}} {
		line("MOVQ Frame_%s(DI), %s", load[0], load[1])
	}
	for _, part := range []struct {
		label, next string
		vectors     int
	}{{"eight", "one", 8}, {"one", "done", 1}} {
		fmt.Fprintf(w, "\n%s:\n", part.label)
		line("CMPQ DX, $%d", part.vectors*t.lanes)
		line("JLT %s", part.next)
		for i := range part.vectors {
			line("VMOVUP%s %d(CX), Y%d", s, i*vector, i)
		}
		line("MOVQ SI, R8")
		line("MOVQ AX, R9")
		line("MOVQ BX, R10")
		fmt.Fprintf(w, "\n%sTap:\n", part.label)
		line("VBROADCASTS%s (R8), Y8", s)
		for i := range part.vectors {
			line("VFMADD231P%s %d(R9), Y8, Y%d", s, i*vector, i)
		}
		line("ADDQ $%d, R8", t.bytes)
		line("ADDQ $%d, R9", t.bytes)
		line("DECQ R10")
		line("JNZ %sTap", part.label)
		for i := range part.vectors {
			line("VMOVUP%s Y%d, %d(CX)", s, i, i*vector)
		}
		line("ADDQ $%d, AX", part.vectors*vector)
		line("ADDQ $%d, CX", part.vectors*vector)
		line("SUBQ $%d, DX", part.vectors*t.lanes)
		line("JMP %s", part.label)
	}
	fmt.Fprintln(w, "\ndone:")
	line("VZEROUPPER")
	line("RET")
}
