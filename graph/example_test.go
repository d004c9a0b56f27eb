package graph_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/stridefuse/stridefuse/graph"
)

// A program is built once and run on any number of rows.
func Example() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3) // n rows, any n
	mean := graph.Input("mean", graph.Float32, 3)
	scale := graph.Input("scale", graph.Float32, 3)
	z := x.Sub(mean).Div(scale.Add(1)).Clip(-2, 2) // nothing runs yet

	p, err := graph.Compile(z) // every mistake above comes out here, with its line
	if err != nil {
		log.Fatal(err)
	}
	data := []float32{1, 2, 3, 4, 5, 60}
	out, err := p.Run(context.Background(), graph.Of(data, 2, 3), graph.Of([]float32{1, 1, 1}), graph.Of([]float32{0, 1, 3}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output:
	// float32[2,3]
	// [[0.  0.5 0.5]
	//  [2.  2.  2. ]]
}

// A mistake sticks to its node, and comes out of Compile with its line.
func ExampleError() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	y := x.Sub(graph.Input("w", graph.Float32, 4)).Exp()
	_, err := graph.Compile(y, x.Add(0.5).And(1))
	fmt.Println(err)

	var mistake *graph.Error
	if errors.As(err, &mistake) {
		fmt.Println(mistake.Pos.Line, mistake.Op)
	}
	// Output:
	// example_test.go:39: sub: shapes [n,3] and [4] do not broadcast: axis 1 is 3 and 4
	// example_test.go:40: and: does not take float32: Cast to one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64
	// 39 sub
}

// Views are strides: none of these copies anything.
func ExampleNode_Slice() {
	x := graph.Const(graph.Arange(graph.Int32, 0, 12, 1)).Reshape(3, 4)
	p, err := graph.Compile(
		x.Slice("1:, ::-2").Mul(1),     // rows from 1 on, every other column from the last
		x.Slice("..., 0").Mul(1),       // the first column
		x.T().Slice("-1, None").Mul(1), // the last column, as a row
	)
	if err != nil {
		log.Fatal(err)
	}
	outs, err := p.RunAll(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, out := range outs {
		fmt.Println(out)
	}
	fmt.Println(p.Inputs(), p.Outputs())
	// Output:
	// int32[2,2]
	// [[ 7  5]
	//  [11  9]]
	// int32[3]
	// [0 4 8]
	// int32[1,3]
	// [[ 3  7 11]]
	// [] [out0 int32[2,2] out1 int32[3] out2 int32[1,3]]
}

// Slices of symbolic axes have symbolic extents, which a run checks.
func ExampleDim() {
	n := graph.Dim("n")
	x := graph.Input("x", graph.Float64, n)
	diff := x.Slice("1:").Sub(x.Slice(":-1"))
	pairs := x.Reshape(-1, 1).Add(x)
	fmt.Println(diff, pairs)

	p, err := graph.Compile(diff, pairs)
	if err != nil {
		log.Fatal(err)
	}
	for _, in := range []*graph.Tensor{graph.Of([]float64{1, 4, 9}), graph.Of([]float64{})} {
		outs, err := p.RunAll(context.Background(), in)
		fmt.Println(outs, err)
	}
	// Output:
	// sub: float64[n-1] add: float64[n,n]
	// [float64[2]
	// [3. 5.] float64[3,3]
	// [[ 2.  5. 10.]
	//  [ 5.  8. 13.]
	//  [10. 13. 18.]]] <nil>
	// [] example_test.go:87: slice: "1:": it begins at index 1 of axis 0, which has 0 elements, where n=0
}

// Named axes catch what shapes can't.
func ExampleAxis() {
	n := graph.Dim("n")
	img := graph.Input("img", graph.Float32, graph.Axis("row", n), graph.Axis("col", n))
	fmt.Println(img.Flip("col").Index("row", 0))
	fmt.Println(img.Add(img.T()))
	// Output:
	// index: float32[col=n]
	// example_test.go:114: add: axis 0 is "row" in one operand and "col" in another: Permute or rename one of them
}

func ExampleWhere() {
	x := graph.Input("x", graph.Int32, graph.Dim("n"))
	p, err := graph.Compile(graph.Where(x.Mod(2).Eq(0), x.FloorDiv(2), x.Mul(3).Add(1)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Run(context.Background(), graph.Of([]int32{7, 22, 11, 34, -1})))
	// Output:
	// int32[5]
	// [22 11 34 17 -2] <nil>
}

func ExampleWithoutBroadcast() {
	a, b := graph.Input("a", graph.Float32, 2, 3), graph.Input("b", graph.Float32, 3)
	_, err := graph.Compile(a.Mul(2).Add(b), graph.WithoutBroadcast())
	fmt.Println(err)
	_, err = graph.Compile(a.Mul(2).Add(b.BroadcastTo(2, 3)), graph.WithoutBroadcast())
	fmt.Println(err)
	// Output:
	// example_test.go:134: add: an operand of shape [3] would broadcast to [2,3], and WithoutBroadcast is set: BroadcastTo that shape
	// <nil>
}

// RunInto writes to given memory and allocates nothing.
func ExampleProgram_RunInto() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"))
	p, err := graph.Compile(x.Square().Sub(x), graph.WithName("step"))
	if err != nil {
		log.Fatal(err)
	}
	data := []float32{1, 2, 3}
	state := graph.Of(data)
	for range 3 {
		if err := p.RunInto(context.Background(), []*graph.Tensor{state}, state); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(data)
	// Output:
	// [0 2 870]
}

func ExampleProgram_Explain() {
	n := graph.Dim("n")
	x := graph.Input("x", graph.Float32, n, 4)
	w := graph.Const(graph.Ones(graph.Float32, 4))
	z := x.T().Flatten().Mul(2).Reshape(4, n).T().Sub(w).Tanh()
	p, err := graph.Compile(z, x.Reshape(-1, 2).T(), graph.WithName("demo"), graph.WithDebug(graph.Portable))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(p.Explain())
	fmt.Println(p.Copies(), "copy")
	// Output:
	// program demo
	//   hint    genkernels: step 0 calls several kernels; one generated kernel for each step spares about 12% of a run
	//   in      x float32[n,4]                                               // example_test.go:164
	//   const   const0 float32[4]                                            // example_test.go:165
	//   out     out0 float32[n,4]                                            // example_test.go:166
	//   out     out1 float32[2,2*n]                                          // example_test.go:167
	//   sizes   for example: n=1009
	//   step 0  3 ops over [1009,4]: elementwise/coalesced of 2 portable kernels, 1 operand packed (const0) // example_test.go:166
	//   98%     kernel (s0:f32, u1:f32, u2:f32) { t0 = mul s0 u1; t1 = sub t0 u2; t2 = tanh t1; store t2 }
	//           calls pack u32, kernel (u0:f32) { t0 = copy u0; store t0 }, kernel (u0:f32, s1:f32, u2:f32) { t0 = mul u0 s1; t1 = sub t0 u2; store t1 }, kernel (u0:f32) { t0 = tanh u0; store t0 }
	//   step 1  1 op over [2,2018]: elementwise/transposed, one portable kernel // example_test.go:167
	//   1.5%    kernel (u0:f32) { t0 = copy u0; store t0 }
	//   fused   mul, sub: 63.1 KiB not moved
	//   copied  copy, 31.5 KiB: step 1 copies x: a result has its own memory, and nothing computes this one // example_test.go:167
	//   moves   63.1 KiB; inputs and outputs once each are 47.3 KiB
	// 1 copy
}

func ExampleProgram_Dump() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	p, err := graph.Compile(x.Flip(1).Mul(1).Sqrt(), graph.WithName("roots"))
	if err != nil {
		log.Fatal(err)
	}
	for _, stage := range []string{"graph", "views", "kernels"} {
		if err := p.Dump(os.Stdout, stage); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// // input x : f32[n,3] // example_test.go:193
	// func roots(%x: f32[n,3]) {
	//   %0 = flip %x axes=[1] : f32[n,3] // example_test.go:194
	//   %1 = const 1          : f32[]    // example_test.go:194
	//   %2 = mul %0, %1       : f32[n,3] // example_test.go:194
	//   %3 = sqrt %2          : f32[n,3] // example_test.go:194
	//   return %3
	// }
	// // input x : f32[n,3] // example_test.go:193
	// func roots(%x: f32[1009,3]) {
	//   %0 = access %x {1009,3}:{3,-1}+2 : f32[1009,3] // example_test.go:194
	//   %3 = sqrt %0                     : f32[1009,3] // example_test.go:194
	//   return %3
	// }
	// kernel (u0:f32) { t0 = sqrt u0; store t0 }
}

// Bind is for loops that compute small things: the arguments are checked once.
func ExampleProgram_Bind() {
	x := graph.Input("x", graph.Float32, 4)
	p, err := graph.Compile(x.Mul(0.5).Add(1))
	if err != nil {
		log.Fatal(err)
	}
	data := []float32{0, 1, 2, 3}
	state := graph.Of(data)
	call, err := p.Bind([]*graph.Tensor{state}, state)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		if err := call.Run(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(data)
	// Output:
	// [1.5 1.75 2 2.25]
}
