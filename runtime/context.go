package runtime

import (
	"context"
	"unsafe"
)

// Calls of contexts. A context is code of the caller's: its Err method may panic, or end the goroutine that calls it. A panic becomes the
// error of the run, and so does the end of a worker of the pool. If the goroutine that called Run is ended, it ends after the
// workers have left the run.

// ContextError returns the error of a context, or an error for its panic.
func ContextError(ctx context.Context) error {
	if typeOf(&ctx) == typeOf(&background) {
		return nil
	}
	return ask(ctx)
}

// background is the context of most runs, which never ends. It is the only value of its type, so comparing types is enough: == would
// call a function for values without bytes.
var background = context.Background()

// typeOf returns the first word of an interface value.
func typeOf(ctx *context.Context) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(ctx)) }

func ask(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failf("the context panics: %v", p)
		}
	}()
	return ctx.Err()
}

// errEnded is the error of a run if one of its goroutines was ended.
var errEnded = failf("the context ended the goroutine that asked it")
