package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph/formula"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/tool.md")

// TestDocs compares the tables of docs/tool.md with those of the code.
func TestDocs(t *testing.T) {
	const file = "../../docs/tool.md"
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(page)
	for name, table := range map[string]string{"commands": commandTable(), "functions": functionTable(), "stages": stageTable(t)} {
		block := regexp.MustCompile(`(?s)<!-- ` + name + ` -->\n.*?<!-- end -->`)
		require.True(t, block.MatchString(text), name)
		text = block.ReplaceAllLiteralString(text, "<!-- "+name+" -->\n"+table+"<!-- end -->")
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	require.Equal(t, string(page), text, "-update writes it")
}

// commandTable lists the commands, then the flags with the commands that have them.
func commandTable() string {
	var b strings.Builder
	b.WriteString("| command | what it does |\n|---|---|\n")
	uses := map[string][]string{}
	var order []string
	for _, c := range commands {
		fmt.Fprintf(&b, "| `%s %s` | %s |\n", c.name, c.arg, c.doc)
		for _, f := range c.flags {
			if uses[f] == nil {
				order = append(order, f)
			}
			uses[f] = append(uses[f], "`"+c.name+"`")
		}
	}
	b.WriteString("\n| flag | of | what it does |\n|---|---|---|\n")
	for _, f := range order {
		row := flagTable[f]
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimSpace("-"+f+" "+row.value), strings.Join(uses[f], ", "), row.doc)
	}
	return b.String()
}

// functionTable lists the functions by their parameters, as many have the same.
func functionTable() string {
	names := map[string][]string{}
	for _, f := range formula.Functions() {
		_, params, _ := strings.Cut(strings.TrimSuffix(formula.Signature(f), ")"), "(")
		names[params] = append(names[params], "`"+f+"`")
	}
	var params []string
	for p := range names {
		params = append(params, p)
	}
	slices.Sort(params)
	var b strings.Builder
	b.WriteString("| parameters | functions |\n|---|---|\n")
	for _, p := range params {
		fmt.Fprintf(&b, "| `%s` | %s |\n", p, strings.Join(names[p], ", "))
	}
	return b.String()
}
