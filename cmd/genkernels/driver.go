package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// driver is a program that writes the signatures, or a line that starts with driverError, to the file that its argument
// names. So the function's own output to the terminal does not mix with them.
const driver = `// Package main is made by genkernels and exists in no directory.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	user %[1]q
)

func main() {
	out, err := os.Create(os.Args[1])
	if err == nil {
		_, err = out.WriteString(report())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func report() string {
	var programs []*graph.Program
	var err error
	switch f := any(user.%[2]s).(type) {
	case func() ([]*graph.Program, error):
		programs, err = f()
	case func() []*graph.Program:
		programs = f()
	default:
		return fmt.Sprintf("%[3]s%[2]s is a %%T: write %[4]s", f)
	}
	if err != nil {
		return fmt.Sprintf("%[3]s%[2]s returned an error: %%v", err)
	}
	var lines []string
	for i, p := range programs {
		if p == nil {
			return fmt.Sprintf("%[3]sprogram %%d of %[2]s is nil: was an error of graph.Compile dropped?", i)
		}
		lines = append(lines, p.Kernels()...)
	}
	return strings.Join(append(lines, "%[5]s"), "\n")
}
`

const (
	driverError = "error: "
	driverEnd   = "# end"
)

// drive runs the driver and returns what it wrote.
func (t *tool) drive(o *overlay, p *userPackage) (string, error) {
	// below the user's package, which may therefore be internal
	dir := filepath.Join(p.Dir, "zkernels_driver")
	text := fmt.Sprintf(driver, p.ImportPath, t.function, driverError, fmt.Sprintf(want, t.function), driverEnd)
	if err := o.add(filepath.Join(dir, "main.go"), text); err != nil {
		return "", err
	}
	result := filepath.Join(o.dir, "signatures")
	cmd, err := t.goCommand(o, t.stderr, "run", "./zkernels_driver", result)
	if err != nil {
		return "", err
	}
	runErr := cmd.Run()
	report, err := os.ReadFile(result)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("package %s does not build; the compiler's messages are above", p.ImportPath)
	case err != nil:
		return "", err
	case strings.HasPrefix(string(report), driverError):
		return "", errors.New(strings.TrimPrefix(string(report), driverError))
	case !strings.HasSuffix(string(report), driverEnd):
		return "", fmt.Errorf("%s ended before it returned (%v); its output is above", t.function, runErr)
	}
	return string(report), nil
}
