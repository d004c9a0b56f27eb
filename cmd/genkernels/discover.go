package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/stridefuse/stridefuse/codegen"
)

// userPackage is go list's description of the package that has the graphs.
type userPackage struct {
	Dir        string
	ImportPath string
	Name       string
	GoFiles    []string
	CgoFiles   []string
	Module     *struct{ Path string }
	Error      *struct{ Err string }
}

// discover runs the user's function and returns the signatures of the kernels that its programs use, one per line. Only
// building a graph tells which kernels it needs, so a program that exists only in an overlay calls the function.
func (t *tool) discover() (string, error) {
	temp, err := os.MkdirTemp("", "genkernels")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	o := &overlay{dir: temp, replace: map[string]string{}}
	if err := o.blank(t.dir, t.out); err != nil {
		return "", err
	}
	p, err := t.goList(o, ".")
	if err != nil {
		return "", err
	}
	if err := p.checkFunction(t.function); err != nil {
		return "", err
	}
	if err := t.settlePackage(o, p); err != nil {
		return "", err
	}
	return t.drive(o, p)
}

// findPackage finds the name of the package that gets the files for lock files.
func (t *tool) findPackage() error {
	temp, err := os.MkdirTemp("", "genkernels")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	o := &overlay{dir: temp, replace: map[string]string{}}
	if err := o.blank(t.dir, t.out); err != nil {
		return err
	}
	p := &userPackage{}
	if t.out == t.dir {
		if p, err = t.goList(o, "."); err != nil {
			return err
		}
	}
	return t.settlePackage(o, p)
}

// settlePackage finds the name of the package that gets the files.
func (t *tool) settlePackage(o *overlay, p *userPackage) error {
	if t.out == t.dir {
		t.pkg = p.Name
		return nil
	}
	t.pkg = filepath.Base(t.out)
	if files, _ := filepath.Glob(filepath.Join(t.out, "*.go")); len(files) == 0 {
		if !token.IsIdentifier(t.pkg) {
			return fmt.Errorf("%s can't be the name of a package: give -out another directory, or put a Go file into it", t.pkg)
		}
		return nil
	}
	q, err := t.goList(o, t.out)
	if err == nil {
		t.pkg = q.Name
	}
	return err
}

// goList describes the package in a directory.
func (t *tool) goList(o *overlay, dir string) (*userPackage, error) {
	var stdout, stderr bytes.Buffer
	cmd, err := t.goCommand(o, &stdout, "list", "-e", "-json=Dir,ImportPath,Name,GoFiles,CgoFiles,Module,Error", dir)
	if err != nil {
		return nil, err
	}
	cmd.Stderr = &stderr
	p := &userPackage{}
	if err := cmd.Run(); err != nil {
		p.Error = &struct{ Err string }{stderr.String()}
	} else if err := json.Unmarshal(stdout.Bytes(), p); err != nil {
		return nil, fmt.Errorf("BUG: go list: %w", err)
	}
	switch {
	case p.Error != nil && strings.Contains(p.Error.Err, "go.mod") || p.Error == nil && p.Module == nil:
		return nil, fmt.Errorf("%s is not in a module: run go mod init, then go get github.com/stridefuse/stridefuse", t.dir)
	case p.Error != nil && strings.Contains(p.Error.Err, "no Go files"):
		return nil, fmt.Errorf("no Go files in %s: run go generate in the package that has func %s", t.dir, t.function)
	case p.Error != nil && p.Name == "":
		return nil, errors.New(strings.TrimSpace(p.Error.Err))
	}
	return p, nil
}

// goCommand prepares a go command that sees the overlay. It builds for this machine, even if go generate is told
// another one.
func (t *tool) goCommand(o *overlay, stdout io.Writer, verb string, args ...string) (*exec.Cmd, error) {
	file, err := o.write()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", append([]string{verb, "-overlay", file}, args...)...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), "GOOS="+goruntime.GOOS, "GOARCH="+goruntime.GOARCH, "PWD="+t.dir)
	cmd.Stdout, cmd.Stderr = stdout, t.stderr
	return cmd, nil
}

// want is the function that the user has to write.
const want = "func %s() ([]*graph.Program, error)"

// checkFunction looks for the function, so that we can report a missing one better than the compiler would, which
// refers to a file that nobody can see.
func (p *userPackage) checkFunction(name string) error {
	ask := fmt.Sprintf(want, name)
	switch {
	case len(p.CgoFiles) > 0:
		return fmt.Errorf("%s uses cgo (%s): the go command takes no Go assembly beside it; move %s and the go:generate line to a package of their own",
			p.ImportPath, p.CgoFiles[0], name)
	case p.Name == "main":
		return fmt.Errorf("%s is package main, which can't be imported: move %s and the go:generate line to a package of their own", p.ImportPath, name)
	case !ast.IsExported(name):
		return fmt.Errorf("func %s must be exported to be called: rename it", name)
	}
	for _, file := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Name.Name != name || fn.Recv != nil {
				continue
			}
			if fn.Type.TypeParams != nil || fn.Type.Params.NumFields() > 0 {
				return fmt.Errorf("%s has parameters: write %s", name, ask)
			}
			return nil
		}
	}
	return fmt.Errorf("package %s has no func %s: write %s, or name another with -func", p.ImportPath, name, ask)
}

// overlay replaces files for the go command: it adds the driver and hides generated code that might be stale.
type overlay struct {
	dir     string // folder of the replacements
	count   int    // number of replacements
	replace map[string]string
}

// add puts content where path would be.
func (o *overlay) add(path, content string) error {
	o.count++
	file := filepath.Join(o.dir, fmt.Sprintf("%d%s", o.count, filepath.Ext(path)))
	o.replace[path] = file
	return os.WriteFile(file, []byte(content), 0o666)
}

// blank empties the generated files in directories. Go files keep their package clause, so that a package that has
// nothing else can still be imported.
func (o *overlay) blank(dirs ...string) error {
	for _, dir := range dirs {
		for _, name := range codegen.FileNames(codegen.DefaultPrefix) {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
			if err != nil || filepath.Ext(name) != ".go" {
				o.replace[path] = "" // hides the file
				continue
			}
			if err := o.add(path, "package "+f.Name.Name+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *overlay) write() (string, error) {
	text, err := json.Marshal(struct{ Replace map[string]string }{o.replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(o.dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o666)
}
