package codegen

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// Registration by a call, for the library's own packages. The kernels in assembly have no declarations in Go. For a declared
// function in a table, the compiler would make a wrapper that converts Go's calling convention to that of assembly, and both
// would have names and tables for tracebacks: 0.4 KB of a program for each kernel. Instead, the assembly has a table of
// addresses, and package builtin a function that calls an address.

// entriesName is the function in assembly that returns the table of addresses.
func entriesName(t Target, group string) string { return "entries_" + groupName(t, group) }

// declaredText matches the beginning of a function that is declared in Go, with the comments before it.
var declaredText = regexp.MustCompile(`(?m)^(?:// func .*\n)?((?://.*\n)*)TEXT ·(\w+)(\(SB\).*\n)`)

// returnAddress is the body of a function that returns the address of a symbol, by architecture.
var returnAddress = map[string]string{
	amd64:   "\tLEAQ %s<>(SB), AX\n\tMOVQ AX, ret+0(FP)\n\tRET\n",
	"arm64": "\tMOVD $%s<>(SB), R0\n\tMOVD R0, ret+0(FP)\n\tRET\n",
}

// withEntries returns the assembly of kernels as functions local to the file, each below the text of its loop, with a table of
// their addresses. As their prologues may move the stack, they must tell which of their arguments are pointers: they refer
// to a declared function of package builtin.
func withEntries(text []byte, t Target, group string, kernels []named) []byte {
	loops := map[string]string{}
	for _, k := range kernels {
		loops[k.symbol+t.Suffix()] = loop(k.Code)
	}
	var b bytes.Buffer
	b.Write(declaredText.ReplaceAllFunc(text, func(match []byte) []byte {
		m := declaredText.FindSubmatch(match)
		return fmt.Appendf(nil, "// %s\n%sTEXT %s<>%s\tFUNCDATA $0, ·kernel·args_stackmap(SB)\n", loops[string(m[2])], m[1], m[2], m[3])
	}))
	entries := entriesName(t, group)
	b.WriteByte('\n')
	for i, k := range kernels {
		fmt.Fprintf(&b, "DATA %s<>+%d(SB)/8, $%s%s<>(SB)\n", entries, 8*i, k.symbol, t.Suffix())
	}
	fmt.Fprintf(&b, "GLOBL %s<>(SB), RODATA, $%d\n\n", entries, 8*len(kernels))
	fmt.Fprintf(&b, "// func %s() *uintptr\nTEXT ·%s(SB), NOSPLIT, $0-8\n", entries, entries)
	fmt.Fprintf(&b, returnAddress[t.Arch()], entries)
	return b.Bytes()
}

// entries writes the signatures of kernels that have a table of addresses, and a file for builds without the kernels. For the
// first target that file has Go loops.
func (g *generator) entries(t Target, group string, kernels []named) error {
	var b strings.Builder
	name, function := tableName(t, group), entriesName(t, group)
	fmt.Fprintf(&b, "var %s = assembly{%s, []string{\n", name, function)
	for _, k := range kernels {
		fmt.Fprintf(&b, "%q,\n", k.Signature())
	}
	fmt.Fprintf(&b, "}}\n\n// %s returns the addresses of the kernels in assembly.\nfunc %s() *uintptr\n", function, function)
	if err := g.addGo(t.Suffix()+group+"_"+t.Arch()+stubFile, constraint(t, group), g.Package, b.String()); err != nil {
		return err
	}
	tags := leavingOut(t, group)
	if len(tags) == 0 {
		return nil
	}
	without := assemblyTag(t.Arch()) + " && (" + strings.Join(tags, " || ") + ")"
	text := "var " + name + " assembly\n"
	if t.Suffix() == "" && g.Loops == FewLoops {
		few := g.tilingLoops(kernels)
		functions, err := plainLoops(few)
		if err != nil {
			return err
		}
		text = "var " + name + " = loops{\n" + rows(few, "_go") + "}\n\n" + functions
	}
	return g.addGo(t.Suffix()+group+leftOutFile+"_"+t.Arch()+stubFile, without, g.Package, text)
}
