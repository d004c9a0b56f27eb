package plan_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/ebnf"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// parseAs holds what reads each text; production names are the keys.
var parseAs = map[string]func(s *ir.Scanner){
	"Func":   func(s *ir.Scanner) { s.Func(); s.End() },
	"Kernel": func(s *ir.Scanner) { kernel.Scan(s); s.End() },
	"Plan":   func(s *ir.Scanner) { plan.Read(s); s.End() },
	"extent": func(s *ir.Scanner) { s.Extent(); s.End() },
}

// checkGrammar expands a production and parses the text: with meanings
// overlooked there must be no error, and with them no syntax error.
func checkGrammar(t testing.TB, g ebnf.Grammar, start string, choose func(n int) int) (parsed bool) {
	text := irtest.RandomText(g, start, choose)
	s := &ir.Scanner{Text: text, SyntaxOnly: true}
	parseAs[start](s)
	require.NoError(t, s.Err(), text)
	s = ir.NewScanner(text)
	parseAs[start](s)
	if s.Bad != nil {
		require.False(t, s.Bad.Syntax, "%v\n%s", s.Bad, text)
	}
	return s.Bad == nil
}

// TestGrammarTexts checks that the parser takes what the grammar makes.
func TestGrammarTexts(t *testing.T) {
	g := irtest.ReadGrammar(t)
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
	g := irtest.ReadGrammar(f)
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
	g := irtest.ReadGrammar(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		if _, err := ir.ParseDim(irtest.RandomText(g, "extent", random.IntN)); err != nil {
			require.Regexp(t, "does not fit an int|at most 1024", err.Error())
		}
	}
}

// TestParseErrorIs checks that callers can tell the two kinds of error.
func TestParseErrorIs(t *testing.T) {
	_, err := ir.Parse("func f( {")
	var e *ir.ParseError
	require.True(t, errors.As(err, &e) && e.Syntax)
}
