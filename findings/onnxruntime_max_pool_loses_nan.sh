#!/usr/bin/env bash
# ONNX Runtime 1.32.0: MaxPool leaves NaN out, wherever it stands, and a window of NaN alone gives the lowest finite float32. Max of
# two tensors keeps NaN, and AveragePool does.
# Seen: MaxPool of [1, nan] 1.0, of [nan, 1] 1.0, of [nan, nan] -3.4028235e+38; Max nan; AveragePool nan
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


nan = numpy.nan
one, other, alone = (run("MaxPool", 12, numpy.array([[pair]], dtype=numpy.float32), kernel_shape=[2]).flat[0]
                     for pair in ([1, nan], [nan, 1], [nan, nan]))
elementwise = run("Max", 13, numpy.array([1], dtype=numpy.float32), numpy.array([nan], dtype=numpy.float32)).flat[0]
mean = run("AveragePool", 11, numpy.array([[[1, nan]]], dtype=numpy.float32), kernel_shape=[2]).flat[0]
print("MaxPool", one, other, alone, "Max", elementwise, "AveragePool", mean)
assert one == 1 and other == 1 and alone == numpy.finfo(numpy.float32).min
assert numpy.isnan(elementwise) and numpy.isnan(mean)
PYTHON
