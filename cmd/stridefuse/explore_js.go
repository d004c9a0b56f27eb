package main

import (
	"context"
	"syscall/js"
)

// explore answers the questions of the page that runs this program: the global function stridefuseAnswer takes a question
// in JSON and returns the answer's.
func (t *tool) explore(ctx context.Context) error {
	js.Global().Set("stridefuseAnswer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		question := args[0].String()
		start := js.FuncOf(func(_ js.Value, settle []js.Value) any {
			go func() { settle[0].Invoke(string(t.answerText(ctx, []byte(question)))) }()
			return nil
		})
		defer start.Release() // Promise has called it
		return js.Global().Get("Promise").New(start)
	}))
	<-ctx.Done()
	return nil
}
