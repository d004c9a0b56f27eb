package irtest

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Main runs the tests of a package, which its TestMain calls, with n random cases for each rapid.Check instead of 100. Every run has other
// cases. With -long or -rapid.checks there are as many as these flags say.
func Main(m *testing.M, n int) {
	flag.Parse()
	Draws(n)
	os.Exit(m.Run())
}

// Draws has rapid.Check try n cases from now on, unless -long or -rapid.checks is set. It returns a function that undoes it.
func Draws(n int) (undo func()) {
	if given("long") || given("rapid.checks") {
		return func() {}
	}
	checks := flag.Lookup("rapid.checks").Value
	before := checks.String()
	set := func(to string) {
		if err := checks.Set(to); err != nil {
			panic(err)
		}
	}
	set(strconv.Itoa(n))
	return func() { set(before) }
}

// given reports whether the command line sets a flag.
func given(name string) (is bool) {
	flag.Visit(func(f *flag.Flag) { is = is || f.Name == name && f.Value.String() != "false" })
	return is
}
