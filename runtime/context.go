package runtime

import (
	"context"
	"unsafe"
)

// Looking at contexts. A context is code of the caller's: it may panic, or end the
// goroutine that calls its Err method. A panic is the error of the run. What ends a worker of the pool
// is too; what ends the goroutine that called Run ends that goroutine, once the workers
// have left the run.

// ContextError returns the error of a context, or its panic as one.
func ContextError(ctx context.Context) error {
	if typeOf(&ctx) == typeOf(&background) {
		return nil
	}
	return ask(ctx)
}

// background is the context of most runs, which never ends. It is the only value of its type,
// so that the types alone are compared: == would call a function for values of no bytes.
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

// errEnded is the error of a run one of whose goroutines was ended from inside.
var errEnded = failf("the context ended the goroutine that asked it")
