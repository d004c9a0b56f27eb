package recipes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/stridefuse/stridefuse/graph"
)

// server answers requests of JSON rows with the outputs of a network. Any number of goroutines may run a program; a
// result returns to the pool of its batch size.
type server struct {
	program *graph.Program
	results sync.Map // of *sync.Pool by batch size
}

const features, classes, largestBatch = 4, 3, 512

// newServer compiles a network of two layers for batches of any size, and prepares the plans of expected sizes.
func newServer() (*server, error) {
	x := graph.Input("x", graph.Float32, graph.Dim("batch"), features)
	hidden := graph.Const(graph.Normal(graph.Float32, 1, 0, 1, features, 16))
	out := graph.Const(graph.Normal(graph.Float32, 2, 0, 1, 16, classes))
	p, err := graph.Compile(x.MatMul(hidden).ReLU().MatMul(out).Softmax(1), graph.WithPlans(largestBatch))
	if err != nil {
		return nil, err
	}
	for _, n := range []int{1, 8, 64} {
		if err := p.Prepare(context.Background(), map[string]int{"batch": n}); err != nil {
			return nil, err
		}
	}
	return &server{program: p}, nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
	defer cancel()
	var rows [][features]float32
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&rows)
	if n := len(rows); err != nil || n == 0 || n > largestBatch {
		http.Error(w, fmt.Sprintf("want 1 to %d rows of %d numbers", largestBatch, features), http.StatusBadRequest)
		return
	}
	flat := make([]float32, 0, features*len(rows))
	for _, row := range rows {
		flat = append(flat, row[:]...)
	}
	pool, _ := s.results.LoadOrStore(len(rows), &sync.Pool{New: func() any { return graph.New(graph.Float32, len(rows), classes) }})
	out := pool.(*sync.Pool).Get().(*graph.Tensor)
	defer pool.(*sync.Pool).Put(out)
	if err := s.program.RunInto(ctx, []*graph.Tensor{out}, graph.Of(flat, len(rows), features)); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, out)
}

// A network behind HTTP, asked for one row and for two.
func Example_serve() {
	s, err := newServer()
	check(err)
	web := httptest.NewServer(s)
	defer web.Close()
	for _, body := range []string{"[[1,2,3,4]]", "[[1,2,3,4],[4,3,2,1]]", "[]"} {
		answer, err := http.Post(web.URL, "application/json", strings.NewReader(body))
		check(err)
		text, err := io.ReadAll(answer.Body)
		check(err)
		answer.Body.Close()
		fmt.Printf("%d %s", answer.StatusCode, text)
	}
	// Output:
	// 200 float32[1,3]
	// [[0.00114675 0.64322954 0.3556237 ]]
	// 200 float32[2,3]
	// [[1.1467534e-03 6.4322966e-01 3.5562360e-01]
	//  [1.0341781e-06 9.9999118e-01 7.7702116e-06]]
	// 400 want 1 to 512 rows of 4 numbers
}
