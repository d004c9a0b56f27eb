package tensor_test

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

func ExampleOf() {
	data := []float32{1, 2, 3, 4, 5, 6}
	x := tensor.Of(data, 2, 3)
	data[0] = 10 // no copy was made
	fmt.Println(x)
	// Output:
	// float32[2,3]
	// [[10.  2.  3.]
	//  [ 4.  5.  6.]]
}

func ExampleScalarOf() {
	fmt.Println(tensor.ScalarOf(2.5))
	// Output: float64[] 2.5
}

// Calls chain: the first mistake sticks, with its line.
func ExampleTensor_Err() {
	x := tensor.Arange(ir.Int32, 0, 12, 1).
		Reshape(5, -1). // 12 is no multiple of 5
		T()
	fmt.Println(x.Err())
	// Output: example_test.go:30: reshape: int32[12] to [5,-1]: 12 elements do not fit a shape of 5
}

func ExampleTensor_Slice() {
	x := tensor.Arange(ir.Int32, 0, 24, 1).Reshape(2, 3, 4)
	y := x.Slice("1, ::-1, 1:3")
	fmt.Println(y)
	fmt.Println(y.Strides())
	// Output:
	// int32[3,2]
	// [[21 22]
	//  [17 18]
	//  [13 14]]
	// [-4 1]
}

func ExampleTensor_Reshape() {
	columns := tensor.Arange(ir.Int32, 0, 6, 1).Reshape(2, -1).T()
	fmt.Println(columns.Flatten())
	fmt.Println(columns.Contiguous().Flatten())
	// Output:
	// failed tensor: example_test.go:51: reshape: int32[3,2] with strides [1 3] to [6] needs a copy: it joins axes 0 and 1, but stride 1 is not 2 times stride 3: call Contiguous first
	// int32[6]
	// [0 3 1 4 2 5]
}

func ExampleTensor_Expand() {
	x := tensor.Of([]int32{1, 2, 3}).Expand(2, 3)
	if err := tensor.Set(x, int32(20), 0, 1); err != nil { // both rows are the same memory
		fmt.Println(err)
	}
	fmt.Println(x)
	// Output:
	// int32[2,3]
	// [[ 1 20  3]
	//  [ 1 20  3]]
}

func ExampleTensor_RavelIndex() {
	x := tensor.New(ir.Float32, 2, 3, 4)
	fmt.Println(x.Strides())
	fmt.Println(x.RavelIndex(1, 2, 1))
	fmt.Println(x.UnravelIndex(21))
	// Output:
	// [12 4 1]
	// 21 <nil>
	// [1 2 1] <nil>
}

func ExampleAll() {
	x := tensor.Of([]float64{1, 2, 3, 4}, 2, 2)
	elements, err := tensor.All[float64](x.T())
	if err != nil {
		fmt.Println(err)
		return
	}
	for v := range elements {
		fmt.Print(v, " ")
	}
	// Output: 1 3 2 4
}

func ExampleTensor_Bitcast() {
	bits := tensor.Of([]float32{1, -2}).Bitcast(ir.Uint32)
	v, err := tensor.At[uint32](bits, 1)
	fmt.Printf("%#x %v\n", v, err)
	// Output: 0xc0000000 <nil>
}

func ExampleUniform() {
	fmt.Println(tensor.Uniform(ir.Float32, 1, 0, 1, 2, 3))
	// Output:
	// float32[2,3]
	// [[0.02713432 0.4660212  0.3220791 ]
	//  [0.93258387 0.17911    0.66894865]]
}
