package nest_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/ebnf"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// checkGrammar expands a program of the grammar and parses it: with meanings overlooked
// there must be no error, and with them no syntax error.
func checkGrammar(t testing.TB, g ebnf.Grammar, choose func(n int) int) (parsed bool) {
	text := irtest.RandomText(g, "Nest", choose)
	s := &ir.Scanner{Text: text, SyntaxOnly: true}
	nest.Scan(s)
	require.NoError(t, s.Err(), text)
	s = ir.NewScanner(text)
	nest.Scan(s)
	if s.Bad != nil {
		require.False(t, s.Bad.Syntax, "%v\n%s", s.Bad, text)
	}
	return s.Bad == nil
}

// TestGrammarTexts checks that the parser takes what the grammar makes.
func TestGrammarTexts(t *testing.T) {
	g := irtest.ReadGrammar(t)
	random := rand.New(rand.NewPCG(1, 2))
	parsed := 0
	for range 3000 {
		if checkGrammar(t, g, random.IntN) {
			parsed++
		}
	}
	t.Logf("%d of 3000 texts have a meaning", parsed)
	require.NotZero(t, parsed)
}

// FuzzGrammar lets the fuzzer make the choices.
func FuzzGrammar(f *testing.F) {
	g := irtest.ReadGrammar(f)
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07"))
	f.Add([]byte(strings.Repeat("\x01\x03\x07\x05", 50)))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkGrammar(t, g, func(n int) int {
			if len(data) == 0 {
				return 0
			}
			c := int(data[0])
			data = data[1:]
			return c % n
		})
	})
}
