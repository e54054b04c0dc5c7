"""What ONNX Runtime is asked about operators that move elements, choose among them or make them up (cases.py): a function a family."""
import itertools

import numpy
from cases import Constant
from operators import FLOATS, INTEGERS, NUMBERS, array, drawn, edges, inf, nan

ALL = NUMBERS + ["bool"]


def shapes(cases):
    for type in ALL:
        x = drawn(type, 2, 3, 4)
        for what, shape in {"plain": [4, 6], "rest": [2, -1], "kept": [0, -1], "keptlast": [0, 0, 4], "flat": [-1], "rank4": [1, 2, 3, 4]}.items():
            cases.add("Reshape", 14, what, [x, Constant(shape)])
        cases.add("Reshape", 14, "scalar", [drawn(type, 1), Constant([])])
        cases.add("Reshape", 14, "none", [drawn(type, 0, 3), Constant([3, 0])], {"allowzero": 1})
        for axis in (-3, -2, -1, 0, 1, 2, 3):
            cases.add("Flatten", 13, f"{axis}", [x], {"axis": axis})
        cases.add("Flatten", 13, "none", [drawn(type, 0, 3, 4)])
        for number, perm in enumerate(itertools.permutations(range(3))):
            cases.add("Transpose", 13, f"{number}", [x], {"perm": list(perm)})
        cases.add("Transpose", 13, "usual", [x])
        cases.add("Transpose", 13, "none", [drawn(type, 2, 0, 4)])
        for axes in ([0], [-1], [1, 3], [3, 1], [0, -1], [-2]):
            cases.add("Unsqueeze", 13, f"{axes}", [x, Constant(axes)])
        for what, axes in {"all": None, "first": [0], "last": [-1], "both": [2, 0]}.items():
            cases.add("Squeeze", 13, what, [drawn(type, 1, 3, 1) if what != "last" else drawn(type, 2, 3, 1)] +
                      ([] if axes is None else [Constant(axes)]))
        for what, shape in {"same": [3, 1], "wider": [3, 4], "more": [2, 1, 4], "one": [1, 1], "none": [0, 3, 4]}.items():
            cases.add("Expand", 13, what, [drawn(type, 3, 1), Constant(shape)])
        cases.add("Size", 13, "plain", [x])
        cases.add("Size", 13, "none", [drawn(type, 2, 0)])
        for number, given in enumerate([{}, {"start": 1}, {"start": -1}, {"end": -1}, {"start": 1, "end": 2}, {"start": -9, "end": 9},
                                        {"start": 2, "end": 1}]):
            cases.add("Shape", 15, f"{number}", [x], given)
        for number, sliced in enumerate([([1], [3]), ([0, 0], [2, 2]), ([-2], [2**62], [-1]), ([-1], [-9], [2], [-1]),
                                         ([3], [0], [2], [-2]), ([0, 1], [1, 9], [-1, 0]), ([5], [9], [0]), ([0], [2**63 - 1], [1], [2]),
                                         ([2**63 - 1], [-2**63], [1], [-1]), ([1], [1], [1]), ([-9], [2], [2])]):
            cases.add("Slice", 13, f"{number}", [x, *(Constant(each) for each in sliced)])
        for number, (axis, sizes, outputs) in enumerate([(0, None, 2), (1, [1, 2], 2), (-1, [1, 0, 3], 3), (2, None, 2)]):
            cases.add("Split", 13, f"{number}", [x] + ([] if sizes is None else [Constant(sizes)]), {"axis": axis}, outputs=outputs)
        for number, (axis, count) in enumerate([(0, 2), (1, 2), (2, 3), (-1, 4)]):
            cases.add("Split", 18, f"count/{number}", [x], {"axis": axis, "num_outputs": count}, outputs=count)
        for axis in (0, 1, -1):
            cases.add("Concat", 13, f"{axis}", [x, drawn(type, 2, 3, 4, seed=1)], {"axis": axis})
        cases.add("Concat", 13, "none", [x, drawn(type, 2, 0, 4)], {"axis": 1})
        cases.add("Concat", 13, "alone", [x], {"axis": 1})
        for number, repeats in enumerate([[1, 1, 1], [2, 1, 3], [1, 0, 2]]):
            cases.add("Tile", 13, f"{number}", [x, Constant(repeats)])
        for upper, k, dims in itertools.product((0, 1), (None, 0, 1, -1, 9, -9), ((3, 4), (2, 4, 3))):
            cases.add("Trilu", 14, f"{upper}/{k}/{len(dims)}", [drawn(type, *dims)] + ([] if k is None else [Constant(k)]), {"upper": upper})
        if type in FLOATS:
            cases.add("Trilu", 14, "nan", [array([[nan, inf], [-inf, nan]], type)])
        for mode in ("DCR", "CRD"):
            cases.add("DepthToSpace", 13, mode, [drawn(type, 2, 12, 2, 3)], {"blocksize": 2, "mode": mode})
        cases.add("SpaceToDepth", 13, "plain", [drawn(type, 2, 3, 4, 6)], {"blocksize": 2})
        cases.add("ConstantOfShape", 9, "plain", [Constant([2, 3])], {"value": drawn(type, 1)}, type=type)
        cases.add("ConstantOfShape", 9, "none", [Constant([0, 3])], {"value": drawn(type, 1)}, type=type)
        cases.add("ConstantOfShape", 9, "scalar", [Constant([])], {"value": drawn(type, 1)}, type=type)
        pads = {"constant": [([0, 1, 2, 1, 0, 1], None), ([0, 0, -1, 0, -1, 0], None), ([1, 0, 0, 0, 0, 1], 2)],
                "reflect": [([0, 1, 2, 1, 0, 1], None), ([0, 2, 3, 0, 2, 3], None)],
                "edge": [([0, 1, 2, 1, 0, 1], None), ([3, 0, 5, 0, 4, 0], None)], "wrap": [([0, 1, 2, 1, 0, 1], None)]}
        for mode, (number, (given, value)) in [(mode, each) for mode, rows in pads.items() for each in enumerate(rows)]:
            cases.add("Pad", 19 if mode == "wrap" else 13, f"{mode}/{number}",
                      [x, Constant(given)] + ([] if value is None else [Constant(value, type)]), {"mode": mode})
        cases.add("Pad", 18, "axes", [x, Constant([1, 2, 0, 1]), Constant(1, type), Constant([-1, 0])])
        cases.add("Pad", 13, "none", [drawn(type, 0, 3), Constant([1, 0, 0, 2])])
    cases.add("Constant", 13, "value", [], {"value": drawn("float32", 2, 3)}, type="float32")
    for type in FLOATS[1:] + ["int16", "int32", "int64"]:
        for number, (start, limit, step) in enumerate([(0, 5, 1), (1, 6, 2), (5, 0, -2), (3, 3, 1), (3, 1, 1), (-2, 3, 1)] +
                                                      ([(0, 1, 0.1), (1, 2, 0.3), (0.5, -2, -0.7)] if type in FLOATS else [])):
            cases.add("Range", 11, f"{number}", [Constant(each, type) for each in (start, limit, step)])


def gathers(cases):
    for type in ALL:
        x = drawn(type, 3, 4, 5)
        for axis, (number, indices) in itertools.product((0, 1, -1), enumerate([[0, 2, 1], [-1, -3], [[0, -2], [1, 1]], 1, []])):
            for of in ("int64", "int32"):
                cases.add("Gather", 13, f"{number}/{axis}/{of}", [x, array(indices, of)], {"axis": axis})
        cases.add("Gather", 13, "row", [drawn(type, 5), array([4, -5], "int64")])
        for axis, index in {0: [[[0] * 5] * 4, [[-1] * 5] * 4], 1: [[[0, 1, -1, -4, 3]] * 6] * 3, -1: [[[4, -5]] * 4] * 2}.items():
            for of in ("int64", "int32"):
                cases.add("GatherElements", 13, f"{axis}/{of}", [x, array(index, of)], {"axis": axis})
        cases.add("GatherElements", 13, "none", [x, numpy.zeros((0, 4, 5), "int64")])
        for what, index in {"all": [[0, 1, 2], [-1, -4, -5]], "rows": [[2], [-3]], "pairs": [[[1, 1]], [[-1, 0]]], "none": numpy.zeros((0, 2))}.items():
            cases.add("GatherND", 13, what, [x, array(index, "int64")])
        cases.add("GatherND", 13, "batch", [x, array([[0], [-1], [3]], "int64")], {"batch_dims": 1})
        cases.add("GatherND", 13, "batch2", [x, drawn("int64", 3, 4, 2, 1, low=-5, high=4)], {"batch_dims": 2})
        cases.add("ScatterND", 16, "all", [x, array([[0, 1, 2], [-1, -4, -5]], "int64"), drawn(type, 2, seed=1)])
        cases.add("ScatterND", 16, "rows", [x, array([[2], [-3]], "int64"), drawn(type, 2, 4, 5, seed=1)])
        cases.add("ScatterND", 16, "none", [x, numpy.zeros((0, 1), "int64"), drawn(type, 0, 4, 5)])
    for type in ("float32", "int32", "int64"):
        for axis in (-1, 0, 1):
            cases.add("OneHot", 11, f"{axis}", [array([[0, 2], [-1, 3]], type), Constant(3), array([2, 5], "float32")], {"axis": axis})
        cases.add("OneHot", 11, "outside", [array([7, -9, 2, -3], type), Constant(3), array([0, 1], "int64")])


def resizes(cases):
    sizes = {"up": [2.0, 3.0], "down": [0.5, 0.6], "odd": [1.7, 0.8], "same": [1.0, 1.0]}
    modes = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric"]
    for type, mode, place, (what, scales) in itertools.product(("float32", "float16", "float64", "int32", "uint8"), ("nearest", "linear"), modes,
                                                              sizes.items()):
        x = drawn(type, 1, 2, 5, 7, high=30)
        given = {"mode": mode, "coordinate_transformation_mode": place}
        opset = 19 if place == "half_pixel_symmetric" else 13
        wanted = [max(1, round(5 * scales[0])), max(1, round(7 * scales[1]))]
        for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil") if mode == "nearest" else (None,):
            more = {} if nearest is None else {"nearest_mode": nearest}
            name = f"{mode}/{place}/{what}" + (f"/{nearest}" if nearest else "")
            cases.add("Resize", opset, name + "/scales", [x, None, Constant([1, 1, *scales], "float32")], given | more)
            cases.add("Resize", opset, name + "/sizes", [x, None, None, Constant([1, 2, *wanted])], given | more)
    x = drawn("float32", 1, 2, 5, 7)
    for place, coefficient in itertools.product(("half_pixel", "align_corners"), (-0.75, -0.5)):
        cases.add("Resize", 13, f"cubic/{place}/{coefficient}", [x, None, Constant([1, 1, 1.5, 2], "float32")],
                  {"mode": "cubic", "coordinate_transformation_mode": place, "cubic_coeff_a": coefficient})
    for policy in ("stretch", "not_larger", "not_smaller"):
        cases.add("Resize", 18, f"axes/{policy}", [x, None, None, Constant([8, 9])],
                  {"mode": "linear", "axes": [2, 3], "keep_aspect_ratio_policy": policy})
    cases.add("Resize", 18, "antialias", [x, None, Constant([1, 1, 0.5, 0.5], "float32")], {"mode": "linear", "antialias": 1})
    cases.add("Resize", 13, "crop", [x, Constant([0, 0, 0.1, 0.2, 1, 1, 0.9, 0.8], "float32"), None, Constant([1, 2, 4, 6])],
              {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"})
    cases.add("Resize", 13, "line", [drawn("float32", 1, 2, 7), None, Constant([1, 1, 1.5], "float32")], {"mode": "linear"})
    cases.add("Resize", 13, "cube", [drawn("float32", 1, 2, 3, 4, 5), None, Constant([1, 1, 1.5, 2, 0.6], "float32")], {"mode": "linear"})
    for mode in ("nearest", "linear"):
        cases.add("Resize", 10, mode, [x, Constant([1, 1, 2, 1.5], "float32")], {"mode": mode})
        cases.add("Upsample", 9, mode, [x, Constant([1, 1, 2, 1.5], "float32")], {"mode": mode})
        cases.add("Upsample", 7, mode, [x], {"mode": mode, "scales": [1.0, 1.0, 2.0, 3.0]})
        for what, value in {"nan": nan, "inf": inf}.items():
            marked = x.copy()
            marked[0, 0, 2, 3] = value
            cases.add("Resize", 13, f"{mode}/{what}", [marked, None, Constant([1, 1, 2, 2], "float32")], {"mode": mode}, by_element=True,
                      tolerance=1e-4)


def suppressions(cases):
    corners = drawn("float32", 1, 8, 2, low=0, high=1)
    boxes = numpy.concatenate([corners, corners + 0.4], 2)
    boxes[0, 3] = boxes[0, 2]
    scores = drawn("float32", 1, 2, 8, low=0, high=1)
    for number, (most, overlap, least) in enumerate([(3, 0.5, 0.0), (8, 0.1, 0.2), (0, 0.5, 0.0), (8, 1.0, 0.5)]):
        for center in (0, 1):
            cases.add("NonMaxSuppression", 11, f"{number}/{center}",
                      [boxes, scores, Constant(most), Constant(overlap, "float32"), Constant(least, "float32")],
                      {"center_point_box": center})


FAMILIES = [shapes, gathers, resizes, suppressions]
