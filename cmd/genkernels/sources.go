package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// kernels returns the distinct kernels requested, sorted by signature, and settles the package.
func (t *tool) kernels() ([]kernel.Code, error) {
	switch {
	case t.builtin:
		return t.library("-builtin", "runtime/builtin")
	case t.portable:
		return t.library("-portable", "runtime/builtin/portable")
	case t.lines:
		if t.pkg == "" {
			return nil, errors.New("signatures from standard input need a package: add -pkg name")
		}
		text, err := io.ReadAll(t.stdin)
		if err != nil {
			return nil, err
		}
		return parseLines(string(text))
	}
	if t.from != nil {
		kernels, weights, err := t.readLocks()
		if err == nil && t.pkg == "" {
			err = t.findPackage()
		}
		t.weights = weights
		return kernels, err
	}
	text, err := t.discover()
	if err != nil {
		return nil, err
	}
	return parseLines(text)
}

// library returns the kernels of a package of this library.
func (t *tool) library(option, dir string) ([]kernel.Code, error) {
	if !strings.HasSuffix(filepath.ToSlash(t.out), dir) {
		return nil, fmt.Errorf("%s is for this library's own package %s, not %s", option, dir, t.out)
	}
	t.pkg = filepath.Base(t.out)
	return codegen.Builtins(), nil
}

// parseLines reads signatures, one per line. It ignores empty lines, # comments and text after a tab.
func parseLines(text string) ([]kernel.Code, error) {
	var out []kernel.Code
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		line, _, _ = strings.Cut(line, "\t")
		k, err := kernel.ParseCode(line)
		if err != nil {
			return nil, fmt.Errorf("signature %d: %w\n\t%s", n, err, line)
		}
		k, _ = kernel.Canonical(k)
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b kernel.Code) int { return strings.Compare(a.Signature(), b.Signature()) })
	return slices.CompactFunc(out, func(a, b kernel.Code) bool { return a.Signature() == b.Signature() }), nil
}

// withoutBuiltins drops the kernels that the library has anyway, generated or written by hand.
func withoutBuiltins(kernels []kernel.Code) []kernel.Code {
	builtin := map[string]bool{}
	for _, k := range codegen.Builtins() {
		builtin[k.Signature()] = true
	}
	return slices.DeleteFunc(slices.Clone(kernels), func(k kernel.Code) bool {
		m, micro := k.(*kernel.Micro)
		return builtin[k.Signature()] || micro && m.Kind.Written()
	})
}
