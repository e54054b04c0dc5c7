# argmax: a schedule in TVM's tensor expressions (TVM up to 0.18).
import tvm
from tvm import te, tir

A = te.placeholder((64, 100), "float32", name="A")
k = te.reduce_axis((0, 100), name="k")
argmax_reduce = te.comm_reducer(lambda a, b: (tir.Select(tir.any(a[1] > b[1], tir.all(a[1] == b[1], a[0] < b[0])), a[0], b[0]), tir.Select(tir.any(a[1] > b[1], tir.all(a[1] == b[1], a[0] < b[0])), a[1], b[1])), lambda t0, t1: (tir.const(2147483647, "int32"), te.min_value("float32")), name="argmax_reduce")
argmax_v0, argmax_v1 = te.compute((64,), lambda i: argmax_reduce((k.var, A[i, k]), axis=[k]), name="argmax")

s = te.create_schedule([argmax_v0.op])
argmax_global_v0, argmax_global_v1 = s.cache_write([argmax_v0, argmax_v1], "global")
argmax_i, = s[argmax_v0].op.axis
s[argmax_v0].parallel(argmax_i)
s[argmax_global_v0].compute_at(s[argmax_v0], argmax_i)

print(tvm.lower(s, [A, argmax_v0, argmax_v1], simple_mode=True))
