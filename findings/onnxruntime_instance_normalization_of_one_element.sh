#!/usr/bin/env bash
# ONNX Runtime 1.32.0: InstanceNormalization of one element a channel is that element minus itself, so that the shift alone is left; it
# computes x * scale + (shift - mean * scale) in float32 and loses the digits of the shift, the more the larger x is.
# Seen: the shift [-0.17472793  1.3265407 ] InstanceNormalization at 100 [-0.17382812  1.3261719 ]
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


x = numpy.full((1, 2, 1), 100, dtype=numpy.float32)
scale = numpy.array([0.6983234, 0.93678147], dtype=numpy.float32)
shift = numpy.array([-0.17472793, 1.3265407], dtype=numpy.float32)
normalized = run("InstanceNormalization", 18, x, scale, shift).reshape(-1)
print("the shift", shift, "InstanceNormalization at 100", normalized)
error = numpy.abs(normalized - shift)
assert (error > 5e-5).any() and (error < 1e-2).all()
PYTHON
