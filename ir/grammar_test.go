package ir

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/ebnf"
)

// readGrammar reads grammar.ebnf, which must be a sound grammar.
func readGrammar(t require.TestingT) ebnf.Grammar {
	file, err := os.Open("grammar.ebnf")
	require.NoError(t, err)
	defer file.Close()
	g, err := ebnf.Parse("grammar.ebnf", file)
	require.NoError(t, err)
	require.NoError(t, ebnf.Verify(g, "Text"))
	return g
}

// maxExpansion is the depth at which random texts stop growing.
const maxExpansion = 24

// expander writes a random text of a grammar: choose(n) picks one of n.
type expander struct {
	grammar ebnf.Grammar
	choose  func(n int) int
	names   map[string][]string // likely texts of some tokens
	out     strings.Builder
}

// likelyNames makes texts that get past the names: of the tables.
func likelyNames() map[string][]string {
	names := map[string][]string{
		"word":  {"n", "m", "x", "y"},
		"index": {"%0", "%1", "%2"},
		"ref":   {"u0", "s0", "s1", "t0", "t1"},
		"dtype": {"f32", "f64", "i32", "bool", "f16"},
	}
	for _, op := range Ops() {
		if op != OpConst {
			names["op"] = append(names["op"], op.String())
		}
	}
	return names
}

// expand writes an expression; within a token nothing stands between its parts.
func (e *expander) expand(x ebnf.Expression, token bool, depth int) {
	switch x := x.(type) {
	case ebnf.Alternative:
		i := e.choose(len(x))
		if depth > maxExpansion {
			i = 0 // the first has no recursion
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

// parseAs holds what reads each text; production names are the keys.
var parseAs = map[string]func(s *scanner){
	"Func": func(s *scanner) {
		p := &parser{scanner: *s, f: &Func{}, values: map[string]*Value{}}
		p.parseFunc()
		p.end()
		*s = p.scanner
	},
	"Kernel": func(s *scanner) { s.kernel(); s.end() },
	"Plan":   func(s *scanner) { s.plan(&Plan{}); s.end() },
	"extent": func(s *scanner) { s.extent(); s.end() },
}

// checkGrammar expands a production and parses the text: with meanings
// overlooked there must be no error, and with them no syntax error.
func checkGrammar(t testing.TB, g ebnf.Grammar, start string, choose func(n int) int) (parsed bool) {
	e := &expander{grammar: g, choose: choose, names: likelyNames()}
	e.production(start, false, 0)
	text := e.out.String()
	s := &scanner{text: text, syntaxOnly: true}
	parseAs[start](s)
	require.NoError(t, s.err(), text)
	s = &scanner{text: text}
	parseAs[start](s)
	if s.bad != nil {
		require.False(t, s.bad.Syntax, "%v\n%s", s.bad, text)
	}
	return s.bad == nil
}

// TestGrammarTexts checks that the parser takes what the grammar makes.
func TestGrammarTexts(t *testing.T) {
	g := readGrammar(t)
	for start := range parseAs {
		random := rand.New(rand.NewPCG(1, uint64(start[0])))
		parsed := 0
		for range 3000 {
			if checkGrammar(t, g, start, random.IntN) {
				parsed++
			}
		}
		t.Logf("%s: %d of 3000 texts have a meaning", start, parsed)
		require.NotZero(t, parsed, start)
	}
}

// FuzzGrammar lets the fuzzer make the choices.
func FuzzGrammar(f *testing.F) {
	g := readGrammar(f)
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07"))
	f.Add([]byte(strings.Repeat("\x01\x03\x07\x05", 50)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, start := range []string{"Func", "Kernel", "Plan"} {
			rest := data
			checkGrammar(t, g, start, func(n int) int {
				if len(rest) == 0 {
					return 0
				}
				c := int(rest[0])
				rest = rest[1:]
				return c % n
			})
		}
	})
}

// TestExtentErrors checks that ParseDim refuses an extent of the grammar only
// for its size.
func TestExtentErrors(t *testing.T) {
	g := readGrammar(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		e := &expander{grammar: g, choose: random.IntN, names: likelyNames()}
		e.production("extent", false, 0)
		if _, err := ParseDim(e.out.String()); err != nil {
			require.Regexp(t, "does not fit an int|at most 1024", err.Error())
		}
	}
}

// matcher finds out whether a text is of a grammar: match returns every place
// where an expression that begins at a place can end.
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

// RequireInGrammar fails unless a text is of the grammar.
func RequireInGrammar(t require.TestingT, text string) {
	m := &matcher{grammar: readGrammar(t), text: text, memo: map[matchKey][]int{}}
	ends := m.production("Text", 0, false)
	rest := slices.ContainsFunc(ends, func(e int) bool { return strings.TrimSpace(text[e:]) == "" })
	require.True(t, rest, "not of the grammar:\n%s", text)
}

// TestParseErrorIs checks that callers can tell the two kinds of error.
func TestParseErrorIs(t *testing.T) {
	_, err := Parse("func f( {")
	var e *ParseError
	require.True(t, errors.As(err, &e) && e.Syntax)
}
