package page

import (
	"bytes"
	"fmt"
	"strconv"
)

// The first column of the page: bytes as bars, the steps as a table, and why values are stored.

// overview writes the bars of bytes, the notes, the table of steps and the reasons.
func (p *Page) overview(b *bytes.Buffer) {
	b.WriteString("<section class=\"col\" data-name=\"overview\"><h2>overview</h2><div class=\"body\" tabindex=\"0\">\n")
	most := max(p.Moved, p.Least, 1)
	for _, bar := range []struct {
		name, class string
		bytes       int
	}{{"bytes moved", "moved", p.Moved}, {"least possible", "least", p.Least}} {
		fmt.Fprintf(b, "<div class=\"bar\"><span>%s</span><i class=\"%s\" style=\"width:%s\"></i><b>%s</b></div>\n", bar.name, bar.class, percent(bar.bytes, most), Bytes(bar.bytes))
	}
	for _, note := range p.Notes {
		fmt.Fprintf(b, "<p>%s</p>\n", escaped(note))
	}
	if p.Profile != "" {
		fmt.Fprintf(b, "<p>%s</p>\n", escaped(p.Profile))
	}
	if len(p.Steps) > 0 {
		p.table(b)
	}
	p.reasons(b)
	p.passes(b)
	b.WriteString("</div></section>\n")
}

// passes writes the times of the passes, folded.
func (p *Page) passes(b *bytes.Buffer) {
	if len(p.Passes) == 0 {
		return
	}
	b.WriteString("<details class=\"passes\"><summary>times of the passes</summary><table><tbody>\n")
	for _, pass := range p.Passes {
		note := ""
		if !pass.Changed {
			note = "nothing changed"
		}
		fmt.Fprintf(b, "<tr><td>%s<td><span class=\"track\"><i class=\"time\" style=\"width:%.1f%%\"></i></span><td>%s<td><small>%s</small>\n", escaped(pass.Name), 100*pass.Share, escaped(pass.Time), note)
	}
	b.WriteString("</tbody></table></details>\n")
}

// table writes the steps.
func (p *Page) table(b *bytes.Buffer) {
	most := 1
	for _, s := range p.Steps {
		most = max(most, s.Needed+s.Extra)
	}
	sortable := func(name string) {
		fmt.Fprintf(b, "<th aria-sort=\"none\"><button type=\"button\" data-sort=\"%s\">%s</button>", name, name)
	}
	b.WriteString("<table><thead><tr>")
	sortable("step")
	b.WriteString("<th>computes")
	sortable("bytes")
	if p.Profile != "" {
		sortable("time")
	}
	b.WriteString("</thead><tbody>\n")
	for i, s := range p.Steps {
		hidden := ""
		if k := fold(p.Folds, i); k >= 0 {
			hidden = fmt.Sprintf(" hidden data-fold=\"%d\"", k)
			if f := p.Folds[k]; f.First == i {
				fmt.Fprintf(b, "<tr class=\"fold\" data-step=\"%d\" data-bytes=\"0\" data-time=\"0\"><td colspan=\"4\"><button type=\"button\" data-unfold=\"%d\">%s</button>\n", i, k, escaped(fmt.Sprintf("steps %d to %d: %s", f.First, f.Last, f.Text)))
			}
		}
		fmt.Fprintf(b, "<tr%s data-v=\"%s\" data-step=\"%d\" data-bytes=\"%d\" data-time=\"%.4f\" style=\"--h:%d\"><td class=\"stripe\">%d<td>%s<small>%s</small><small>%s</small>",
			hidden, originText(s.Origin), i, s.Needed+s.Extra, max(0, s.Share), Hue(i), i, escaped(s.What), escaped(s.How), escaped(s.Site))
		fmt.Fprintf(b, "<td><span class=\"track\"><i class=\"least\" style=\"width:%s\"></i><i class=\"moved\" style=\"width:%s\"></i></span><small>%s</small>",
			percent(s.Needed, most), percent(s.Extra, most), Bytes(s.Needed+s.Extra))
		if p.Profile != "" {
			fmt.Fprintf(b, "<td><span class=\"track\"><i class=\"time\" style=\"width:%.1f%%\"></i></span><small>%s</small><small>%s</small>", 100*max(0, s.Share), escaped(s.Time), escaped(s.Rate))
		}
		b.WriteByte('\n')
	}
	b.WriteString("</tbody></table>\n<p class=\"key\"><i class=\"least\"></i> inputs and outputs, once each <i class=\"moved\"></i> all else: temporaries, and what is read again</p>\n")
}

// reasons writes why values are stored: each reason once, with its values.
func (p *Page) reasons(b *bytes.Buffer) {
	var order []string
	about := map[string][]int{}
	for v := range p.Values {
		for _, note := range p.Values[v].Notes {
			if about[note] == nil {
				order = append(order, note)
			}
			about[note] = append(about[note], v)
		}
	}
	if len(order) == 0 {
		return
	}
	b.WriteString("<h3>Not fused, or computed again</h3>\n<ul class=\"reasons\">\n")
	for _, note := range order {
		fmt.Fprintf(b, "<li data-v=\"%s\">%s<small>", originText(about[note]), inside(note))
		const most = 3
		for i, v := range about[note] {
			if i == most {
				fmt.Fprintf(b, "and %d more", len(about[note])-most)
				break
			}
			fmt.Fprintf(b, "<code>%s</code>\n", inside(p.Values[v].Text))
		}
		b.WriteString("</small>\n")
	}
	b.WriteString("</ul>\n")
}

func percent(n, of int) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of)) }

// Bytes formats a number of bytes with three digits.
func Bytes(n int) string {
	size, unit := float64(n), ""
	for _, u := range []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"} {
		if size < 1000 {
			break
		}
		size, unit = size/1024, u
	}
	return strconv.FormatFloat(size, 'g', 3, 64) + " " + unit + "B"
}
