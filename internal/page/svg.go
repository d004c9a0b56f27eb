package page

import (
	"bytes"
	"fmt"
	"strings"
)

// svg returns the picture as an SVG element; the page's style sheet sets colours. Boxes and edges have their origins as
// data-v, and an edge between groups the number of its reason as data-w. The script shows texts where the pointer
// rests, and shows all of the picture once more as a map.
func (p *Picture) svg(id string, whys *table) string {
	d := layoutOf(p)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg id="%s" class="picture" viewBox="-10 -10 %.0f %.0f" data-w="%.0f" data-h="%.0f" role="img" aria-label="%s"><g id="%s-all">`,
		id, d.width+20, d.height+20, d.width+20, d.height+20, escaped(p.Name), id)
	b.WriteByte('\n')
	labelled := map[int]bool{} // nodes with a labelled edge
	for _, r := range d.routes {
		from := p.Edges[r.edge].From
		d.edge(&b, p, r, whys, !labelled[from])
		labelled[from] = labelled[from] || p.Edges[r.edge].Label != ""
	}
	for i := range d.boxes {
		if d.boxes[i].node >= 0 {
			d.node(&b, p, &d.boxes[i])
		}
	}
	b.WriteString("</g></svg>\n")
	return b.String()
}

// edge writes an edge, with its label in the middle.
func (d *drawing) edge(b *bytes.Buffer, p *Picture, r route, whys *table, label bool) {
	e := &p.Edges[r.edge]
	class := `e"`
	if e.Label != "" {
		class = fmt.Sprintf(`e cut" data-w="%d"`, whys.number(e.Why))
	}
	if origin := p.Nodes[e.From].Origin; len(origin) == 1 {
		class += fmt.Sprintf(` data-v="%d"`, origin[0])
	}
	fmt.Fprintf(b, `<g class="%s><path d="`, class)
	from := &d.boxes[r.via[0]]
	x, y := from.x, from.y+from.h/2
	fmt.Fprintf(b, "M%.0f %.0f", x, y)
	for _, i := range r.via[1:] {
		to := &d.boxes[i]
		x1, y1 := to.x, to.y-to.h/2
		fmt.Fprintf(b, "C%.0f %.0f %.0f %.0f %.0f %.0f", x, (y+y1)/2, x1, (y+y1)/2, x1, y1)
		x, y = x1, to.y+to.h/2
	}
	b.WriteString(`"/>`)
	if e.Label != "" && label {
		to := &d.boxes[r.via[1]]
		fmt.Fprintf(b, `<text x="%.0f" y="%.0f">%s</text>`, (from.x+to.x)/2+4, (from.y+from.h/2+to.y-to.h/2)/2+4, inside(e.Label))
	}
	b.WriteString("</g>\n")
}

// node writes a box with its lines.
func (d *drawing) node(b *bytes.Buffer, p *Picture, at *box) {
	n := &p.Nodes[at.node]
	class, lines := "n", n.Lines
	if n.Kind != Computed {
		class += " " + n.Kind.String()
	}
	if at.stub {
		class, lines = class+" stub", nil
	}
	hue := ""
	if n.Group >= 0 {
		hue = fmt.Sprintf(` style="--h:%d"`, Hue(n.Group))
	}
	fmt.Fprintf(b, `<g class="%s" data-v="%s"%s transform="translate(%.0f %.0f)"><rect x="%.0f" y="%.0f" width="%.0f" height="%.0f"/>`,
		class, originText(n.Origin), hue, at.x, at.y, -at.w/2, -at.h/2, at.w, at.h)
	y := -at.h/2 + boxPad/2 + lineHeight - 4
	fmt.Fprintf(b, `<text y="%.0f">%s</text>`, y, inside(n.Title))
	for _, l := range lines {
		y += lineHeight
		fmt.Fprintf(b, `<text class="s" y="%.0f">%s</text>`, y, inside(l))
	}
	b.WriteString("</g>\n")
}

// Hue returns the hue of a group in degrees. Consecutive groups differ by the golden angle.
func Hue(group int) int { return group * 1375 / 10 % 360 }

// originText returns numbers separated by spaces.
func originText(origins []int) string { return strings.Trim(fmt.Sprint(origins), "[]") }

var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// inside returns text escaped for the inside of an element, where quotes need no escape.
func inside(s string) string { return textEscapes.Replace(s) }

var textEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;")

// escaped returns text escaped for HTML and its attributes. (Package html would add 100 KB to a program.)
func escaped(s string) string { return escapes.Replace(s) }
