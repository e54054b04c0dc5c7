# argmax: a schedule in TVM's tensor expressions (TVM up to 0.18).
import tvm
from tvm import te, tir

A = te.placeholder((64, 100), "float32", name="A")
k = te.reduce_axis((0, 100), name="k")
argmax_reduce = te.comm_reducer(lambda a, b: (tir.Select(tir.any(a[1] > b[1], tir.all(a[1] == b[1], a[0] < b[0])), a[0], b[0]), tir.Select(tir.any(a[1] > b[1], tir.all(a[1] == b[1], a[0] < b[0])), a[1], b[1])), lambda t0, t1: (tir.const(2147483647, "int32"), te.min_value("float32")), name="argmax_reduce")
argmax_v0, argmax_v1 = te.compute((64,), lambda i: argmax_reduce((k.var, A[i, k]), axis=[k]), name="argmax")

s = te.create_schedule([argmax_v0.op])
argmax_i, = s[argmax_v0].op.axis
argmax_k, = s[argmax_v0].op.reduce_axis
argmax_k_0, argmax_k_1 = s[argmax_v0].split(argmax_k, nparts=4)
argmax_rf_v0, argmax_rf_v1 = s.rfactor(argmax_v0, argmax_k_0, 0)
argmax_rf_k_outer, argmax_rf_i = s[argmax_rf_v0].op.axis
argmax_rf_k_inner, = s[argmax_rf_v0].op.reduce_axis
s[argmax_rf_v0].parallel(argmax_rf_k_outer)

print(tvm.lower(s, [A, argmax_v0, argmax_v1], simple_mode=True))
