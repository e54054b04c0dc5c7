#!/usr/bin/env bash
# ONNX Runtime 1.32.0: ReduceSum, ReduceL1 and ReduceProd of int32 stop at the greatest integer where Add, Mul and NumPy wrap around.
# Seen: ReduceSum, ReduceL1 and ReduceProd of [2147483647, 2147483647, 1] 2147483647; Add of the first two -2; NumPy -1
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


top = numpy.iinfo(numpy.int32).max
x = numpy.array([top, top, 1], dtype=numpy.int32)
reduced = {op: int(run(op, opset, x, axes=[0]).flat[0]) for op, opset in (("ReduceSum", 11), ("ReduceL1", 13), ("ReduceProd", 13))}
added = int(run("Add", 14, x[:1], x[:1]).flat[0])
print(reduced, "Add", added, "NumPy", x.sum(dtype=numpy.int32))
assert set(reduced.values()) == {top} and added == -2 and x.sum(dtype=numpy.int32) == -1
PYTHON
