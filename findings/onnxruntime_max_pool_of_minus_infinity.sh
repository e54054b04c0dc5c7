#!/usr/bin/env bash
# ONNX Runtime 1.32.0: MaxPool and GlobalMaxPool of values that are all minus infinity give the lowest finite float32, although no
# padding is involved. ReduceMax of the same values gives minus infinity, as it should.
# Seen: MaxPool -3.4028235e+38, GlobalMaxPool -3.4028235e+38, ReduceMax -inf
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet --disable-pip-version-check onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6
"$work/python/bin/python" - <<'PYTHON'
import numpy
import onnxruntime
from onnx import TensorProto, helper

KINDS = {"float32": TensorProto.FLOAT, "int32": TensorProto.INT32}


def run(op, opset, *inputs, **attributes):
    """One node."""
    names = [f"x{i}" for i in range(len(inputs))]
    graph = helper.make_graph([helper.make_node(op, names, ["y"], **attributes)], "one",
                              [helper.make_tensor_value_info(name, KINDS[str(x.dtype)], x.shape) for name, x in zip(names, inputs)],
                              [helper.make_empty_tensor_value_info("y")])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", opset)])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(names, inputs)))[0]


x = numpy.full((1, 1, 4), -numpy.inf, dtype=numpy.float32)
window = run("MaxPool", 12, x, kernel_shape=[2]).flat[0]
everything = run("GlobalMaxPool", 17, x).flat[0]
reduced = run("ReduceMax", 13, x, axes=[2]).flat[0]
print("MaxPool", window, "GlobalMaxPool", everything, "ReduceMax", reduced)
lowest = numpy.finfo(numpy.float32).min
assert window == lowest and everything == lowest and reduced == -numpy.inf
PYTHON
