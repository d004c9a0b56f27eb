package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/embed"
	"github.com/stridefuse/stridefuse/x/embed/internal/tiny"
)

// start returns a server of the tiny model. Its batcher starts with run.
func start(t *testing.T, timeout time.Duration) (b *batcher, web *httptest.Server, run func()) {
	dir := t.TempDir()
	require.NoError(t, tiny.Write(dir, tiny.Parameters(), nil))
	model, err := embed.Open(dir, embed.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	b = newBatcher(model)
	web = httptest.NewServer(handler{b, timeout})
	var ended sync.WaitGroup
	t.Cleanup(func() {
		web.Close()
		cancel()
		ended.Wait()
		require.NoError(t, model.Close())
	})
	return b, web, func() { ended.Go(func() { b.run(ctx) }) }
}

func post(t *testing.T, url, body string) (int, string) {
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// TestConcurrent: many requests at once get the vectors that each text has alone.
func TestConcurrent(t *testing.T) {
	b, web, run := start(t, time.Minute)
	run()
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			texts := strings.Fields(strings.Repeat(fmt.Sprintf("the-%d world ", i), i%4+1))
			body, err := json.Marshal(texts)
			require.NoError(t, err)
			status, text := post(t, web.URL, string(body))
			require.Equal(t, 200, status, text)
			var rows [][]float32
			require.NoError(t, json.Unmarshal([]byte(text), &rows))
			want, err := b.model.Embed(context.Background(), texts)
			require.NoError(t, err)
			require.True(t, graph.Equal(want, graph.OfRows(rows)))
		})
	}
	wait.Wait()
}

// TestBatchesOfRequests: requests that wait form one batch, up to its size, without those whose callers have gone.
func TestBatchesOfRequests(t *testing.T) {
	b, _, run := start(t, time.Minute)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	answers := []chan answer{}
	for i, ctx := range []context.Context{context.Background(), gone, context.Background(), context.Background()} {
		r := &request{ctx, make([]string, 100), make(chan answer, 1)}
		r.texts[0] = fmt.Sprint(i)
		b.queue <- r
		answers = append(answers, r.done)
	}
	run()
	require.Len(t, (<-answers[0]).vectors, 100)
	require.Len(t, (<-answers[2]).vectors, 100)
	require.Len(t, (<-answers[3]).vectors, 100)
	require.Empty(t, answers[1])
}

// TestDeadline: a request that isn't computed in time gets an answer all the same.
func TestDeadline(t *testing.T) {
	_, web, _ := start(t, 10*time.Millisecond) // nothing is ever computed
	status, text := post(t, web.URL, `["the"]`)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "context deadline exceeded\n", text)
}

func TestRequestsThatAreWrong(t *testing.T) {
	_, web, run := start(t, time.Minute)
	run()
	for _, body := range []string{"", "[]", "{}", `"the"`, "[1]", `["the"`, "[" + strings.Repeat(`"",`, mostTexts) + `""]`, `["` + strings.Repeat("a", mostBytes) + `"]`} {
		status, text := post(t, web.URL, body)
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "want a JSON array of 1 to 256 texts, at most 1048576 bytes\n", text)
	}
	status, _ := post(t, web.URL, `[""]`)
	require.Equal(t, 200, status)
	answer, err := http.Get(web.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode)
}

// TestServe starts the program's server and stops it.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, tiny.Write(dir, tiny.Parameters(), nil))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, serve(ctx, dir, embed.Options{}, "localhost:0", time.Second))
	require.ErrorContains(t, serve(ctx, t.TempDir(), embed.Options{}, "localhost:0", time.Second), "config.json")
	require.Error(t, serve(ctx, dir, embed.Options{}, "localhost:-1", time.Second))
}
