# matmul_bias_relu: a schedule in TVM's tensor expressions (TVM up to 0.18).
import tvm
from tvm import te, tir

A = te.placeholder((64, 64), "float32", name="A")
B = te.placeholder((64, 64), "float32", name="B")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((64, 64), lambda i, j: te.sum(A[i, k] * B[k, j], axis=[k]), name="C")
bias = te.placeholder((64,), "float32", name="bias")
D = te.compute((64, 64), lambda i, j: C[i, j] + bias[j], name="D")
E = te.compute((64, 64), lambda i, j: tir.max(D[i, j], tir.const(0.0, "float32")), name="E")

s = te.create_schedule([E.op])
C_global, = s.cache_write([C], "global")
C_global_i_c, C_global_j_c = s[C_global].op.axis
C_global_k, = s[C_global].op.reduce_axis
C_global_i_c_0, C_global_i_c_2 = s[C_global].split(C_global_i_c, factor=8)
C_global_i_c_0, C_global_i_c_1 = s[C_global].split(C_global_i_c_0, factor=4)
C_global_j_c_0, C_global_j_c_1 = s[C_global].split(C_global_j_c, factor=16)
C_i, C_j = s[C].op.axis
C_i_0, C_i_1 = s[C].split(C_i, factor=32)
C_j_0, C_j_1 = s[C].split(C_j, factor=16)
s[C].reorder(C_i_0, C_j_0, C_i_1, C_j_1)
s[C_global].compute_at(s[C], C_j_0)
A_global = s.cache_read(A, "global", [C_global])
s[A_global].compute_at(s[C_global], C_global_i_c_0)
A_global_ax0, A_global_ax1 = s[A_global].op.axis
s[A_global].storage_align(A_global_ax0, 8, 4)
s[D].compute_inline()

print(tvm.lower(s, [A, B, bias, E], simple_mode=True))
