// The differential run: each kernel's assembly against its meaning, bit for bit. A test
// of codegen/avo copies this beside the assembly, stubs and kernels.json, the kernels'
// signatures, that it writes.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// Frame is a type of this package, for the assembly's declarations.
type Frame abi.Frame

// compiled is a kernel for an engine: a func(*Frame), or func(*abi.Frame) if it is portable.
type compiled struct {
	engine abi.Engine
	fn     any
}

const page = 4096

// arenas are memory between pages that fault, by operand and number of pages.
var arenas = map[[2]int][]byte{}

func arena(operand, pages int) []byte {
	key := [2]int{operand, pages}
	if arenas[key] == nil {
		all, err := syscall.Mmap(-1, 0, (pages+2)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		check(err)
		check(syscall.Mprotect(all[:page], syscall.PROT_NONE))
		check(syscall.Mprotect(all[(pages+1)*page:], syscall.PROT_NONE))
		arenas[key] = all[page : (pages+1)*page]
	}
	return arenas[key]
}

// place puts an operand at the start or the end of its pages, which fault outside, or
// anywhere.
func place(rng *rand.Rand, operand, span int) (mem []byte, at int) {
	pages := 1
	for pages*page < span {
		pages *= 2
	}
	mem = arena(operand, pages)
	room := len(mem) - span
	return mem, []int{0, room, rng.IntN(room + 1)}[rng.IntN(3)]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	data, err := os.ReadFile("kernels.json")
	check(err)
	var sigs []string
	check(json.Unmarshal(data, &sigs))
	bad, cases := 0, [abi.NumEngines]int{}
	for i, sig := range sigs {
		c, err := kernel.ParseCode(sig)
		check(err)
		var forms []kerneltest.Form
		var engines []abi.Engine
		for _, k := range kernels[i] {
			if k.engine > abi.Best() { // built, but not run on this processor
				continue
			}
			run, ok := k.fn.(func(*abi.Frame))
			if !ok {
				run = func(frame *abi.Frame) { k.fn.(func(*Frame))((*Frame)(frame)) }
			}
			forms, engines = append(forms, kerneltest.Form{Name: k.engine.String(), Call: run}), append(engines, k.engine)
		}
		n, err := kerneltest.Check(c, uint64(i), place, forms...)
		for _, e := range engines {
			cases[e] += n
		}
		if err != nil && bad < 20 {
			bad++
			fmt.Printf("%s\n    %s: %v\n", sig, codegen.Symbol(c), err)
		}
	}
	for e, n := range cases {
		fmt.Printf("%s: %d calls\n", abi.Engine(e), n)
	}
	fmt.Printf("%d kernels, %d failed, the best engine here is %s\n", len(sigs), bad, abi.Best())
	if bad > 0 {
		os.Exit(1)
	}
}
