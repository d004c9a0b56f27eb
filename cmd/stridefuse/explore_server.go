//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/internal/progress"
)

const (
	exploreAddress    = "127.0.0.1:8377"
	mostQuestionBytes = 256 << 20 // bytes of a question, which may contain a model
	module            = "github.com/stridefuse/stridefuse"

	buildMinutes = 4 // on two cores
)

// explore serves the explorer, or writes it as a folder.
func (t *tool) explore(ctx context.Context) error {
	if len(t.out) > 0 {
		return t.writeExplorer(ctx, t.out[0])
	}
	address := t.arg
	if address == "" {
		address = exploreAddress
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: t.explorer(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(t.stdout, "the explorer is at http://%s (end it by Ctrl-C)\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// explorer returns the handler of the explorer's files and questions.
func (t *tool) explorer() http.Handler {
	mux := http.NewServeMux()
	files := explorerFiles()
	files["engine.js"] = []byte("// Questions are answered by the server of this page.\n")
	mux.HandleFunc("GET /{file...}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("file")
		if name == "" {
			name = "index.html"
		}
		content, ok := files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
	})
	mux.HandleFunc("POST /answer", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostQuestionBytes))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(t.answerText(r.Context(), text))
	})
	return http.NewCrossOriginProtection().Handler(mux) // a page of another origin can't ask
}

// writeExplorer writes the explorer with this command as WebAssembly, so that it needs no server. Go's own command
// builds it, in the module of the current directory.
func (t *tool) writeExplorer(ctx context.Context, folder string) error {
	built, err := os.MkdirTemp("", "stridefuse")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	wasm := filepath.Join(built, "stridefuse.wasm")
	fmt.Fprintf(t.stderr, "go build makes WebAssembly of this command: the first time in up to %d minutes, then in seconds\n", buildMinutes)
	building := progress.Begin(t.stderr, "go build")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", wasm, module+"/cmd/stridefuse")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	building.Stop()
	if err != nil {
		return fmt.Errorf("this command as WebAssembly: %w: run it in a module that has it as a tool (go get -tool %s/cmd/stridefuse)\n%s", err, module, out)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	files := explorerFiles()
	files["engine.js"] = engineScript(support, code)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			return err
		}
	}
	fmt.Fprintf(t.stdout, "open %s in a browser\n", filepath.Join(folder, "index.html"))
	return nil
}

// engineScript returns a script with a WebAssembly program in it, compressed, because a page from a file may not load
// other files.
func engineScript(support, wasm []byte) []byte {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	z.Write(wasm)
	z.Close()
	return fmt.Appendf(support, "\nconst stridefuseEngine = %q;\n", base64.StdEncoding.EncodeToString(packed.Bytes()))
}
