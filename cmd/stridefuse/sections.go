package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// A dump of all stages has a section for each, which begins with "# " and the stage's name.
// A dump of one stage is its text alone.

// level says what a text is.
type level string

// The levels that have parsers, by the first word of their texts.
const (
	graphLevel    level = "func"
	planLevel     level = "plan"
	scheduleLevel level = "nest"
)

// levelOf returns the level of a text.
func levelOf(text string) (level, error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		switch l := level(word); l {
		case graphLevel, planLevel, scheduleLevel:
			return l, nil
		}
		return "", fmt.Errorf("a program's text begins with func, plan or nest, and this with %.40q", line)
	}
	return "", fmt.Errorf("the text is empty")
}

// unchanged is what a dump has for a stage that changed nothing.
const unchanged = "// nothing changed"

// sections returns the text of each stage of a dump, and the names of those in it. A text
// without sections is that of one stage, whose name is "".
func sections(dump string) (texts map[string]string, names []string) {
	texts = map[string]string{}
	name, last := "", ""
	stages := graph.Stages()
	var body strings.Builder
	end := func() {
		text := body.String()
		if strings.TrimSpace(text) == unchanged {
			text = last
		}
		if name != "" || strings.TrimSpace(text) != "" {
			texts[name] = text
			names = append(names, name)
		}
		last = text
		body.Reset()
	}
	for line := range strings.Lines(dump) {
		stage, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "# ")
		if ok && slices.Contains(stages, stage) {
			end()
			name = stage
			continue
		}
		body.WriteString(line)
	}
	end()
	return texts, names
}

// source is the text of a program at one level.
type source struct {
	once  []onceText // what is computed of constants before it, in order
	run   string
	level level
}

// onceText is the text of a program whose results are inputs of those behind it.
type onceText struct {
	results []string // the names of those inputs
	text    string
}

// section returns the text of a stage, of the graph if none is named. What the graph needs of
// constants, the later stages of its dump do too.
func section(dump, stage string) (source, error) {
	texts, names := sections(dump)
	text, ok := texts[cmp.Or(stage, "graph")]
	alone, isAlone := texts[""]
	switch {
	case ok:
		s := splitOnce(text)
		if of := splitOnce(texts["graph"]); cmp.Or(stage, "graph") != "graph" {
			s.once = append(of.once, s.once...)
		}
		return s, nil
	case isAlone && len(names) == 1 && stage == "":
		return splitOnce(alone), nil
	case len(names) == 0:
		return source{}, fmt.Errorf("the text is empty")
	case isAlone && len(names) == 1:
		return source{}, fmt.Errorf("the dump is of one stage: leave -stage out")
	case stage == "":
		stage = "graph"
	}
	return source{}, fmt.Errorf("the dump has no stage %s: it has %s", stage, strings.Join(names, ", "))
}

// splitOnce divides the text of a stage into what was computed once of constants and what each
// run computes.
func splitOnce(text string) source {
	const begin, middle = "// computed once of constants: ", "// at each run\n"
	rest, ok := strings.CutPrefix(text, begin)
	names, rest, _ := strings.Cut(rest, "\n")
	once, run, found := strings.Cut(rest, middle)
	if !ok || !found {
		return source{run: text}
	}
	return source{once: []onceText{{strings.Split(names, ", "), once}}, run: run}
}
