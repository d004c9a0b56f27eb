package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/ir"
)

// What Explain says of a profile.

// String returns the lines that Explain shows about the profile; nil gives none.
func (p *Profile) String() string {
	var b bytes.Buffer
	p.explain(&b)
	return b.String()
}

const (
	mostHot   = 12 // the most steps of a profile that Explain tells one by one
	leastTold = 3  // the least part of a run, in percent, with which Explain tells of a step of a row group, or of a source line
	mostLines = 6  // the most source lines of which Explain tells the part of the run
)

// explain writes the lines of Explain about a profile; nil gives none. If the program has many steps, those that take the
// most time come first, and the others are told together.
func (p *Profile) explain(b *bytes.Buffer) {
	if p == nil {
		return
	}
	line(b, "profile", p.summary(), ir.Pos{})
	steps := p.Steps
	if len(steps) > mostHot {
		steps = slices.Clone(steps)
		slices.SortStableFunc(steps, func(x, y StepProfile) int { return cmp.Compare(y.Time, x.Time) })
	}
	for i, s := range steps {
		if i == mostHot {
			var rest time.Duration
			for _, s := range steps[i:] {
				rest += s.Time
			}
			line(b, "", fmt.Sprintf("%d other steps: %v, %.0f%% of the run", len(steps)-i, rounded(rest), percent(rest, p.sum())), ir.Pos{})
			break
		}
		line(b, "", s.text(p), ir.Pos{})
		for _, one := range s.Steps {
			if percent(one.Time, p.sum()) >= leastTold {
				line(b, "", "  "+one.text(p), ir.Pos{})
			}
		}
	}
	p.lines(b)
}

// lines writes the parts of the run by source line, if there are several lines: those that take the most time, most first.
func (p *Profile) lines(b *bytes.Buffer) {
	took, of, order := map[string]time.Duration{}, map[string][]int{}, []string(nil)
	for _, s := range p.Steps {
		each := s.Steps
		if each == nil {
			each = []StepProfile{s}
		}
		for _, one := range each {
			if of[one.Line] == nil {
				order = append(order, one.Line)
			}
			took[one.Line] += one.Time
			of[one.Line] = append(of[one.Line], one.First)
		}
	}
	slices.SortStableFunc(order, func(x, y string) int { return cmp.Compare(took[y], took[x]) })
	for i, at := range order {
		if part := percent(took[at], p.sum()); len(order) > 1 && at != "" && i < mostLines && part >= leastTold {
			line(b, "", fmt.Sprintf("%s: %.0f%% of the run, %s", at, part, stepsOf(of[at])), ir.Pos{})
		}
	}
}

// stepsOf names steps: "step 3", "steps 3, 4 and 7-9".
func stepsOf(list []int) string {
	if len(list) == 1 {
		return "step " + strconv.Itoa(list[0])
	}
	return "steps " + numbersText(list)
}

// text is what Explain says of steps.
func (s StepProfile) text(p *Profile) string {
	return fmt.Sprintf("step %s: %v, %.0f%% of the run; %s", s.Name(), rounded(s.Time), percent(s.Time, p.sum()), s.rate(p))
}

// summary says how many runs there were, how long they took, and what the limits are.
func (p *Profile) summary() string {
	if p.Runs == 1 {
		return fmt.Sprintf("1 run of %v; %s", rounded(p.First), p.Limits)
	}
	return fmt.Sprintf("%d runs, the first of %v, then %v in the median; parts are of %v, the sum of the steps' medians; %s",
		p.Runs, rounded(p.First), rounded(p.Time), rounded(p.sum()), p.Limits)
}

// sum returns the sum of the steps' times, of which each step is a part.
func (p *Profile) sum() (all time.Duration) {
	for _, s := range p.Steps {
		all += s.Time
	}
	return all
}

const (
	leastBound = 0.2 // the least part of a step's time that a limit must explain to be called what binds the step
	leastPart  = 0.1 // the least part with which other limits are named
)

// rate says what binds steps, and how fast they are.
func (s StepProfile) rate(p *Profile) string {
	text := s.verdict(p.Limits) + fmt.Sprintf("; %.3g GB/s", s.GBPerSecond())
	if s.Ops > 0 {
		text += fmt.Sprintf(", %.3g GFLOP/s", s.GFLOPPerSecond())
	}
	return text
}

// verdict says what binds steps.
func (s StepProfile) verdict(l Limits) string {
	parts := s.parts(l)
	by, most := s.Bound(l)
	text, cached := "", s.cached(l)
	if cached {
		text, parts[0] = "in the caches, ", 0
	}
	var others []string
	for i, part := range parts {
		if part >= leastPart && (bounds[i] != by || most < leastBound) {
			others = append(others, fmt.Sprintf("%s %.0f%%", bounds[i], 100*part))
		}
	}
	if most >= leastBound {
		return text + strings.Join(append([]string{fmt.Sprintf("bound by %s, %.0f%% of its limit", by, 100*most)}, others...), ", ")
	}
	far, waits := "far from every limit", ": elements wait for one another, or goroutines for the processor"
	if cached {
		far, waits = "far from every other limit", ""
	}
	if len(others) > 0 {
		far += " (" + strings.Join(others, ", ") + ")"
	}
	return text + far + waits
}

// Name returns the numbers of the steps: "3", or "3-5".
func (s StepProfile) Name() string {
	if s.First == s.Last {
		return strconv.Itoa(s.First)
	}
	return fmt.Sprintf("%d-%d", s.First, s.Last)
}

func percent(part, of time.Duration) float64 { return 100 * float64(part) / float64(max(of, 1)) }

// rounded returns a duration to three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
