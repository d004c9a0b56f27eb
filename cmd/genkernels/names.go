package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/codegen"
)

// checkNames returns an error if the package declares a name that generated files use in another meaning, such as a
// type float32 or a variable math. Such files would not compile, or compute something else.
func checkNames(dir, pkg string, files []codegen.File) error {
	needed, err := namesNeeded(files)
	if err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if slices.Contains(codegen.FileNames(codegen.DefaultPrefix), filepath.Base(path)) {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil || f.Name.Name != pkg { // the compiler reports the mistake, or the file belongs to another package
			continue
		}
		for name, object := range f.Scope.Objects {
			if needed[name] {
				return fmt.Errorf("%s: the package declares %s, which generated files need with another meaning: rename it, or write them to a package of their own with -out",
					set.Position(object.Pos()), name)
			}
		}
	}
	return nil
}

// namesNeeded returns the names that generated files use from outside, including imports, and the names that they
// declare.
func namesNeeded(files []codegen.File) (map[string]bool, error) {
	needed := map[string]bool{}
	for _, file := range files {
		if filepath.Ext(file.Name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file.Name, file.Content, 0)
		if err != nil {
			return nil, fmt.Errorf("BUG: generated Go does not parse: %w", err)
		}
		for _, id := range f.Unresolved {
			needed[id.Name] = true
		}
		for _, i := range f.Imports {
			needed[importName(i)] = true
		}
		for name := range f.Scope.Objects {
			needed[name] = true
		}
	}
	return needed, nil
}

// importName returns the name of an import: its own, or the last part of its path.
func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	path, _ := strconv.Unquote(i.Path.Value)
	return filepath.Base(path)
}
