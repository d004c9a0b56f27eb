// Package formula makes graphs of formulas that are text, in NumPy's notation:
//
//	y, err := formula.Parse("2*a + sqrt(b)/c", map[string]graph.Node{"a": a, "b": b, "c": c})
//
// A formula is one expression. What it means is what Python and NumPy 2 say:
//
//   - operators by their precedence, highest first: `**`; unary `+ - ~`; `* / // % @`;
//     binary `+ -`; `<< >>`; `&`; `^`; `|`; comparisons. So a > 0 & b is a > (0 & b).
//   - functions by name, sqrt(a), or as methods, (a*b + c).sum(0), with positional and
//     keyword arguments: a.mean(axis=(0, 1), keepdims=True). np. before a name changes nothing.
//   - subscripts: a[1:-1, ::2], a[..., None], a[0], and one array of indices, a[:, i].
//     .T, .ndim, .size and .shape.
//   - lists of numbers as arrays: c + [1, 2, 3], a[[2, 0]], take(c, [0, -1]).
//   - the constants pi, e, inf, nan, True and False; a name of the caller's comes before them.
//   - element types: operands of different types are converted as NumPy 2 does, and a number
//     takes the type of the array beside it. Conversions are Casts of the graph.
//
// Functions lists the functions. Where this library's numbers differ from NumPy's, in the
// order of a sum, the last bits of a function, or integers divided by 0, they are this library's.
// An integer to a negative power, which is an error in NumPy, is its reciprocal
// rounded towards 0: 2**i is 0 where i is negative. Numbers alone have 64 bits.
//
// Masks as subscripts (a[a > 0]) are an error, as the shape would depend on the elements, and
// so are assignments, and, or, not, conditional expressions and loops. A formula runs no code
// and reads no file. Parsing allocates memory in proportion to the text. Compile computes
// constant parts, and may take as much memory as they have.
package formula
