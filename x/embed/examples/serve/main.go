// Command serve answers requests for the vectors of texts.
//
//	go run ./examples/serve -model all-MiniLM-L6-v2 &
//	curl -d '["a cat", "a kitten", "a train"]' localhost:8080
//
// The body is a JSON array of texts. The answer is a JSON array of vectors in the same order. Requests that arrive while
// others are computed form a batch. A request that takes longer than -timeout gets status 503.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/stridefuse/stridefuse/x/embed"
)

const (
	mostBytes = 1 << 20 // of a request
	mostTexts = 256     // of a request and of a batch
)

func main() {
	dir := flag.String("model", "", "folder of the model")
	address := flag.String("address", "localhost:8080", "address to listen on")
	timeout := flag.Duration("timeout", time.Second, "time that a request may take")
	int8 := flag.Bool("int8", false, "store the matrices of the layers in 8 bits")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *dir, embed.Options{Int8Weights: *int8}, *address, *timeout); err != nil {
		log.Fatal(err)
	}
}

// serve answers requests until ctx ends, and then those that have come.
func serve(ctx context.Context, dir string, o embed.Options, address string, timeout time.Duration) error {
	model, err := embed.Open(dir, o)
	if err != nil {
		return err
	}
	defer model.Close()
	computing, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	b := newBatcher(model)
	go func() {
		b.run(computing)
		close(ended)
	}()
	defer func() { stop(); <-ended }()
	web := &http.Server{Addr: address, Handler: handler{b, timeout}, ReadTimeout: 10 * time.Second}
	answered := make(chan error, 1)
	go func() {
		<-ctx.Done()
		answered <- web.Shutdown(context.Background())
	}()
	if err := web.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-answered
}

func newBatcher(model *embed.Model) *batcher {
	return &batcher{model: model, most: mostTexts, queue: make(chan *request, 64)}
}

// handler answers a POST of texts.
type handler struct {
	*batcher
	timeout time.Duration
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), h.timeout)
	defer cancel()
	var texts []string
	switch err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostBytes)).Decode(&texts); {
	case r.Method != http.MethodPost:
		http.Error(w, "POST a JSON array of texts", http.StatusMethodNotAllowed)
		return
	case err != nil || len(texts) == 0 || len(texts) > mostTexts:
		http.Error(w, fmt.Sprintf("want a JSON array of 1 to %d texts, at most %d bytes", mostTexts, mostBytes), http.StatusBadRequest)
		return
	}
	vectors, err := h.embed(ctx, texts)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(vectors)
}
