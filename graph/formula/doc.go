// Package formula makes graphs from formulas in NumPy's notation:
//
//	y, err := formula.Parse("2*a + sqrt(b)/c", map[string]graph.Node{"a": a, "b": b, "c": c})
//
// A formula is one expression with the meaning that Python and NumPy 2 give it:
//
//   - operators by their precedence, highest first: `**`; unary `+ - ~`; `* / // % @`;
//     binary `+ -`; `<< >>`; `&`; `^`; `|`; comparisons. So a > 0 & b is a > (0 & b).
//   - functions by name, sqrt(a), or as methods, (a*b + c).sum(0), with positional and
//     keyword arguments: a.mean(axis=(0, 1), keepdims=True). np. or np.linalg. before a name
//     changes nothing. An element type is a function too: float32(i), and so is i.astype('f4').
//   - subscripts: a[1:-1, ::2], a[..., None], a[0], and one array of indices, a[:, i].
//     .T, .ndim, .size and .shape.
//   - lists as arrays: c + [1, 2, 3], a[[2, 0]], take(c, [0, -1]), and [a, b], whose slices
//     are a and b.
//   - the constants pi, e, inf, nan, True and False; the caller's names shadow them.
//   - element types: operands of different types are converted as in NumPy 2, and a number
//     takes the type of the array beside it. Conversions are Casts of the graph.
//
// Functions lists the functions. Some numbers are this library's rather than NumPy's: the order of a sum, the last bits
// of a function, integers divided by 0. An integer to a negative power, an error in NumPy, is its reciprocal rounded
// towards 0: 2**i is 0 where i is negative. Arithmetic on numbers without arrays has 64 bits.
//
// Errors are masks as subscripts (a[a > 0]), because their shape would depend on the elements, assignments, and, or,
// not, conditional expressions and loops. A formula runs no code and reads no file. Parsing allocates memory in
// proportion to the text. Compile computes constant parts, and may need as much memory as they have.
package formula
