package runtime_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// sumText is the stage schedule of the dump of x+y.
const sumText = `nest sum arena=0 {
  %0 = param x 0  : f32[96,100]
  %1 = param y 1  : f32[96,100]
  %2 = result z 0 : f32[96,100]
  task 0 steps=0..0 scratch=0 work=86400 elems=9600 {
    $0 = buffer %0 : f32
    $1 = buffer %1 : f32
    $2 = buffer %2 : f32
    part [96/32] {
      call kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }
        rows=of(0) cols=100
        $0{3200}+0/100 $1{3200}+0/100 -> $2{3200}+0/100
    }
  }
}
`

// A schedule is text, which Program.Dump writes. It can be edited, here to blocks of 16 rows, and run: nothing is decided after it.
// The executor verifies what it runs, so an edit that would read or store outside of a buffer is an error.
func Example_editedSchedule() {
	edited := strings.NewReplacer("96/32", "96/16", "{3200}", "{1600}").Replace(sumText)
	e := &runtime.Executor{Verify: true}
	for _, text := range []string{edited, strings.Replace(edited, "-> $2{1600}", "-> $2{1700}", 1)} {
		n, err := nest.Parse(text)
		if err != nil {
			log.Fatal(err)
		}
		linked, err := e.Link(n)
		if err != nil {
			fmt.Println("refused:", strings.Contains(err.Error(), "task 0"))
			continue
		}
		x, y := tensor.Full(tensor.DTypeOf[float32](), 1, 96, 100), tensor.Full(tensor.DTypeOf[float32](), 2, 96, 100)
		outs := make([]*tensor.Tensor, 1)
		if err := linked.RunNew(context.Background(), outs, []*tensor.Tensor{x, y}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(outs[0].At(95, 99))
	}
	// Output:
	// 3 <nil>
	// refused: true
}
