package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// A dump of all stages has a section for each stage, which begins with "# " and the name of the stage. A dump of one
// stage is only its text.

// level is the kind of a text.
type level string

// The levels that have parsers, by the first word of their text.
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

// unchanged is the text in a dump for a stage that changed nothing.
const unchanged = "// nothing changed"

// sections returns the text of each stage of a dump, and the names of the stages. A text without sections has one
// stage, named "".
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
	once  []onceText // texts of the values computed from constants before it, in order
	run   string
	level level
}

// onceText is the text of a program whose results are inputs of later programs.
type onceText struct {
	results []string // the names of those inputs
	text    string
}

// section returns the text of the named stage, or of the graph. The constants that the graph needs are also needed by
// later stages of its dump.
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

// splitOnce splits the text of a stage into the values computed once from constants, and what each run computes. It leaves
// out the captured tensors at the beginning.
func splitOnce(text string) source {
	const begin, middle = "// computed once of constants: ", "// at each run\n"
	for line := range strings.Lines(text) {
		if _, _, _, param := paramLine(line); !param {
			break
		}
		text = text[len(line):]
	}
	rest, ok := strings.CutPrefix(text, begin)
	names, rest, _ := strings.Cut(rest, "\n")
	once, run, found := strings.Cut(rest, middle)
	if !ok || !found {
		return source{run: text}
	}
	return source{once: []onceText{{strings.Split(names, ", "), once}}, run: run}
}
