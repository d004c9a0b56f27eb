package page

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteDOT writes the picture in the language of Graphviz: a cluster for each group, a box
// for each node, and labels on the edges between groups.
func (p *Picture) WriteDOT(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph %s {\n  node [shape=box, style=\"filled,rounded\", fillcolor=white, fontname=monospace, fontsize=11]\n  edge [fontname=monospace, fontsize=9]\n", quoted(p.Name))
	inside := make([][]int, len(p.Groups))
	for i, n := range p.Nodes {
		if n.Group >= 0 {
			inside[n.Group] = append(inside[n.Group], i)
		} else {
			n.dot(&b, i, "  ", "")
		}
	}
	for g, nodes := range inside {
		if len(nodes) == 0 {
			continue
		}
		if len(nodes) == 1 {
			p.Nodes[nodes[0]].dot(&b, nodes[0], "  ", colour(g))
			continue
		}
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s fontname=monospace style=filled color=%s\n", g, quoted(p.Groups[g]), colour(g))
		for _, i := range nodes {
			p.Nodes[i].dot(&b, i, "    ", "")
		}
		b.WriteString("  }\n")
	}
	for _, e := range p.Edges {
		fmt.Fprintf(&b, "  n%d -> n%d", e.From, e.To)
		if e.Label != "" {
			fmt.Fprintf(&b, " [label=%s, tooltip=%s, penwidth=2, color=firebrick]", quoted(e.Label), quoted(e.Why))
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// dot writes a node, filled with a colour if one is given.
func (n *Node) dot(b *bytes.Buffer, i int, indent, fill string) {
	label := strings.Join(append([]string{n.Title}, n.Lines...), "\n")
	fmt.Fprintf(b, "%sn%d [label=%s", indent, i, quoted(label))
	if n.Tip != "" {
		fmt.Fprintf(b, ", tooltip=%s", quoted(n.Tip))
	}
	switch n.Kind {
	case Computed:
		if fill != "" {
			b.WriteString(", fillcolor=" + fill)
		}
	case Given, Result:
		b.WriteString(", fillcolor=gray90")
	case View:
		b.WriteString(", style=\"filled,rounded,dashed\"")
	default:
		panic(fmt.Sprintf("page: a node of kind %d", n.Kind))
	}
	b.WriteString("]\n")
}

// quoted returns a DOT string. Graphviz reads \n as the end of a line.
func quoted(s string) string { return `"` + dotEscapes.Replace(s) + `"` }

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ")

// colour returns a light colour for a group, as hue, saturation and value. The hues of consecutive groups differ by the
// golden angle.
func colour(group int) string {
	hue := float64(group) * 0.381966
	return fmt.Sprintf(`"%.3f 0.15 1.0"`, hue-float64(int(hue)))
}
