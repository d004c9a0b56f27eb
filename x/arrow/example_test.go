package arrow_test

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/stridefuse/stridefuse/graph"
	sf "github.com/stridefuse/stridefuse/x/arrow"
)

// sales is a batch with a null and a dictionary.
func sales() arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "shop", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
		{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, shop := range []string{"north", "south", "north", "north"} {
		check(b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(shop))
	}
	b.Field(1).(*array.Float64Builder).AppendValues([]float64{2, 3, 0, 4}, []bool{true, true, false, true})
	return b.NewRecordBatch()
}

// The mean price of each shop, without nulls: a group is an index of the dictionary.
func Example_groups() {
	n := graph.Dim("n")
	shop, price, valid := graph.Input("shop", graph.Int32, n), graph.Input("price", graph.Float64, n), graph.Input("valid_price", graph.Bool, n)
	sums := graph.Where(valid, price, 0).SegmentSum(shop, 2)
	counts := valid.Cast(graph.Float64).SegmentSum(shop, 2)
	p, err := graph.Compile(sums.Div(counts))
	check(err)

	batch := sales()
	defer batch.Release()
	feeds, err := sf.Feeds(p, batch)
	check(err)
	out, err := p.RunNamed(context.Background(), feeds)
	check(err)
	fmt.Println(batch.Column(0).(*array.Dictionary).Dictionary(), out["out0"])
	// Output:
	// ["north" "south"] float64[2]
	// [3. 3.]
}

// The mean of each three prices in a row, of those that are not null.
func Example_rolling() {
	price, valid := graph.Input("price", graph.Float64, graph.Dim("n")), graph.Input("valid_price", graph.Bool, graph.Dim("n"))
	p, err := graph.Compile(graph.Where(valid, price, math.NaN()).Rolling(0, 3).MinPeriods(1).Mean())
	check(err)

	batch := sales()
	defer batch.Release()
	feeds, err := sf.Feeds(p, batch)
	check(err)
	out, err := p.RunNamed(context.Background(), feeds)
	check(err)
	fmt.Println(batch.Column(1), out["out0"])
	// Output:
	// [2 3 (null) 4] float64[2]
	// [2.5 3.5]
}

// Aggregates of each column of numbers.
func ExampleDescribe() {
	batch := sales()
	defer batch.Release()
	table := array.NewTableFromRecords(batch.Schema(), []arrow.RecordBatch{batch})
	defer table.Release()
	stats, err := sf.Describe(context.Background(), table)
	check(err)
	fmt.Printf("%+v\n", stats[0])
	// Output:
	// {Name:price Count:3 Nulls:1 Sum:9 Mean:3 Variance:0.6666666666666666 Min:2 Max:4}
}

// Aggregates of each group of rows.
func ExampleDescribeBy() {
	batch := sales()
	defer batch.Release()
	table := array.NewTableFromRecords(batch.Schema(), []arrow.RecordBatch{batch})
	defer table.Release()
	stats, err := sf.DescribeBy(context.Background(), table, "shop", "price")
	check(err)
	for shop, s := range stats[0] {
		fmt.Println(shop, s.Count, s.Nulls, s.Mean)
	}
	// Output:
	// 0 2 1 3
	// 1 1 0 3
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
