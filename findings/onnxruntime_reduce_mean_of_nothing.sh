#!/usr/bin/env bash
# ONNX Runtime 1.32.0: ReduceMean over an axis without elements gives 0; the mean of nothing is a sum of 0 divided by 0, and NumPy and
# the definition give NaN.
# Seen: ReduceMean [0. 0.], NumPy [nan nan]
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


import warnings

warnings.simplefilter("ignore")
x = numpy.zeros((2, 0), dtype=numpy.float32)
mean = run("ReduceMean", 13, x, axes=[1], keepdims=0)
print("ReduceMean", mean, "NumPy", x.mean(axis=1))
assert (mean == 0).all() and numpy.isnan(x.mean(axis=1)).all()
PYTHON
