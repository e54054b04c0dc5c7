#!/usr/bin/env python3
"""Asks ONNX Runtime what single operators make of ordinary, odd and extreme inputs, and writes its answers down, a line of JSON
a case (tests/networks/onnx/oracle_cases.h reads them); beside them the operator tests of the onnx package, a folder each.

    build/peers/onnx/bin/python tests/networks/onnx/oracle/cases.py build/peers/oracle [--only PATTERN]

A name is OPERATOR/OPSET/TYPE/WHAT. What ONNX Runtime has no kernel for, or refuses, is counted and left out (refused.txt says
why). The same script gives the same cases. No integer is divided by zero or the least by -1: ONNX Runtime dies of that.
What is asked about the operators is in operators.py and moving.py.
"""
import argparse
import collections
import fnmatch
import json
import os
import shutil
import sys
import warnings

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

ONNX_TYPES = {"bool": onnx.TensorProto.BOOL, "int8": onnx.TensorProto.INT8, "uint8": onnx.TensorProto.UINT8,
              "int16": onnx.TensorProto.INT16, "uint16": onnx.TensorProto.UINT16, "int32": onnx.TensorProto.INT32,
              "uint32": onnx.TensorProto.UINT32, "int64": onnx.TensorProto.INT64, "float16": onnx.TensorProto.FLOAT16,
              "float32": onnx.TensorProto.FLOAT, "float64": onnx.TensorProto.DOUBLE}
TOLERANCES = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-7}


class Constant:
    """An input that the model carries, because import has to know it."""

    def __init__(self, values, dtype=numpy.int64):
        self.array = numpy.array(values, dtype=dtype)


def plain(array):
    """As JSON has it."""
    def number(value):
        if array.dtype.kind != "f":
            return int(value)
        if numpy.isnan(value):
            return "nan"
        return float(value) if numpy.isfinite(value) else ("inf" if value > 0 else "-inf")
    return {"type": str(array.dtype), "dims": list(array.shape), "values": [number(value) for value in array.flat]}


class Cases:
    """Collects them, asks for each, and keeps the answers."""

    def __init__(self, folder, only):
        self.out = open(os.path.join(folder, "cases.jsonl"), "w")
        self.refused = open(os.path.join(folder, "refused.txt"), "w")
        self.only = only
        self.names = set()
        self.counts = collections.Counter()

    def add(self, op, opset, what, inputs, attributes=None, outputs=1, by_element=False, tolerance=None, type=None):
        """`type` is that of the name; of the first input unless it is given. Outputs that are None are not asked for."""
        arrays = [each.array if isinstance(each, Constant) else each for each in inputs]
        type = type or str(arrays[0].dtype)
        name = f"{op}/{opset}/{type}/{what}"
        if not fnmatch.fnmatchcase(name, self.only):
            return
        assert name not in self.names, name
        self.names.add(name)
        answers = self.ask(op, opset, name, inputs, arrays, attributes or {}, outputs)
        if answers is None:
            return
        self.counts["asked"] += 1
        if tolerance is None:
            tolerance = max([TOLERANCES.get(str(answer.dtype), 0) for answer in answers] +
                            [TOLERANCES.get(type, 0)])
        line = {"name": name, "opset": opset, "attributes": self.plain_attributes(attributes or {}),
                "inputs": [None if array is None else
                           plain(array) | ({"constant": True} if isinstance(given, Constant) else {})
                           for given, array in zip(inputs, arrays)],
                "outputs": [plain(answer) for answer in answers], "tolerance": tolerance, "by_element": by_element}
        self.out.write(json.dumps(line, separators=(",", ":")) + "\n")

    @staticmethod
    def plain_attributes(attributes):
        return {name: plain(value) if isinstance(value, numpy.ndarray) else value for name, value in attributes.items()}

    def ask(self, op, opset, name, inputs, arrays, attributes, outputs):
        given = {name: numpy_helper.from_array(value) if isinstance(value, numpy.ndarray) else value
                 for name, value in attributes.items()}
        names = ["" if array is None else f"x{i}" for i, array in enumerate(arrays)]
        results = [f"y{i}" for i in range(outputs)]
        graph = helper.make_graph(
            [helper.make_node(op, names, results, **given)], "oracle",
            [helper.make_tensor_value_info(f"x{i}", ONNX_TYPES[str(array.dtype)], array.shape)
             for i, array in enumerate(arrays) if array is not None and not isinstance(inputs[i], Constant)],
            [helper.make_empty_tensor_value_info(result) for result in results],
            [numpy_helper.from_array(array, f"x{i}") for i, array in enumerate(arrays) if isinstance(inputs[i], Constant)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
            return session.run(None, {f"x{i}": array for i, array in enumerate(arrays)
                                      if array is not None and not isinstance(inputs[i], Constant)})
        except Exception as error:  # of several kinds
            why = str(error).replace("\n", " ")
            self.counts["without a kernel" if "NOT_IMPLEMENTED" in why else "refused by it"] += 1
            self.refused.write(f"{name}: {why[:300]}\n")
            return None


def write_node_tests(folder):
    """What onnx.backend.test has for nodes, as it keeps such cases in folders."""
    from onnx.backend.test.case.node import collect_testcases
    shutil.rmtree(os.path.join(folder, "node"), ignore_errors=True)
    written = 0
    for case in collect_testcases(None):
        if case.model is None or not all(isinstance(each, numpy.ndarray) for given, wanted in case.data_sets
                                         for each in [*given, *wanted]):
            continue  # sequences, and values that are left out
        at = os.path.join(folder, "node", case.name)
        os.makedirs(at)
        onnx.save(case.model, os.path.join(at, "model.onnx"))
        for number, (given, wanted) in enumerate(case.data_sets):
            data = os.path.join(at, f"test_data_set_{number}")
            os.makedirs(data)
            for kind, arrays, infos in (("input", given, case.model.graph.input), ("output", wanted, case.model.graph.output)):
                for i, (array, info) in enumerate(zip(arrays, infos)):
                    onnx.save_tensor(numpy_helper.from_array(array, info.name), os.path.join(data, f"{kind}_{i}.pb"))
        written += 1
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--only", default="*", help="of names; nothing else is written")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    warnings.simplefilter("ignore")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import moving
    import operators
    cases = Cases(arguments.folder, arguments.only)
    for family in operators.FAMILIES + moving.FAMILIES:
        family(cases)
    cases.out.close()
    print(", ".join(f"{count} {what}" for what, count in cases.counts.items()))
    if arguments.only == "*":
        print(f"{write_node_tests(arguments.folder)} cases of onnx {onnx.__version__}")


if __name__ == "__main__":
    sys.modules["cases"] = sys.modules["__main__"]
    main()
