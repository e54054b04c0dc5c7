#!/usr/bin/env python3
"""Writes random networks with the answers of ONNX Runtime, a folder each, as network_right_values_test reads them.

    build/peers/onnx/bin/python tests/deploy/network/random_networks.py FOLDER --count 1000 --seed 1
    LOOPSCOPE_RIGHT_VALUES=FOLDER build/release/tests/network_tests right_values_test

Extents of 1 and 2 are drawn often; inputs have a mean far from zero, ties, NaN or infinities in some. What is wanted is what
ONNX Runtime answers in single precision, without its own optimisations; where that itself is far from its answer in double
precision (sums that cancel, values at the end of the type) the network is left out, and counted; so is one in which maxima meet
a NaN, or the maxima of a pool an infinity: what ONNX Runtime gives for them depends on where they stand.
"""
import argparse
import os
import shutil
import warnings

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ELEMENTWISE = ["Relu", "Sigmoid", "Tanh", "Neg", "Abs", "Sign", "Round", "Floor", "Ceil", "HardSigmoid", "HardSwish", "LeakyRelu",
               "Elu", "Softplus", "Clip", "Erf", "Exp", "Sqrt"]
OPSETS = {"HardSwish": 14}


class Network:
    def __init__(self, random):
        self.random = random
        self.nodes, self.constants, self.inputs, self.values = [], [], {}, []
        for _ in range(int(random.integers(1, 3))):
            self.input()
        for _ in range(int(random.integers(2, 10))):
            self.grow()

    def extent(self):
        return int(self.random.choice([1, 1, 2, 2, 3, 4, 5, 7, 8, 13, 16]))

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def drawn(self, dims):
        kind = self.random.integers(12)
        values = self.random.standard_normal(dims)
        if kind == 0:
            values += 100
        elif kind == 1:
            values = values * 0.1 + 100
        elif kind == 2:
            values = numpy.round(values)  # ties
        elif kind in (3, 4) and values.size:
            flat = values.reshape(-1)
            for _ in range(max(1, flat.size // 8)):
                flat[self.random.integers(flat.size)] = self.pick([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0])
        return values.astype(numpy.float32)

    def input(self):
        rank = int(self.random.integers(1, 5))
        dims = tuple(self.extent() for _ in range(rank))
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self.drawn(dims)
        self.values.append((name, dims))

    def constant(self, array, name=None):
        name = name or f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def weights(self, *dims):
        return self.constant((self.random.standard_normal(dims) * 0.5).astype(numpy.float32))

    def node(self, op, inputs, dims, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=f"n{len(self.nodes)}", **attributes))
        self.values.append((name, tuple(int(dim) for dim in dims)))

    def grow(self):
        getattr(self, self.pick(["elementwise", "elementwise", "elementwise", "binary", "binary", "scale", "reduce", "reduce",
                                 "softmax", "norm", "matmul", "conv", "pool", "move", "move", "choose", "extremes", "sums"]))()

    def recent(self, rank=None):
        fitting = [value for value in self.values if rank is None or len(value[1]) in rank]
        return self.pick(fitting[-4:]) if fitting else None

    def elementwise(self):
        name, dims = self.recent()
        op = self.pick(ELEMENTWISE)
        if op == "Clip":
            low, high = sorted(self.random.standard_normal(2)) if self.random.integers(8) else (1, -1)
            return self.node(op, [name, self.constant(numpy.float32(low)), self.constant(numpy.float32(high))], dims)
        self.node(op, [name], dims)

    def binary(self):
        name, dims = self.recent()
        op = self.pick(["Add", "Sub", "Mul", "Div", "Max", "Min"])
        same = [value for value, other in self.values if other == dims]
        if self.random.integers(2):
            other = self.pick(same)
        else:
            kept = tuple(dim if self.random.integers(2) else 1 for dim in dims)
            other = self.weights(*kept)
        self.node(op, [name, other] if self.random.integers(2) else [other, name], dims)

    def scale(self):
        """Constants that passes would like to join."""
        name, dims = self.recent()
        for _ in range(int(self.random.integers(1, 4))):
            number = numpy.float32(self.pick([0.5, 2.0, 1e-20, 1e20, 1e-30, 0.0, 1.0, -1.0, 3.0]))
            self.node(self.pick(["Mul", "Add", "Sub", "Div"]) if number else "Add", [name, self.constant(number)], dims)
            name = self.values[-1][0]

    def reduce(self):
        name, dims = self.recent()
        op = self.pick(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceProd",
                        "ReduceSumSquare"])
        axes = sorted(set(int(self.random.integers(len(dims))) for _ in range(2))) if dims else []
        if not axes:
            return
        keep = int(self.random.integers(2))
        result = [1 if axis in axes else dim for axis, dim in enumerate(dims) if keep or axis not in axes]
        self.node(op, [name, self.constant(numpy.array(axes, dtype=numpy.int64))], result, keepdims=keep)

    def softmax(self):
        name, dims = self.recent()
        if dims:
            self.node(self.pick(["Softmax", "LogSoftmax"]), [name], dims, axis=int(self.random.integers(-len(dims), len(dims))))

    def norm(self):
        name, dims = self.recent()
        if len(dims) < 2:
            return
        if len(dims) >= 3 and self.random.integers(2):
            channels = dims[1]
            if self.random.integers(2):
                return self.node("InstanceNormalization", [name, self.weights(channels), self.weights(channels)], dims)
            variance = self.constant((self.random.random(channels) + 0.1).astype(numpy.float32))
            return self.node("BatchNormalization", [name, self.weights(channels), self.weights(channels), self.weights(channels),
                                                    variance], dims)
        axis = int(self.random.integers(1, len(dims)))
        self.node("LayerNormalization", [name, self.weights(*dims[axis:]), self.weights(*dims[axis:])], dims, axis=axis)

    def matmul(self):
        name, dims = self.recent([2, 3, 4]) or (None, None)
        if name is None:
            return
        columns = self.extent()
        self.node("MatMul", [name, self.weights(dims[-1], columns)], [*dims[:-1], columns])

    def conv(self):
        name, dims = self.recent([3, 4]) or (None, None)
        if name is None:
            return
        space = len(dims) - 2
        kernel = [int(self.pick([1, 1, 2, 3])) for _ in range(space)]
        pads = [(size - 1) // 2 for size in kernel] + [size - 1 - (size - 1) // 2 for size in kernel]
        channels = self.extent()
        self.node("Conv", [name, self.weights(channels, dims[1], *kernel), self.weights(channels)], [dims[0], channels, *dims[2:]],
                  kernel_shape=kernel, pads=pads)

    def pool(self):
        name, dims = self.recent([3, 4]) or (None, None)
        if name is None:
            return
        if self.random.integers(3) == 0:
            return self.node(self.pick(["GlobalAveragePool", "GlobalMaxPool"]), [name], [*dims[:2], *([1] * (len(dims) - 2))])
        kernel = [min(dim, int(self.pick([1, 2, 3]))) for dim in dims[2:]]
        self.node(self.pick(["MaxPool", "AveragePool"]), [name], [*dims[:2], *(dim - k + 1 for dim, k in zip(dims[2:], kernel))],
                  kernel_shape=kernel)

    def move(self):
        name, dims = self.recent()
        what = self.pick(["Transpose", "Reshape", "Concat", "Slice", "Pad", "Unsqueeze"])
        if what == "Transpose" and dims:
            order = [int(axis) for axis in self.random.permutation(len(dims))]
            return self.node(what, [name], [dims[axis] for axis in order], perm=order)
        if what == "Reshape" and dims:
            return self.node(what, [name, self.constant(numpy.array([dims[0], -1], dtype=numpy.int64))],
                             [dims[0], int(numpy.prod(dims[1:]))])
        if what == "Concat" and dims and numpy.prod(dims) < 5000:
            axis = int(self.random.integers(len(dims)))
            result = list(dims)
            result[axis] *= 2
            return self.node(what, [name, self.pick([value for value, other in self.values if other == dims])], result, axis=axis)
        if what == "Slice" and dims:
            axis = int(self.random.integers(len(dims)))
            begin = int(self.random.integers(dims[axis]))
            result = list(dims)
            result[axis] = dims[axis] - begin
            return self.node(what, [name, *(self.constant(numpy.array([number], dtype=numpy.int64))
                                            for number in (begin, dims[axis], axis))], result)
        if what == "Pad" and dims and numpy.prod(dims) < 5000:
            mode = self.pick(["constant", "edge"])
            pads = [int(self.random.integers(2)) for _ in range(2 * len(dims))]
            result = [dim + pads[axis] + pads[len(dims) + axis] for axis, dim in enumerate(dims)]
            return self.node(what, [name, self.constant(numpy.array(pads, dtype=numpy.int64))], result, mode=mode)
        if what == "Unsqueeze" and len(dims) < 4:
            axis = int(self.random.integers(len(dims) + 1))
            return self.node(what, [name, self.constant(numpy.array([axis], dtype=numpy.int64))],
                             [*dims[:axis], 1, *dims[axis:]])

    def choose(self):
        name, dims = self.recent()
        same = [value for value, other in self.values if other == dims]
        op = self.pick(["Greater", "Less", "GreaterOrEqual", "Equal"])
        asked = f"b{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [self.pick(same), self.pick(same)], [asked], name=asked))
        self.node("Where", [asked, name, self.pick(same)], dims)

    def extremes(self):
        name, dims = self.recent()
        same = [value for value, other in self.values if other == dims]
        self.node(self.pick(["Max", "Min", "Sum", "Mean"]), [name, *(self.pick(same) for _ in range(int(self.random.integers(1, 3))))], dims)

    def sums(self):
        name, dims = self.recent()
        if dims:
            self.node("CumSum", [name, self.constant(numpy.int64(self.random.integers(len(dims))))], dims,
                      exclusive=int(self.random.integers(2)), reverse=int(self.random.integers(2)))

    def model(self):
        if not self.nodes:
            self.elementwise()
        read = {name for node in self.nodes for name in node.input}
        results = [(name, dims) for name, dims in self.values if name.startswith("v") and name not in read]
        used = {name: array for name, array in self.inputs.items() if name in read}
        graph = helper.make_graph(self.nodes, "random", [helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
                                                         for name, array in used.items()],
                                  [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in results],
                                  self.constants)
        return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 18)]), used


def in_double(model):
    """The same network of doubles."""
    wide = onnx.ModelProto()
    wide.CopyFrom(model)
    for value in [*wide.graph.input, *wide.graph.output]:
        value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for number, constant in enumerate(wide.graph.initializer):
        array = numpy_helper.to_array(constant)
        if array.dtype == numpy.float32:
            wide.graph.initializer[number].CopyFrom(numpy_helper.from_array(array.astype(numpy.float64), constant.name))
    return wide


def answers(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def misjudged(model, inputs):
    """Whether ONNX Runtime itself is known to be wrong about a value in the network."""
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    asked = {node.input[0]: node.op_type for node in model.graph.node
             if node.op_type in ("ReduceMax", "ReduceMin", "MaxPool", "GlobalMaxPool")}
    del whole.graph.output[:]
    whole.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in asked if name not in inputs)
    values = dict(inputs)
    if whole.graph.output:
        values.update(zip((output.name for output in whole.graph.output), answers(whole, inputs)))
    return any(numpy.isnan(values[name]).any() or ("Pool" in op and numpy.isinf(values[name]).any()) for name, op in asked.items())


def steady(single, double):
    """Whether single precision is enough for an answer that others can be compared with."""
    for a, b in zip(single, double):
        with numpy.errstate(all="ignore"):
            if not (numpy.isnan(a) == numpy.isnan(b)).all() or not (numpy.isinf(a) == numpy.isinf(b.astype(numpy.float32))).all():
                return False
            finite = numpy.isfinite(a)
            if finite.any() and (abs(a[finite] - b[finite]) > 1e-6 + 2e-5 * abs(b[finite])).any():
                return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    shutil.rmtree(given.folder, ignore_errors=True)
    kept = unsteady = wrong = refused = 0
    for number in range(given.count):
        model, inputs = Network(numpy.random.default_rng([given.seed, number])).model()
        try:
            single = answers(model, inputs)
        except Exception as problem:  # pylint: disable=broad-except
            refused += 1
            if refused <= 3:
                print(f"network {number}: {problem}")
            continue
        try:
            right = answers(in_double(model), {name: array.astype(numpy.float64) for name, array in inputs.items()})
        except Exception:  # pylint: disable=broad-except
            right = single  # there is no kernel of doubles for some of them
        if misjudged(model, inputs):
            wrong += 1
            continue
        if not steady(single, right):
            unsteady += 1
            continue
        folder = os.path.join(given.folder, f"{given.seed}_{number}")
        os.makedirs(folder)
        onnx.save(model, os.path.join(folder, "model.onnx"))
        for name, array in inputs.items():
            numpy.save(os.path.join(folder, f"in_{name}.npy"), array)
        for output, array in zip(model.graph.output, right):
            with numpy.errstate(all="ignore"):
                numpy.save(os.path.join(folder, f"want_{output.name}.npy"), array.astype(numpy.float32))
        with open(os.path.join(folder, "meta.json"), "w") as meta:
            meta.write('{"rtol": 1e-3, "atol": 1e-4}\n')
        kept += 1
    print(f"{kept} networks; {unsteady} left out, as single precision is not enough for them, {wrong} that ONNX Runtime misjudges, "
          f"{refused} that it refuses")


main()
