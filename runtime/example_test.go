package runtime_test

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime"
)

func ExampleOf() {
	data := []float32{1, 2, 3, 4, 5, 6}
	x, err := runtime.Of(data, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	data[0] = 10 // no copy was made
	fmt.Println(x)
	// Output:
	// float32[2,3]
	// [[10.  2.  3.]
	//  [ 4.  5.  6.]]
}

func ExampleTensor_Slice() {
	x, _ := runtime.Arange(ir.Int32, 0, 24, 1)
	x, _ = x.Reshape(2, 3, 4)
	y, err := x.Slice("1, ::-1, 1:3")
	fmt.Println(y, err)
	fmt.Println(y.Strides())
	// Output:
	// int32[3,2]
	// [[21 22]
	//  [17 18]
	//  [13 14]] <nil>
	// [-4 1]
}

func ExampleTensor_Reshape() {
	x, _ := runtime.Arange(ir.Int32, 0, 6, 1)
	x, _ = x.Reshape(2, -1)
	columns, _ := x.Transpose()
	_, err := columns.Flatten()
	fmt.Println(err)
	dense, _ := columns.Contiguous()
	fmt.Println(dense.Flatten())
	// Output:
	// reshape: int32[3,2] with strides [1 3] to [6] needs a copy: it joins axes 0 and 1, but stride 1 is not 2 times stride 3: call Contiguous first
	// int32[6]
	// [0 3 1 4 2 5] <nil>
}

func ExampleTensor_Expand() {
	row, _ := runtime.Of([]int32{1, 2, 3})
	x, _ := row.Expand(2, 3)
	_ = runtime.Set(x, int32(20), 0, 1) // both rows are the same memory
	fmt.Println(x)
	// Output:
	// int32[2,3]
	// [[ 1 20  3]
	//  [ 1 20  3]]
}

func ExampleTensor_RavelIndex() {
	x, _ := runtime.New(ir.Float32, 2, 3, 4)
	fmt.Println(x.Strides())
	fmt.Println(x.RavelIndex(1, 2, 1))
	fmt.Println(x.UnravelIndex(21))
	// Output:
	// [12 4 1]
	// 21 <nil>
	// [1 2 1] <nil>
}

func ExampleAll() {
	x, _ := runtime.Of([]float64{1, 2, 3, 4}, 2, 2)
	y, _ := x.T()
	elements, err := runtime.All[float64](y)
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
	x, _ := runtime.Of([]float32{1, -2})
	bits, _ := x.Bitcast(ir.Uint32)
	v, _ := runtime.At[uint32](bits, 1)
	fmt.Printf("%#x\n", v)
	// Output: 0xc0000000
}

func ExampleUniform() {
	x, _ := runtime.Uniform(ir.Float32, 1, 0, 1, 2, 3)
	fmt.Println(x)
	// Output:
	// float32[2,3]
	// [[0.02713432 0.4660212  0.3220791 ]
	//  [0.93258387 0.17911    0.66894865]]
}
