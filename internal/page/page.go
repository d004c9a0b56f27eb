package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// Page is the content of a program's HTML page.
type Page struct {
	Name    string
	About   []string // lines below the name
	Values  []Value  // values, by origin
	Graph   *Picture
	Flow    *Picture // the picture of steps, or nil
	Columns []Column
	Steps   []Step
	Folds   []Fold
	Passes  []Pass
	Kernels []Kernel
	Moved   int // bytes that all steps move
	Least   int // bytes of inputs and outputs, each once
	Profile string
	Notes   []string // what there is to say about the program as a whole
	// Assembly returns the assembly of a kernel, or "" if there is none. It is nil if assembly is not known.
	Assembly func(signature string) string

	whys table // reasons on the edges of pictures
}

// table numbers texts, each once.
type table struct {
	list []string
	at   map[string]int
}

func (t *table) number(text string) int {
	n, met := t.at[text]
	if !met {
		if t.at == nil {
			t.at = map[string]int{}
		}
		n = len(t.list)
		t.at[text], t.list = n, append(t.list, text)
	}
	return n
}

// Value describes the value with an origin.
type Value struct {
	Text   string // text in the first column
	Site   string // source position, "main.go:12"
	Source string // source line at Site, "" if it is not known
	Steps  []int  // steps that compute it
	Notes  []string
}

// Column is the text of one level.
type Column struct {
	Name string
	Text string
	Open bool // shown at first; other columns are opened by a click
}

// Step is a row of the table of steps.
type Step struct {
	What   string // summary: "3 ops over [2,3]"
	How    string // strategy and kernels
	Site   string // source position, "main.go:12", or ""
	Origin []int
	Needed int // bytes of inputs and outputs that no earlier step has moved
	Extra  int // all other bytes
	Time   string
	Share  float64 // share of a run's time, 0 to 1; negative if the steps before share Time
	Rate   string
}

// Pass is a row of the table of passes.
type Pass struct {
	Name    string
	Time    string
	Share   float64 // share of the time of all passes, 0 to 1
	Changed bool    // whether it changed the text
}

// Kernel is a compiled loop, by its signature.
type Kernel struct {
	Signature string
	Steps     []int // steps that call it
}

// Write writes the page: one HTML file that loads nothing. The content of a large page is compressed.
func (p *Page) Write(w io.Writer) error {
	var b bytes.Buffer
	p.body(&b)
	body, script := b.String(), script
	if len(body) > mostPlain {
		body, script = packed(body), "(async () => {\n"+unpack+script+"})();\n"
	}
	_, err := fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>%s</title>
<style>
%s</style>
</head>
<body>
%s<script>
"use strict";
%s</script>
</body>
</html>
`, escaped(p.Name), style, body, script)
	return err
}

// body writes the content of the page, and the tables that the script reads.
func (p *Page) body(b *bytes.Buffer) {
	fmt.Fprintf(b, `<header><h1>%s</h1><p>%s</p><select id="where" aria-label="search in"><option value="all">all</option><option value="op">operations</option><option value="line">lines</option></select><input id="search" type="search" placeholder="search: op, type, file:line" aria-label="search"><output id="found"></output><button id="theme" type="button">dark / light</button></header>
<main id="columns">
`, escaped(p.Name), escaped(strings.Join(p.About, " · ")))
	p.overview(b)
	p.pictures(b)
	for _, c := range p.Columns {
		column(b, c)
	}
	p.kernels(b)
	b.WriteString("</main>\n<footer id=\"detail\">Click a value, a line or a step: it is marked in every column.</footer>\n")
	p.data(b)
}

// column writes a text, which the script divides into lines.
func column(b *bytes.Buffer, c Column) {
	class := "col"
	if !c.Open {
		class = "col shut"
	}
	fmt.Fprintf(b, "<section class=\"%s\" data-name=\"%s\"><h2>%s</h2><pre tabindex=\"0\">%s</pre></section>\n", class, escaped(c.Name), inside(c.Name), inside(unaligned(c.Text)))
}

// unaligned replaces the spaces that align columns by one space; the script aligns them again.
func unaligned(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		body := strings.TrimLeft(l, " ")
		if strings.HasPrefix(body, "%") && strings.Contains(body, " : ") {
			lines[i] = l[:len(l)-len(body)] + strings.Join(strings.Fields(body), " ")
		}
	}
	return strings.Join(lines, "\n")
}

// pictures writes the picture of the graph, and that of the steps behind a button.
func (p *Page) pictures(b *bytes.Buffer) {
	b.WriteString("<svg width=\"0\" height=\"0\" style=\"position:absolute\"><defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs></svg>\n")
	b.WriteString("<section class=\"col wide\" data-name=\"picture\"><h2>picture</h2><div class=\"view\" tabindex=\"0\"><nav>")
	shown := p.shown()
	for _, pic := range shown {
		fmt.Fprintf(b, "<button type=\"button\" data-show=\"%s\">%s</button>", pic.id, pic.button)
	}
	b.WriteString("<button type=\"button\" data-zoom=\"1.25\">+</button><button type=\"button\" data-zoom=\"0.8\">-</button><button type=\"button\" data-zoom=\"0\">all</button></nav>\n")
	for _, pic := range shown {
		b.WriteString(pic.svg(pic.id, &p.whys))
	}
	b.WriteString("<svg class=\"map\" aria-hidden=\"true\"><use/><rect/></svg></div></section>\n")
}

// shownPicture is a picture with its name in the page, and the text of its button.
type shownPicture struct {
	*Picture
	id, button string
}

// shown returns the pictures: of values and steps, with folds as boxes, and of all values.
func (p *Page) shown() []shownPicture {
	graph, flow := p.Graph, p.Flow
	all := false
	if len(p.Folds) > 0 && len(graph.Nodes) >= foldedFrom {
		if folded := graph.folded(p.Folds); folded != nil {
			graph, all = folded, true
		}
		if folded := flow.folded(p.Folds); folded != nil {
			flow = folded
		}
	}
	out := []shownPicture{{graph, "graph", "values"}}
	if flow != nil {
		out = append(out, shownPicture{flow, "flow", "steps"})
	}
	if all {
		out = append(out, shownPicture{p.Graph, "every", "all values"})
	}
	return out
}

// kernels writes the signature of each kernel, and its assembly in its own column.
func (p *Page) kernels(b *bytes.Buffer) {
	if len(p.Kernels) == 0 {
		return
	}
	write := func(name, note string, open bool, text func(k *Kernel) string) {
		class := "col"
		if !open {
			class = "col shut"
		}
		fmt.Fprintf(b, "<section class=\"%s\" data-name=\"%s\"><h2>%s</h2><div class=\"body\" tabindex=\"0\">\n", class, name, name)
		for i := range p.Kernels {
			k := &p.Kernels[i]
			var origins []int
			for _, s := range k.Steps {
				origins = append(origins, p.Steps[s].Origin...)
			}
			if t := text(k); t != "" {
				fmt.Fprintf(b, "<article data-v=\"%s\" style=\"--h:%d\"><h3>kernel %d <small>of %s</small></h3><pre tabindex=\"0\">%s</pre></article>\n",
					originText(origins), Hue(k.Steps[0]), i, stepsText(k.Steps), inside(t))
			}
		}
		fmt.Fprintf(b, "<p>%s</p></div></section>\n", note)
	}
	if p.Assembly == nil {
		write("kernels", "This program has its kernels as machine code without text. The command stridefuse html shows their assembly.", true, (*Kernel).lines)
		return
	}
	write("kernels", "", true, (*Kernel).lines)
	write("assembly", "", true, func(k *Kernel) string { return p.Assembly(k.Signature) })
}

// lines returns the signature with one instruction per line.
func (k *Kernel) lines() string {
	head, body, found := strings.Cut(k.Signature, "{ ")
	if !found {
		return k.Signature
	}
	return head + "{\n  " + strings.ReplaceAll(strings.TrimSuffix(body, " }"), "; ", "\n  ") + "\n}"
}

func stepsText(steps []int) string {
	if len(steps) == 1 {
		return "step " + strconv.Itoa(steps[0])
	}
	const most = 8
	text := "steps " + strings.Join(strings.Fields(originText(steps[:min(most, len(steps))])), ", ")
	if len(steps) > most {
		text += ", ..."
	}
	return text
}

// data writes the table of values for the script: one line each, with cells separated by tabs.
func (p *Page) data(b *bytes.Buffer) {
	b.WriteString("<pre id=\"values\" hidden>")
	for _, v := range p.Values {
		var notes []int
		for _, n := range v.Notes {
			notes = append(notes, p.whys.number(n))
		}
		cells := []string{originText(v.Steps), v.Site, v.Source, v.Text, originText(notes)}
		for i, c := range cells {
			cells[i] = inside(flat.Replace(c))
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	b.WriteString("</pre>\n<pre id=\"folds\" hidden>")
	for _, f := range p.Folds {
		fmt.Fprintf(b, "%d\t%d\t%s\n", f.First, f.Last, inside(flat.Replace(f.Text)))
	}
	b.WriteString("</pre>\n<pre id=\"whys\" hidden>")
	for _, why := range p.whys.list {
		b.WriteString(inside(flat.Replace(why)) + "\n")
	}
	b.WriteString("</pre>\n")
}

// flat removes line ends and tabs from the text of a cell.
var flat = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
