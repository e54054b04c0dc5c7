"""What ONNX Runtime is asked about each operator (cases.py): a function a family."""
import itertools

import numpy
from cases import Constant

FLOATS = ["float16", "float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]
NUMBERS = FLOATS + INTEGERS
nan = float("nan")
inf = float("inf")


def drawn(type, *dims, seed=0, low=-3, high=3):
    random = numpy.random.default_rng([seed, *dims])
    if type == "bool":
        return random.integers(0, 2, dims).astype(bool)
    if numpy.dtype(type).kind == "u":
        return random.integers(0, high + 4, dims).astype(type)
    if numpy.dtype(type).kind == "i":
        return random.integers(low, high + 1, dims).astype(type)
    return random.uniform(low, high, dims).astype(type)


def edges(type):
    """By what they show, values that are easily computed wrongly."""
    of = numpy.dtype(type)
    if of.kind == "b":
        return {}
    if of.kind in "iu":
        limits = numpy.iinfo(of)
        return {"limits": [limits.min, limits.min + 1, limits.max - 1, limits.max, 0, 1, limits.max // 2, limits.max // 2 + 1]}
    limits = numpy.finfo(of)
    root = float(numpy.sqrt(float(limits.max)))
    return {"nan": [nan, 1, -1, 0], "inf": [inf, -inf, 1, -1, 0], "zeros": [0.0, -0.0, 1, -1],
            "tiny": [float(limits.smallest_subnormal), -float(limits.smallest_subnormal), float(limits.tiny), -float(limits.tiny)],
            "large": [float(limits.max), -float(limits.max), root * 0.9, root * 1.1, -root * 1.1],
            "ties": [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.25, 3.0, -3.0]}


def array(values, type):
    return numpy.array(values, dtype=type)


def unary(cases):
    def all_of(op, opset, types, attributes=({},), positive=False):
        for type, (number, given) in itertools.product(types, enumerate(attributes)):
            suffix = f"/{number}" if number else ""
            low = 0.1 if positive and type in FLOATS else -3
            for what, dims in {"plain": (3, 5), "scalar": (), "one": (1, 1), "none": (0, 3)}.items():
                cases.add(op, opset, what + suffix, [drawn(type, *dims, low=low)], given)
            for what, values in edges(type).items():
                cases.add(op, opset, what + suffix, [array(values, type)], given, by_element=True)

    for op, opset in {"Sigmoid": 13, "Tanh": 13, "Exp": 13, "Reciprocal": 13, "Floor": 13, "Ceil": 13, "Erf": 13, "Round": 11,
                      "Sin": 7, "Cos": 7, "Softplus": 13, "HardSwish": 14, "Softsign": 13, "Mish": 18}.items():
        all_of(op, opset, FLOATS)
    for op, opset in {"Log": 13, "Sqrt": 13}.items():
        all_of(op, opset, FLOATS, positive=True)
    all_of("Relu", 6, FLOATS)
    all_of("Relu", 14, FLOATS + SIGNED)
    all_of("Neg", 13, FLOATS + SIGNED)
    for op, opset in {"Abs": 13, "Sign": 13}.items():
        all_of(op, opset, NUMBERS)
    all_of("Identity", 16, NUMBERS + ["bool"])
    all_of("Not", 1, ["bool"])
    all_of("LeakyRelu", 16, FLOATS, [{}, {"alpha": 0.5}, {"alpha": -0.5}, {"alpha": 2.0}])
    for op, opset in {"Elu": 6, "ThresholdedRelu": 10, "Swish": 24}.items():
        all_of(op, opset, FLOATS, [{}, {"alpha": 0.5}, {"alpha": 2.0}])
    all_of("Celu", 12, ["float32"], [{}, {"alpha": 0.5}, {"alpha": 2.0}])
    all_of("HardSigmoid", 6, FLOATS, [{}, {"alpha": 0.5, "beta": 0.25}])
    all_of("Selu", 6, FLOATS, [{}, {"alpha": 2.0, "gamma": 0.5}])
    all_of("Gelu", 20, FLOATS, [{}, {"approximate": "tanh"}])
    # Limits are inputs from version 11 on.
    for type in NUMBERS:
        values = [value for each in edges(type).values() for value in each]
        low, high = (-1, 2) if numpy.dtype(type).kind != "u" else (1, 2)
        for what, least, most in (("both", low, high), ("min", low, None), ("max", None, high), ("none", None, None),
                                  ("crossed", high, low), ("equal", 1, 1)):
            limits = [None if each is None else Constant(each, type) for each in (least, most)]
            cases.add("Clip", 13, what, [array(values, type), *limits], by_element=True)
            given = [None if each is None else each.array for each in limits]
            cases.add("Clip", 13, what + "/computed", [array(values, type), *given], by_element=True)
        if type in FLOATS:
            cases.add("Clip", 6, "plain", [array(values, type)], {"min": -1.0, "max": 2.0}, by_element=True)
            for what, least, most in (("min", nan, 1), ("max", -1, nan)):
                cases.add("Clip", 13, "nan/" + what, [array(values, type), Constant(least, type), Constant(most, type)],
                          by_element=True)
        else:
            limits = numpy.iinfo(type)
            cases.add("Clip", 13, "limits", [array(values, type), Constant(limits.min + 1, type), Constant(limits.max - 1, type)])
    cases.add("Clip", 13, "none/empty", [drawn("float32", 0, 3), Constant(-1, "float32"), Constant(1, "float32")])


def casts(cases):
    from cases import ONNX_TYPES
    for of, to in itertools.product(NUMBERS + ["bool"], repeat=2):
        groups = {"plain": drawn(of, 3, 5)} | {what: array(values, of) for what, values in edges(of).items()}
        for what, values in groups.items():
            if of in FLOATS and to not in FLOATS and to != "bool":
                if what in ("nan", "inf", "large"):
                    continue  # what does not fit an integer is nobody's
                if numpy.dtype(to).kind == "u":
                    values = numpy.abs(values)
            cases.add("Cast", 13, f"{to}/{what}", [values], {"to": ONNX_TYPES[to]}, tolerance=0, by_element=True)
        cases.add("CastLike", 15, to, [drawn(of, 3, 5, low=0), drawn(to, 2)], tolerance=0)
    # Halfway between two of the narrower type, and on the way to infinity.
    for of, values in {"float32": [2049, 2051, 65519, 65520, -65520, 2.0**-25, 2.0**-24 * 1.5, 1e-8, 6.1e-5],
                       "float64": [16777217.0, 16777219.0, 3.4028235677973366e38, 3.4028235e38, 2.0**-150, 1e-46, 1e-40]}.items():
        for to in FLOATS:
            cases.add("Cast", 13, f"{to}/halfway", [array(values, of)], {"to": ONNX_TYPES[to]}, tolerance=0, by_element=True)


SHAPES = {"same": ((3, 4), (3, 4)), "row": ((3, 4), (4,)), "both": ((2, 1, 3), (4, 1)), "scalar": ((3, 4), ()),
          "left": ((), (3, 4)), "none": ((0, 3), (3,)), "noneone": ((0, 3), (1, 1)), "rank0": ((), ())}


def pairs(type, values, divides=False):
    """Every value with every other, as two arrays."""
    both = [(a, b) for a, b in itertools.product(values, repeat=2)
            if not divides or (b != 0 and not (b == -1 and a == numpy.iinfo(type).min))]
    return [array([a for a, _ in both], type), array([b for _, b in both], type)]


def binary(cases):
    def all_of(op, opset, types, attributes=None, divides=False):
        for type in types:
            whole = type in INTEGERS
            for what, (a, b) in SHAPES.items():
                right = drawn(type, *b, seed=1)
                if divides and whole:
                    right = numpy.where(right == 0, array(2, type), right).astype(type)
                cases.add(op, opset, what, [drawn(type, *a), right], attributes)
            found = edges(type)
            for what, values in found.items():
                extra = [-1] if what == "limits" and type in SIGNED else []
                cases.add(op, opset, what, pairs(type, values + extra, divides and whole), attributes, by_element=True)
            if type in FLOATS:
                cases.add(op, opset, "mixed", pairs(type, [nan, inf, -inf, 0.0, -0.0, 1, -2.5, found["large"][0]]), attributes,
                          by_element=True)

    for op in ("Add", "Sub", "Mul"):
        all_of(op, 14, NUMBERS)
    all_of("Div", 14, NUMBERS, divides=True)
    all_of("Mod", 13, INTEGERS, divides=True)
    all_of("Mod", 13, FLOATS, {"fmod": 1})
    for type in INTEGERS:
        a, b = pairs(type, [7, -7, 3, -3] if type in SIGNED else [7, 3, 2])
        cases.add("Mod", 13, "signs", [a, b])
        cases.add("Mod", 13, "signs/fmod", [a, b], {"fmod": 1})
    for op, opset in {"Max": 13, "Min": 13}.items():
        all_of(op, opset, NUMBERS)
        for type in FLOATS:
            values = pairs(type, [nan, inf, -inf, 0, 1])
            cases.add(op, opset, "three", [*values, values[0][::-1].copy()], by_element=True)
            cases.add(op, opset, "alone", [values[0]], by_element=True)
    for op in ("Sum", "Mean"):
        for type in FLOATS:
            cases.add(op, 13, "three", [drawn(type, 3, 4), drawn(type, 4, seed=1), drawn(type, 3, 1, seed=2)])
            cases.add(op, 13, "alone", [drawn(type, 3, 4)])
            for what, values in edges(type).items():
                cases.add(op, 13, what, pairs(type, values), by_element=True)
    for op, opset in {"Equal": 13, "Less": 13, "Greater": 13, "LessOrEqual": 16, "GreaterOrEqual": 16}.items():
        all_of(op, opset, NUMBERS + (["bool"] if op == "Equal" else []))
    for op in ("And", "Or", "Xor"):
        all_of(op, 7, ["bool"])
    for type in FLOATS + ["int32", "int64"]:
        for what, (a, b) in SHAPES.items():
            if len(a) >= len(b) and what != "both":
                cases.add("PRelu", 16, what, [drawn(type, *a), drawn(type, *b, seed=1)])
        for what, values in edges(type).items():
            cases.add("PRelu", 16, what, pairs(type, values), by_element=True)
    for type in NUMBERS + ["bool"]:
        cases.add("Where", 16, "plain", [drawn("bool", 3, 4, seed=2), drawn(type, 3, 4), drawn(type, 4, seed=1)], type=type)
        cases.add("Where", 16, "both", [drawn("bool", 2, 1, 1), drawn(type, 3, 1), drawn(type, 4, seed=1)], type=type)
        cases.add("Where", 16, "none", [drawn("bool", 0, 4), drawn(type, 4), drawn(type, 1, seed=1)], type=type)
        for what, values in edges(type).items():
            a, b = pairs(type, values)
            cases.add("Where", 16, what, [numpy.arange(len(a)) % 2 == 0, a, b], by_element=True, type=type)
    for base, exponent in itertools.product(FLOATS + ["int32", "int64"], repeat=2):
        power = [0, 1, 2, 3, 5] if base in INTEGERS else [-2, 0, 1, 2, 3]
        a, b = array([1, 2, 3, -2, -1, 4], base), array(power, exponent)
        cases.add("Pow", 15, exponent, [a[:, None].copy(), b])
        if base in FLOATS and exponent == base:
            for what, values in edges(base).items():
                cases.add("Pow", 15, f"{exponent}/{what}", pairs(base, values + [2, 0.5]), by_element=True)
            cases.add("Pow", 15, f"{exponent}/roots", [array([4, 9, 2, 0.25, 0], base)[:, None].copy(),
                                                      array([0.5, 0.25, -0.5, 1.5, 0.75], base)])


def reductions(cases):
    ops = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
           "ReduceLogSumExp", "ReduceSumSquare"]
    for op, type in itertools.product(ops, FLOATS + ["int32", "int64", "int8", "uint8"]):
        if type in ("int8", "uint8") and op not in ("ReduceMax", "ReduceMin"):
            continue
        opset = 20 if op in ("ReduceMax", "ReduceMin") else 18
        positive = {"low": 0.1 if type in FLOATS else 1} if "Log" in op else {}

        def reduce(what, x, axes, by_element=False, **attributes):
            cases.add(op, opset, what, [x] + ([] if axes is None else [Constant(axes)]), attributes, by_element=by_element)

        x = drawn(type, 2, 3, 4, **positive)
        for what, axes in {"all": None, "first": [0], "last": [-1], "outer": [0, 2], "inner": [-2, -1]}.items():
            for keepdims in (0, 1):
                reduce(f"{what}/keep{keepdims}", x, axes, keepdims=keepdims)
        for what, axes in {"noaxes": None, "emptyaxes": []}.items():
            for noop in (0, 1):
                reduce(f"{what}/noop{noop}", x, axes, noop_with_empty_axes=noop)
        reduce("scalar", drawn(type, **positive), None)
        reduce("one", drawn(type, 3, 1, **positive), [1])
        if op not in ("ReduceMax", "ReduceMin"):
            reduce("none", drawn(type, 2, 0, 3), [1], keepdims=0)
            reduce("none/all", drawn(type, 0), None, keepdims=0)
        reduce("none/beside", drawn(type, 2, 0, 3), [0], keepdims=0)
        old = 11 if type in FLOATS + ["int32", "int64"] else 12
        cases.add(op, old, "attribute", [x], {"axes": [0, -1], "keepdims": 0})
        found = edges(type)
        for what, values in found.items():
            # Each value in each of the places, among small ones.
            rows = numpy.ones((len(values), 5, 5), type)
            for i, value in enumerate(values):
                for place in range(5):
                    rows[i, place, place] = value
            reduce(what, rows, [-1], by_element=True)
            reduce(what + "/outer", rows, [1], by_element=True)
            reduce(what + "/row", array([values], type), [1], by_element=True)
        if type in FLOATS:
            big = float(numpy.finfo(type).max)
            reduce("equal", array([[-inf] * 4, [inf] * 4, [0] * 4, [nan] * 4, [big * 0.5] * 4, [-big * 0.5] * 4], type), [1],
                   by_element=True)
            reduce("long", array(numpy.full((2, 4096), 100), type), [1])
            reduce("opposite", array([[inf, -inf, 0, 1], [big, -big, 1, 1], [big, big, -big, -big]], type), [1], by_element=True)
    for op, type, (number, given) in itertools.product(("ArgMax", "ArgMin"), FLOATS + INTEGERS, enumerate(
            [{}, {"axis": 1}, {"axis": -1, "keepdims": 0}, {"axis": 1, "select_last_index": 1}])):
        cases.add(op, 13, f"plain/{number}", [drawn(type, 3, 6)], given, tolerance=0)
        cases.add(op, 13, f"one/{number}", [drawn(type, 3, 1)], given, tolerance=0)
        for what, values in edges(type).items():
            row = [values[(i + k) % len(values)] for i in range(len(values)) for k in range(len(values))]
            cases.add(op, 13, f"{what}/{number}", [array(row, type).reshape(len(values), -1)], given, tolerance=0)
    for type in FLOATS + ["int32", "int64", "int8", "uint8"]:
        for largest, axis in itertools.product((0, 1), (0, -1)):
            given = {"largest": largest, "axis": axis}
            for what, x in ({"plain": drawn(type, 4, 6)} | {what: array([values, values[::-1]], type).T.copy() if axis == 0
                                                           else array([values, values[::-1]], type)
                                                           for what, values in edges(type).items()}).items():
                cases.add("TopK", 11, f"{what}/largest{largest}/axis{axis}", [x, Constant([3])], given, outputs=2)
        cases.add("TopK", 11, "none", [drawn(type, 4, 6), Constant([0])], outputs=2)
    for type in FLOATS + ["int32", "int64"]:
        for exclusive, reverse, axis in itertools.product((0, 1), (0, 1), (0, -1)):
            given = {"exclusive": exclusive, "reverse": reverse}
            cases.add("CumSum", 14, f"plain/{exclusive}{reverse}{axis}", [drawn(type, 3, 5), Constant(axis)], given)
            for what, values in edges(type).items():
                x = numpy.ones((len(values), 4), type)
                x[:, 1] = array(values, type)
                cases.add("CumSum", 14, f"{what}/{exclusive}{reverse}{axis}", [x, Constant(axis)], given, by_element=True)


def softmaxes(cases):
    for op, type in itertools.product(("Softmax", "LogSoftmax"), FLOATS):
        for opset, axis in itertools.product((11, 13), (0, 1, -1)):
            cases.add(op, opset, f"plain/{axis}", [drawn(type, 2, 3, 4)], {"axis": axis})
            cases.add(op, opset, f"none/{axis}", [drawn(type, 2, 0, 4)], {"axis": axis})
        cases.add(op, 13, "one", [drawn(type, 3, 1)])
        big = float(numpy.finfo(type).max)
        for what, values in {"masked": [-inf, -inf, -inf], "somemasked": [-inf, 1, 2], "inf": [inf, 1, 2], "nan": [nan, 1, 2],
                             "large": [big, 1, -big], "far": [1000, 0, -1000], "equal": [big, big, big]}.items():
            cases.add(op, 13, what, [array([values], type)], by_element=True)


def normalizations(cases):
    for type in FLOATS:
        for mean, what in ((0, "plain"), (100, "mean100"), (1000, "mean1000")):
            x = (drawn("float64", 2, 4, 6) + mean).astype(type)
            one, shift = drawn(type, 4, low=0.5), drawn(type, 4)
            loose = {"tolerance": {"float16": 4e-3, "float32": 1e-4 if mean else 1e-5, "float64": 1e-7}[type]}
            for opset in (9, 14, 15):
                cases.add("BatchNormalization", opset, what, [x, one, shift, shift, one], **loose)
            cases.add("InstanceNormalization", 6, what, [x, one, shift], **loose)
            for axis in (-1, 1, -2):
                dims = x.shape[axis:]
                cases.add("LayerNormalization", 17, f"{what}/{axis}", [x, drawn(type, *dims, low=0.5), drawn(type, *dims)],
                          {"axis": axis}, **loose)
            cases.add("LayerNormalization", 17, f"{what}/nobias", [x, drawn(type, 6, low=0.5)], **loose)
            for opset in (18, 21):
                channels = 2 if opset == 18 else 4
                cases.add("GroupNormalization", opset, what, [x, one[:channels], shift[:channels]], {"num_groups": 2}, **loose)
            for axis in (-1, 1):
                cases.add("RMSNormalization", 23, f"{what}/{axis}", [x, drawn(type, *x.shape[axis:], low=0.5)], {"axis": axis},
                          **loose)
        for size in (1, 2, 3, 5):
            cases.add("LRN", 13, f"size{size}", [drawn(type, 2, 5, 3, 2)], {"size": size, "alpha": 0.3, "beta": 0.75, "bias": 1.5})
        for what, values in edges(type).items():
            row = array([values, values], type)
            scale = numpy.ones(row.shape[1], type)
            cases.add("LayerNormalization", 17, what, [row, scale], by_element=True)
            cases.add("RMSNormalization", 23, what, [row, scale], by_element=True)
            cases.add("InstanceNormalization", 6, what, [row[:, None, :].copy(), array([1], type), array([0], type)], by_element=True)
        cases.add("LayerNormalization", 17, "constant", [numpy.full((2, 8), 7, type), numpy.ones(8, type)])
        cases.add("Dropout", 13, "plain", [drawn(type, 3, 4)])
        cases.add("Dropout", 13, "mask", [drawn(type, 3, 4)], outputs=2)
        cases.add("Dropout", 7, "plain", [drawn(type, 3, 4)], {"ratio": 0.5})


def windows(cases):
    pools = [{"kernel_shape": [3]}, {"kernel_shape": [3], "strides": [2]}, {"kernel_shape": [2], "strides": [3], "ceil_mode": 1},
             {"kernel_shape": [3], "strides": [2], "ceil_mode": 1}, {"kernel_shape": [3], "strides": [2], "pads": [1, 1], "ceil_mode": 1},
             {"kernel_shape": [3], "pads": [0, 2]}, {"kernel_shape": [3], "pads": [2, 1], "strides": [2]},
             {"kernel_shape": [3], "auto_pad": "SAME_UPPER", "strides": [2]}, {"kernel_shape": [2], "auto_pad": "SAME_LOWER"},
             {"kernel_shape": [4], "auto_pad": "SAME_LOWER", "strides": [3]}, {"kernel_shape": [3], "auto_pad": "VALID"},
             {"kernel_shape": [3], "dilations": [2]}, {"kernel_shape": [2], "dilations": [3], "pads": [0, 1], "strides": [2]},
             {"kernel_shape": [2], "dilations": [2], "strides": [2], "ceil_mode": 1}, {"kernel_shape": [1]},
             {"kernel_shape": [7]}, {"kernel_shape": [4], "strides": [4], "ceil_mode": 1, "pads": [1, 1]}]

    def widened(given, rank):
        """The same along all axes; kernels differ, so that axes cannot be mixed up."""
        more = {}
        for name, value in given.items():
            more[name] = value if not isinstance(value, list) else value * rank if name != "pads" else \
                [value[0]] * rank + [value[1]] * rank
        return more
    for type, rank, (number, given) in itertools.product(FLOATS, (1, 2, 3), enumerate(pools)):
        if rank == 3 and number % 3:
            continue
        x = drawn(type, 2, 3, *(7, 8, 9)[:rank])
        cases.add("MaxPool", 12, f"{rank}d/{number}", [x], widened(given, rank))
        for pad in (0, 1):
            cases.add("AveragePool", 19, f"{rank}d/{number}/{pad}", [x], widened(given, rank) | {"count_include_pad": pad})
            if "dilations" not in given:
                cases.add("AveragePool", 11, f"{rank}d/{number}/{pad}", [x], widened(given, rank) | {"count_include_pad": pad})
    for type in FLOATS + ["int8", "uint8"]:
        cases.add("MaxPool", 12, "bytes", [drawn(type, 1, 2, 5)], {"kernel_shape": [2], "pads": [1, 1]})
        for what, values in edges(type).items():
            row = array([[values * 2]], type)
            cases.add("MaxPool", 12, what, [row], {"kernel_shape": [2], "pads": [1, 1]}, by_element=True)
            if type in FLOATS:
                cases.add("AveragePool", 11, what, [row], {"kernel_shape": [2]}, by_element=True)
                cases.add("GlobalMaxPool", 13, what, [row], by_element=True)
                cases.add("GlobalAveragePool", 13, what, [row], by_element=True)
        if type in FLOATS:
            cases.add("MaxPool", 12, "least", [array([[[-inf] * 5]], type)], {"kernel_shape": [2], "pads": [1, 1]})
            for rank, op in itertools.product((1, 2, 3), ("GlobalMaxPool", "GlobalAveragePool")):
                cases.add(op, 13, f"{rank}d", [drawn(type, 2, 3, *(4, 5, 6)[:rank])])
            cases.add("AveragePool", 11, "wide", [numpy.full((1, 1, 40, 40), 100, type)], {"kernel_shape": [30, 30]})
            cases.add("GlobalAveragePool", 13, "wide", [numpy.full((1, 1, 40, 40), 100, type)])
    convs = [{}, {"strides": [2]}, {"pads": [1, 1]}, {"pads": [0, 2], "strides": [2]}, {"dilations": [2]}, {"group": 2},
             {"auto_pad": "SAME_UPPER", "strides": [2]}, {"auto_pad": "SAME_LOWER", "strides": [2]}, {"auto_pad": "SAME_LOWER"},
             {"auto_pad": "VALID", "dilations": [2]}, {"dilations": [2], "pads": [2, 1], "strides": [3], "group": 4},
             {"auto_pad": "SAME_UPPER", "dilations": [2]}]
    for type, rank, (number, given) in itertools.product(FLOATS, (1, 2, 3), enumerate(convs)):
        group = given.get("group", 1)
        spatial, kernel = (7, 8, 6)[:rank], (3, 2, 3)[:rank]
        x = drawn(type, 2, 4, *spatial)
        loose = {"tolerance": 1e-2} if type == "float16" else {}
        cases.add("Conv", 11, f"{rank}d/{number}", [x, drawn(type, 8, 4 // group, *kernel), drawn(type, 8)], widened(given, rank), **loose)
        cases.add("Conv", 11, f"{rank}d/{number}/nobias", [x[:1], drawn(type, 8, 4 // group, *kernel)], widened(given, rank), **loose)
        cases.add("ConvTranspose", 11, f"{rank}d/{number}", [x, drawn(type, 4, 6, *kernel), drawn(type, 6 * group)],
                  widened(given, rank), **loose)
        for what, more in {"padded": {"output_padding": [1] * rank}, "shaped": {"output_shape": [14, 15, 12][:rank]}}.items():
            if given.get("strides") == [2] and not (what == "shaped" and "pads" in given):
                cases.add("ConvTranspose", 11, f"{rank}d/{number}/{what}", [x, drawn(type, 4, 6, *kernel)],
                          widened(given, rank) | more, **loose)
    for type in FLOATS:
        for what, value in {"nan": nan, "inf": inf}.items():
            x = drawn(type, 1, 1, 6)
            x[0, 0, 2] = value
            cases.add("Conv", 11, what, [x, drawn(type, 1, 1, 3)], {"pads": [1, 1]}, by_element=True)
        cases.add("Conv", 11, "none", [drawn(type, 0, 4, 7), drawn(type, 8, 4, 3)])
        cases.add("Conv", 11, "pointwise", [drawn(type, 1, 4, 5, 5), drawn(type, 8, 4, 1, 1)])
        cases.add("Conv", 11, "depthwise", [drawn(type, 1, 4, 5, 5), drawn(type, 8, 1, 3, 3)], {"group": 4})


def products(cases):
    for type in FLOATS + ["int32", "int64", "uint32"]:
        loose = {"tolerance": 1e-2} if type == "float16" else {}
        for what, (a, b) in {"plain": ((3, 4), (4, 5)), "batch": ((2, 3, 4), (2, 4, 5)), "broadcast": ((2, 1, 3, 4), (5, 4, 2)),
                             "row": ((4,), (4, 5)), "column": ((3, 4), (4,)), "dot": ((4,), (4,)), "manyrow": ((4,), (2, 4, 5)),
                             "manycolumn": ((2, 3, 4), (4,)), "one": ((1, 1), (1, 1)), "none": ((0, 4), (4, 5)),
                             "nothing": ((3, 0), (0, 5)), "right": ((2, 3, 4), (4, 5))}.items():
            cases.add("MatMul", 13, what, [drawn(type, *a), drawn(type, *b, seed=1)], **loose)
        for ta, tb, (what, c) in itertools.product((0, 1), (0, 1), {"full": (3, 5), "row": (5,), "column": (3, 1), "one": (1,),
                                                                   "scalar": (), "no": None}.items()):
            a, b = drawn(type, *((4, 3) if ta else (3, 4))), drawn(type, *((5, 4) if tb else (4, 5)), seed=1)
            given = {"transA": ta, "transB": tb} | ({"alpha": 0.5, "beta": 2.0} if what in ("full", "no") and type in FLOATS else {})
            cases.add("Gemm", 13, f"{what}/{ta}{tb}", [a, b] + ([] if c is None else [drawn(type, *c, seed=2)]), given, **loose)
        cases.add("Gemm", 13, "nothing", [drawn(type, 3, 0), drawn(type, 0, 5), drawn(type, 5)])
        if type in FLOATS:
            for what, value in {"nan": nan, "inf": inf}.items():
                a = drawn(type, 3, 4)
                a[1, 2] = value
                b = drawn(type, 4, 3, seed=1)
                b[2, 1] = 0
                cases.add("MatMul", 13, what, [a, b], by_element=True, tolerance=1e-2 if type == "float16" else 1e-4)
            a = drawn(type, 3, 4)
            cases.add("Gemm", 13, "beta0", [a, drawn(type, 4, 5), numpy.full(5, nan, type)], {"beta": 0.0}, **loose)
    for type in FLOATS[1:] + ["int32", "int64"]:
        for equation, *dims in (("ij,jk->ik", (3, 4), (4, 5)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("ij->ji", (3, 4)),
                                ("ij->i", (3, 4)), ("ij->", (3, 4)), ("i,i->", (4,), (4,)), ("i,j->ij", (3,), (4,)), ("ii->i", (3, 3)),
                                ("ii->", (3, 3)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)), ("ij,ij->ij", (3, 4), (3, 4)),
                                ("ij,jk", (3, 4), (4, 5)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("b...->...b", (2, 3, 4))):
            cases.add("Einsum", 12, equation, [drawn(type, *each, seed=i) for i, each in enumerate(dims)], {"equation": equation})


FAMILIES = [unary, casts, binary, reductions, softmaxes, normalizations, windows, products]
