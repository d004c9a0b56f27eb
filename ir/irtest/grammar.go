package irtest

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/ebnf"

	"github.com/stridefuse/stridefuse/ir"
)

//go:embed grammar.ebnf
var grammarText string

// ReadGrammar returns the grammar of all texts of the compiler.
func ReadGrammar(t require.TestingT) ebnf.Grammar {
	g, err := ebnf.Parse("grammar.ebnf", strings.NewReader(grammarText))
	require.NoError(t, err)
	require.NoError(t, ebnf.Verify(g, "Text"))
	return g
}

// RandomText writes a text of a production; choose(n) picks one of n.
func RandomText(g ebnf.Grammar, start string, choose func(n int) int) string {
	e := &expander{grammar: g, choose: choose, names: likelyNames()}
	e.production(start, false, 0)
	return e.out.String()
}

// maxExpansion is the depth at which random texts stop growing.
const maxExpansion = 24

// expander writes a random text of a grammar: choose(n) picks one of n.
type expander struct {
	grammar ebnf.Grammar
	choose  func(n int) int
	names   map[string][]string // likely texts for some tokens
	out     strings.Builder
}

// likelyNames has texts, from the tables, that parsers accept as names.
func likelyNames() map[string][]string {
	names := map[string][]string{
		"word":  {"n", "m", "x", "y"},
		"index": {"%0", "%1", "%2"},
		"ref":   {"u0", "s0", "s1", "t0", "t1"},
		"dtype": {"f32", "f64", "i32", "u32", "bool", "f16"},
		"slot":  {"$0", "$1"},
		"micro": {"pack", "transpose", "store_nt", "dot"},
	}
	for _, op := range ir.Ops() {
		if op != ir.OpConst {
			names["op"] = append(names["op"], op.String())
		}
	}
	return names
}

// expand writes an expression; within a token its parts are not separated.
func (e *expander) expand(x ebnf.Expression, token bool, depth int) {
	switch x := x.(type) {
	case ebnf.Alternative:
		i := e.choose(len(x))
		if depth > maxExpansion {
			i = 0 // the first alternative is not recursive
		}
		e.expand(x[i], token, depth+1)
	case ebnf.Sequence:
		for _, part := range x {
			e.expand(part, token, depth+1)
		}
	case *ebnf.Name:
		e.production(x.String, token, depth)
	case *ebnf.Token:
		e.write(x.String, token)
	case *ebnf.Range:
		lo, _ := utf8.DecodeRuneInString(x.Begin.String)
		hi, _ := utf8.DecodeRuneInString(x.End.String)
		e.write(string(lo+rune(e.choose(int(hi-lo)+1))), token)
	case *ebnf.Group:
		e.expand(x.Body, token, depth+1)
	case *ebnf.Option:
		if e.choose(2) == 1 && depth <= maxExpansion {
			e.expand(x.Body, token, depth+1)
		}
	case *ebnf.Repetition:
		for n := e.choose(4); n > 0 && depth <= maxExpansion; n-- {
			e.expand(x.Body, token, depth+1)
		}
	}
}

func (e *expander) production(name string, token bool, depth int) {
	if likely := e.names[name]; likely != nil && e.choose(8) > 0 {
		e.write(likely[e.choose(len(likely))], token)
		return
	}
	lexical := !unicode.IsUpper(rune(name[0]))
	e.expand(e.grammar[name].Expr, token || lexical, depth+1)
	if lexical && !token {
		e.out.WriteByte(' ')
	}
}

func (e *expander) write(text string, token bool) {
	e.out.WriteString(text)
	if !token {
		e.out.WriteByte(' ')
	}
}

// matcher finds out whether a text matches a grammar: match returns every offset at which an expression that begins at
// an offset can end.
type matcher struct {
	grammar ebnf.Grammar
	text    string
	memo    map[matchKey][]int
}

type matchKey struct {
	name  string
	at    int
	token bool
}

func (m *matcher) match(x ebnf.Expression, at int, token bool) []int {
	switch x := x.(type) {
	case ebnf.Alternative:
		var ends []int
		for _, y := range x {
			ends = append(ends, m.match(y, at, token)...)
		}
		return uniq(ends)
	case ebnf.Sequence:
		ends := []int{at}
		for _, y := range x {
			ends = m.matchAll(y, ends, token)
		}
		return ends
	case *ebnf.Name:
		return m.production(x.String, at, token)
	case *ebnf.Token:
		at = m.blanks(at, token)
		if strings.HasPrefix(m.text[at:], x.String) {
			return []int{at + len(x.String)}
		}
	case *ebnf.Range:
		at = m.blanks(at, token)
		c, size := utf8.DecodeRuneInString(m.text[at:])
		if s := string(c); size > 0 && x.Begin.String <= s && s <= x.End.String {
			return []int{at + size}
		}
	case *ebnf.Group:
		return m.match(x.Body, at, token)
	case *ebnf.Option:
		return uniq(append(m.match(x.Body, at, token), at))
	case *ebnf.Repetition:
		ends := []int{at}
		for last := ends; len(last) > 0; {
			last = slices.DeleteFunc(m.matchAll(x.Body, last, token), func(e int) bool { return slices.Contains(ends, e) })
			ends = append(ends, last...)
		}
		return uniq(ends)
	}
	return nil
}

func (m *matcher) matchAll(x ebnf.Expression, from []int, token bool) []int {
	var ends []int
	for _, at := range from {
		ends = append(ends, m.match(x, at, token)...)
	}
	return uniq(ends)
}

func (m *matcher) production(name string, at int, token bool) []int {
	key := matchKey{name, at, token}
	if ends, ok := m.memo[key]; ok {
		return ends
	}
	lexical := !unicode.IsUpper(rune(name[0]))
	from := at
	if lexical {
		from = m.blanks(at, token)
	}
	ends := m.match(m.grammar[name].Expr, from, token || lexical)
	m.memo[key] = ends
	return ends
}

func (m *matcher) blanks(at int, token bool) int {
	for !token && at < len(m.text) && m.text[at] == ' ' {
		at++
	}
	return at
}

func uniq(xs []int) []int {
	slices.Sort(xs)
	return slices.Compact(xs)
}

// RequireInGrammar fails unless a text matches the grammar.
func RequireInGrammar(t require.TestingT, text string) {
	m := &matcher{grammar: ReadGrammar(t), text: text, memo: map[matchKey][]int{}}
	ends := m.production("Text", 0, false)
	rest := slices.ContainsFunc(ends, func(e int) bool { return strings.TrimSpace(text[e:]) == "" })
	require.True(t, rest, "not of the grammar:\n%s", text)
}
