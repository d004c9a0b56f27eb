// Search finds the words whose embeddings are most similar to those of given words, by matrix products and their
// greatest elements. The corpus is a file that need not fit into memory. The default corpus has the 500 most frequent
// English words.
//
//	go run ./examples/search
//	node examples/search/fetch.mjs corpus    # 341,479 words, 137 MB
//	go run ./examples/search -corpus corpus -words copper,oboe,glacier -memory 16
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/examples/internal/rate"
	"github.com/stridefuse/stridefuse/examples/search/nearest"
	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

//go:embed sample
var sample embed.FS // made by fetch.mjs

const best = 6 // the first is the word itself

func main() {
	corpus := flag.String("corpus", "", "a `folder` with corpus.npy and words.txt (default: a sample)")
	words := flag.String("words", "president,war,year,city", "for which similar ones are sought")
	memory := flag.Int("memory", 16, "MB")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *corpus, strings.Split(*words, ","), *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, corpus string, asked []string, memory int) error {
	if corpus == "" {
		folder, err := os.MkdirTemp("", "search")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		if err := os.CopyFS(folder, sample); err != nil {
			return err
		}
		corpus = filepath.Join(folder, "sample")
	}
	text, err := os.ReadFile(filepath.Join(corpus, "words.txt"))
	if err != nil {
		return err
	}
	words, file := strings.Fields(string(text)), filepath.Join(corpus, "corpus.npy")
	queries, err := embeddings(file, words, asked)
	if err != nil {
		return err
	}
	p, err := nearest.Program(queries.Extent(1), len(asked), best)
	if err != nil {
		return err
	}
	var last stream.Progress
	job := stream.Job{
		Program: p, Memory: memory, Progress: func(p stream.Progress) { last = p },
		Inputs: map[string]stream.Source{"corpus": stream.File(file), "queries": stream.Memory(queries)},
	}
	begun := time.Now()
	out, err := job.Run(ctx)
	if err != nil {
		return err
	}
	took := time.Since(begun)
	if err := show(w, words, asked, out); err != nil {
		return err
	}
	return rate.Print(ctx, w, last.Read, took, file)
}

// embeddings returns the rows of a file for some words.
func embeddings(file string, words, asked []string) (*graph.Tensor, error) {
	f, err := npy.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Tensor.Rank() != 2 || f.Tensor.Extent(0) != len(words) {
		return nil, fmt.Errorf("%s: an array of shape %v for %d words", file, f.Tensor.Shape(), len(words))
	}
	queries := graph.New(graph.Float32, len(asked), f.Tensor.Extent(1))
	for i, word := range asked {
		at := slices.Index(words, word)
		if at < 0 {
			return nil, fmt.Errorf("the corpus has no word %q", word)
		}
		if err := graph.Copy(queries.Index(0, i), f.Tensor.Index(0, at)); err != nil {
			return nil, err
		}
	}
	return queries, nil
}

// show prints a line for each word: the most similar ones with their cosines.
func show(w io.Writer, words, asked []string, out map[string]*graph.Tensor) error {
	places, err := graph.Data[int64](out["places"])
	if err != nil {
		return err
	}
	cosines, err := graph.Data[float32](out["cosines"])
	if err != nil {
		return err
	}
	for i, word := range asked {
		fmt.Fprintf(w, "%s:", word)
		for k := 1; k < best; k++ {
			at := k*len(asked) + i
			fmt.Fprintf(w, " %s %.2f", words[places[at]], cosines[at])
		}
		fmt.Fprintln(w)
	}
	return nil
}
