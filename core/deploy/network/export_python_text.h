#pragma once
// A Python module that runs an exported network on arrays of NumPy, and checks it when it is run as a program. Internal
// to export_sources.

namespace loopscope {

inline constexpr const char *kExportPython =
    R"PY("""@NETWORK@ on arrays of NumPy, or of whatever else speaks DLPack, without copying them.

    import @NAME@
    network = @NAME@.Network()
    @OUTPUTS@ = network(@INPUTS@)

Needs lib@NAME@.so and @NAME@.weights beside it, or the library in build/. As a program, `python3 @NAME@.py`, it compares
what the network computes with the plain C entry, bit by bit, and with the reference in @NAME@.check.
"""

import ctypes
import os
import sys

import numpy

INPUTS = [
@INPUT_ROWS@]
OUTPUTS = [
@OUTPUT_ROWS@]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("rank", ctypes.c_int32),
        ("dtype", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Output:
    """A tensor that the library made. numpy.from_dlpack and torch.from_dlpack take it over, once."""

    def __init__(self, managed):
        self._managed = managed

    def __dlpack__(self, **_):
        if self._managed is None:
            raise BufferError("this output was taken over already")
        capsule = _new_capsule(ctypes.cast(self._managed, ctypes.c_void_p), b"dltensor", None)
        self._managed = None
        return capsule

    def __dlpack_device__(self):
        return (1, 0)

    def address(self):
        return ctypes.addressof(self._managed.contents)

    def __del__(self):
        if self._managed is not None:
            self._managed.contents.deleter(self._managed)


class Network:
    def __init__(self, folder=None):
        """Of the library and the weights in that folder; none: in the one of this file."""
        folder = folder or os.path.dirname(os.path.abspath(__file__))
        places = [os.path.join(folder, "lib@NAME@.so"), os.path.join(folder, "build", "lib@NAME@.so")]
        found = [place for place in places if os.path.exists(place)]
        if not found:
            raise FileNotFoundError(f"there is no {places[0]}, and none in {places[1]}: build it as CMakeLists.txt says")
        self.library = ctypes.CDLL(found[0])
        self.library.@NAME@_last_error.restype = ctypes.c_char_p
        self.library.@NAME@_new_output.restype = ctypes.POINTER(_Managed)
        self.library.@NAME@_load.restype = ctypes.c_void_p
        self.library.@NAME@_load.argtypes = [ctypes.c_char_p]
        self.library.@NAME@_unload.argtypes = [ctypes.c_void_p]
        self.library.@NAME@_unload.restype = None
        self.library.@NAME@_workspace_bytes.restype = ctypes.c_size_t
        self.library.@NAME@_packed.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int] + [ctypes.c_void_p] * 3
        self._weights = self.library.@NAME@_load(os.path.join(folder, "@NAME@.weights").encode())
        if not self._weights:
            raise RuntimeError(self.why())

    def __del__(self):
        if getattr(self, "_weights", None):
            self.library.@NAME@_unload(self._weights)

    def why(self):
        return self.library.@NAME@_last_error().decode()

    def packed(self, addresses):
        """Calls with the addresses of DLTensors: of all inputs, then of all outputs."""
        values = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        codes = (ctypes.c_int * max(len(addresses), 1))(*([7] * len(addresses)))
        ret, ret_code = ctypes.c_int64(), ctypes.c_int()
        status = self.library.@NAME@_packed(values, codes, len(addresses), ctypes.byref(ret), ctypes.byref(ret_code),
                                            self._weights)
        if status != 0:
            raise ValueError(self.why())

    def outputs(self, *inputs):
        """Runs, and returns objects for numpy.from_dlpack or torch.from_dlpack."""
        capsules = [value.__dlpack__() for value in inputs]  # they keep the arrays alive meanwhile
        made = []
        for i in range(len(OUTPUTS)):
            output = self.library.@NAME@_new_output(i)
            if not output:
                raise MemoryError(self.why())
            made.append(Output(output))
        self.packed([_capsule_pointer(c, b"dltensor") for c in capsules] + [output.address() for output in made])
        return made

    def __call__(self, *inputs):
        """Arrays in, arrays out; of one output the array itself."""
        arrays = tuple(numpy.from_dlpack(output) for output in self.outputs(*inputs))
        return arrays[0] if len(arrays) == 1 else arrays

    def plain(self, *inputs):
        """The same by the plain C entry, which looks at nothing but addresses."""
        results = [numpy.empty(shape, dtype) for _, dtype, shape in OUTPUTS]
        size = self.library.@NAME@_workspace_bytes() + 64
        workspace = numpy.empty(size, numpy.uint8)
        address = (workspace.ctypes.data + 63) // 64 * 64
        pointers = [self._weights, address] + [array.ctypes.data for array in (*inputs, *results)]
        self.library.@NAME@_run(*[ctypes.c_void_p(pointer) for pointer in pointers])
        return tuple(results)


def check(folder):
    """Prints what was compared; true when all is right."""
    with open(os.path.join(folder, "@NAME@.check"), "rb") as file:
        inputs = []
        for _, dtype, shape in INPUTS:
            inputs.append(numpy.fromfile(file, dtype, int(numpy.prod(shape, dtype=numpy.int64))).reshape(shape))
        expected = []
        for _, _, shape in OUTPUTS:
            expected.append(numpy.fromfile(file, "float64", int(numpy.prod(shape, dtype=numpy.int64))).reshape(shape))
    network = Network(folder)
    right = True
    for array, (name, _, _) in zip(inputs, INPUTS):
        capsule = array.__dlpack__()
        seen = ctypes.cast(_capsule_pointer(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
        shared = seen.data + seen.byte_offset == array.ctypes.data
        print(f"{name}: {'handed over where it lies' if shared else 'WRONG: copied'}")
        right = right and shared
    outputs = network.outputs(*inputs)
    places = [ctypes.cast(output.address(), ctypes.POINTER(_Tensor)).contents.data for output in outputs]
    results = [numpy.from_dlpack(output) for output in outputs]
    for i, plain in enumerate(network.plain(*inputs)):
        name, tolerance = OUTPUTS[i][0], [@TOLERANCES@][i]
        shared = results[i].ctypes.data == places[i]
        same = results[i].tobytes() == plain.tobytes()
        got = results[i].astype("float64")
        finite = numpy.isfinite(expected[i])
        alike = numpy.array_equal(got[~finite], expected[i][~finite], equal_nan=True)
        difference = numpy.abs(got - expected[i])[finite].max(initial=0.0)
        largest = numpy.abs(expected[i])[finite].max(initial=0.0)
        error = 0.0 if difference == 0 else difference / largest if largest > 0 else numpy.inf
        print(f"{name}: {'taken over where it lies' if shared else 'WRONG: copied'}, "
              f"{'the bits of the plain C entry' if same else 'WRONG: other bits than the plain C entry'}, "
              f"{'right' if alike and error <= tolerance else 'WRONG'}: largest error {error:.3g} of its largest element, "
              f"{tolerance:.3g} is allowed")
        right = right and shared and same and alike and bool(error <= tolerance)
    return right


if __name__ == "__main__":
    sys.exit(0 if check(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))) else 1)
)PY";

} // namespace loopscope
