"""The Python array API over package graph: each function sends its arguments to a Go process, which evaluates it.

The signatures are those of the standard's stubs (array_api_stubs on PYTHONPATH). A function exists here if the Go
process lists its name. Arrays are kept as NumPy arrays between calls; NumPy computes nothing but constants.
"""

import collections, importlib, inspect, json, math, operator, os, subprocess, sys, types
import numpy as np

__array_api_version__ = "2025.12"
__version__ = "0"

_go = subprocess.Popen([os.environ["STRIDEFUSE_ARRAYAPI"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


class Error(ValueError, IndexError):
    """An error of the Go process."""


class DType:
    """An element type."""

    def __init__(self, name):
        self.name, self.np = name, np.dtype(name)
        self.kind = self.np.kind  # b, i, u, f or c

    def __repr__(self):
        return self.name

    def __eq__(self, other):
        return isinstance(other, DType) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


DTYPES = {name: DType(name) for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()}
CONSTANTS = dict(e=math.e, inf=math.inf, nan=math.nan, pi=math.pi, newaxis=None)

SCALARS = {bool: "b", int: "biufc", float: "fc", complex: "c"}  # the kinds of arrays beside which a Python number may stand


def _number(value, like):
    """A Python number as an array: of the type of the array beside it."""
    if isinstance(value, Array) or value is None:
        return value
    kind = type(value) if type(value) in SCALARS else float
    if like is None:
        return Array(np.asarray(value, {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[kind]))
    if like.dtype.kind not in SCALARS[kind] or (kind is int and like.dtype.kind == "b"):
        raise TypeError(f"{value!r} beside an array of {like.dtype}")
    return Array(np.asarray(value, like.dtype.np))


def _send(op, args):
    """Evaluates an op: arrays are sent as bytes, in the order in which they occur."""
    arrays = []

    def encode(v):
        if isinstance(v, Array):
            arrays.append(v._a)
            return {"array": len(arrays) - 1}
        if isinstance(v, DType):
            return v.name
        if isinstance(v, (list, tuple)):
            return [encode(x) for x in v]
        if isinstance(v, slice):
            return {"slice": [None if i is None else operator.index(i) for i in (v.start, v.stop, v.step)]}
        if v is Ellipsis:
            return "..."
        if isinstance(v, float) and not math.isfinite(v):
            return str(v)
        return int(v) if isinstance(v, np.integer) else v

    encoded = {k: encode(v) for k, v in args.items()}
    head = {"op": op, "args": encoded, "arrays": [{"dtype": a.dtype.name, "shape": a.shape} for a in arrays]}
    _go.stdin.write(json.dumps(head).encode() + b"\n" + b"".join(a.tobytes() for a in arrays))
    _go.stdin.flush()
    reply = json.loads(_go.stdout.readline())
    if reply.get("error"):
        raise Error(f"{op}: {reply['error']}")
    outs = []
    for o in reply["arrays"] or []:
        dt = np.dtype(o["dtype"])
        n = math.prod(o["shape"]) * dt.itemsize
        outs.append(Array(np.frombuffer(bytearray(_go.stdout.read(n)), dt).reshape(o["shape"])))
    return reply.get("value"), outs, reply.get("many")


def _evaluate(op, args):
    value, outs, many = _send(op, args)
    if value is not None:
        return value
    return tuple(outs) if many else outs[0]


class Array:
    """An array whose elements are computed by Go."""

    def __init__(self, a):
        self._a = a

    dtype = property(lambda x: DTYPES[x._a.dtype.name])
    shape = property(lambda x: x._a.shape)
    ndim = property(lambda x: x._a.ndim)
    size = property(lambda x: x._a.size)
    T = property(lambda x: _functions["permute_dims"](x, (1, 0)))
    mT = property(lambda x: _functions["matrix_transpose"](x))

    def __array_namespace__(self, *, api_version=None):
        return sys.modules[__name__]

    def __repr__(self):
        return f"Array({self._a!r})"

    def _scalar(self, kind):
        if self.ndim != 0:
            raise TypeError(f"an array of shape {self.shape} is no {kind.__name__}")
        if kind is int and self.dtype.kind == "c" or kind is float and self.dtype.kind == "c":
            raise TypeError(f"{self.dtype} is no {kind.__name__}")
        return kind(self._a[()])

    def __bool__(self):
        return self._scalar(bool)

    def __int__(self):
        return self._scalar(int)

    def __float__(self):
        return self._scalar(float)

    def __complex__(self):
        return self._scalar(complex)

    def __index__(self):
        if self.dtype.kind not in "iu":
            raise TypeError(f"{self.dtype} is no index")
        return self._scalar(int)

    def _place(self, key):
        """The key of one element, which needs no program, or None."""
        key = key if isinstance(key, tuple) else (key,)
        if len(key) == self.ndim > 0 and all(type(k) is int and -n <= k < n for k, n in zip(key, self.shape)):
            return key

    def __getitem__(self, key):
        if self._place(key):
            return Array(np.asarray(self._a[self._place(key)]))
        return _evaluate("getitem", {"x": self, "key": list(key) if isinstance(key, tuple) else [key]})

    def __setitem__(self, key, value):
        value = _number(value, self)
        if self._place(key) and value.ndim == 0 and value.dtype == self.dtype:
            self._a[self._place(key)] = value._a
            return
        value = _functions["astype"](value, self.dtype)
        self._a[...] = _evaluate("setitem", {"x": self, "key": list(key) if isinstance(key, tuple) else [key], "value": value})._a


OPERATORS = dict(add="add", sub="subtract", mul="multiply", truediv="divide", floordiv="floor_divide", mod="remainder", pow="pow",
                 matmul="matmul", lshift="bitwise_left_shift", rshift="bitwise_right_shift", eq="equal", ne="not_equal", lt="less",
                 le="less_equal", gt="greater", ge="greater_equal")
OPERATORS.update({"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"})


def _operators(name, function):
    of = lambda x, y: _functions[function](x, y)
    if name in ("and", "or", "xor"):
        of = lambda x, y: _functions[("logical_" if x.dtype.kind == "b" else "bitwise_") + name](x, y)

    def forward(self, other):
        return of(self, _number(other, self)) if isinstance(other, (Array, bool, int, float, complex)) else NotImplemented

    def reflected(self, other):
        return of(_number(other, self), self) if isinstance(other, (Array, bool, int, float, complex)) else NotImplemented

    def in_place(self, other):
        y = forward(self, other)
        if y is NotImplemented:
            return y
        if y.dtype != self.dtype or y.shape != self.shape:
            raise TypeError(f"a result of {y.dtype}{y.shape} in an array of {self.dtype}{self.shape}")
        self._a = y._a
        return self

    for prefix, f in (("", forward), ("r", reflected), ("i", in_place)):
        if prefix == "" or name not in ("eq", "ne", "lt", "le", "gt", "ge"):
            setattr(Array, f"__{prefix}{name}__", f)


for _name, _function in OPERATORS.items():
    _operators(_name, _function)
for _name, _function in dict(abs="abs", neg="negative", pos="positive", invert="bitwise_invert").items():
    setattr(Array, f"__{_name}__", lambda self, f=_function: _functions["logical_not" if f == "bitwise_invert" and self.dtype.kind == "b" else f](self))
Array.__hash__ = None

# Functions that have their own form in Python: of types and of Python's objects.


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    if isinstance(obj, Array):
        return Array(obj._a.copy() if copy else obj._a) if dtype in (None, obj.dtype) else _functions["astype"](obj, dtype)
    def plain(v):
        return [plain(x) for x in v] if isinstance(v, (list, tuple)) else v._a[()] if isinstance(v, Array) else v
    a = np.asarray(plain(obj), None if dtype is None else dtype.np)
    return Array(a.astype("float64") if a.dtype == object else np.array(a, copy=True))


def _type(x):
    return x.dtype.name if isinstance(x, Array) else x.name


def can_cast(from_, to, /):
    return _evaluate("can_cast", {"from": _type(from_), "to": to})


def isdtype(dtype, kind):
    return any(dtype == k if isinstance(k, DType) else _evaluate("isdtype", {"dtype": dtype, "kind": k}) for k in (kind if isinstance(kind, tuple) else (kind,)))


def result_type(*arrays_and_dtypes):
    typed = [x for x in arrays_and_dtypes if isinstance(x, (Array, DType))]
    dt = DTYPES[_evaluate("result_type", {"dtypes": [_type(x) for x in typed]})]
    order = "biufc"
    for x in arrays_and_dtypes:
        if not isinstance(x, (Array, DType)):
            kind = type(x)
            if dt.kind == "f" and kind is complex:
                dt = DTYPES["complex64" if dt.name == "float32" else "complex128"]
            elif dt.kind not in SCALARS[kind]:
                raise TypeError(f"{x!r} beside {dt}")
    return dt


Limits = collections.namedtuple("Limits", "bits min max eps smallest_normal dtype", defaults=[None] * 4)


def finfo(type, /):
    bits, greatest, epsilon, normal = _evaluate("finfo", {"dtype": _type(type)})
    dt = DTYPES[f"float{bits}"]
    return Limits(bits, -greatest, greatest, epsilon, normal, dt)


def iinfo(type, /):
    bits, least, greatest = _evaluate("iinfo", {"dtype": _type(type)})
    return Limits(bits, least, int(greatest), dtype=DTYPES[_type(type)])


class _Info:
    def devices(self):  # the suite asks for them when it collects its tests
        return ()

    def default_dtypes(self, *, device=None):
        return {"real floating": DTYPES["float64"], "complex floating": DTYPES["complex128"], "integral": DTYPES["int64"], "indexing": DTYPES["int64"]}

    def dtypes(self, *, device=None, kind=None):
        return {n: t for n, t in DTYPES.items() if kind is None or isdtype(t, kind)}


def __array_namespace_info__():
    return _Info()


# All other functions: the standard's signature, and the op of the same name in Go.

RESULTS = dict(unique_all="values indices inverse_indices counts", unique_counts="values counts", unique_inverse="values inverse_indices",
               slogdet="sign logabsdet", eigh="eigenvalues eigenvectors", eig="eigenvalues eigenvectors", qr="Q R", svd="U S Vh")
NUMBERS = ("x1", "x2", "min", "max", "prepend", "append")  # parameters of arrays that may be Python numbers
_functions = {}


def _define(name, stub):
    if name in globals():
        return globals()[name]  # the form above
    signature = inspect.signature(stub)
    result = collections.namedtuple(name + "_result", RESULTS[name]) if name in RESULTS else None

    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {k: v for k, v in bound.arguments.items() if k != "device"}
        first = next((v for k, v in given.items() if isinstance(v, Array) and k != "condition"), None)
        given = {k: _number(v, first) if k in NUMBERS else v for k, v in given.items()}
        if isinstance(given.get("fill_value"), (int, float, complex)):
            given["fill_value"] = _number(given["fill_value"], None)
        for k in ("start", "stop", "step"):
            if isinstance(given.get(k), complex) or name == "linspace" and k in given:
                given[k] = _number(given[k], None)
        y = _evaluate(name, given)
        if name == "broadcast_shapes":
            return tuple(y)
        return result(*y) if result else y

    function.__name__, function.__qualname__, function.__signature__ = name, name, signature
    return function


def _module(name, ops, prefix=""):
    stubs = importlib.import_module("array_api_stubs._2025_12." + name)
    return {n: _define(prefix + n, getattr(stubs, n)) for n in stubs.__all__ if n != "__array_namespace_info__" and (prefix + n in ops or n in ("asarray",))}


_ops = set(_evaluate("names", {}))
for _name in ("creation", "data_type", "elementwise", "indexing", "linear_algebra", "manipulation", "searching", "set", "sorting", "statistical", "utility"):
    _functions.update(_module(_name + "_functions", _ops))
_exports = {**DTYPES, **CONSTANTS, **_functions}
for _name in ("linalg", "fft"):
    _extension = types.ModuleType(_name)
    for _n, _f in _module(_name, _ops).items():
        setattr(_extension, _n, _functions.get(_n, _f))
    _exports[_name] = _extension


def __getattr__(name):
    """The names of the standard, some of which are those of Python's builtins, which this file uses."""
    try:
        return _exports[name]
    except KeyError:
        raise AttributeError(name) from None


def __dir__():
    return sorted(_exports)
