// Hardening attacks the library and measures how soon it stops.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	rounds := flag.Int("rounds", 41, "measurements of each latency")
	flag.Parse()
	if err := measureLatency(os.Stdout, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
