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
C_local, = s.cache_write([C], "local")
E_i, E_j = s[E].op.axis
E_i_0, E_i_2 = s[E].split(E_i, factor=8)
E_i_0, E_i_1 = s[E].split(E_i_0, factor=2)
E_j_0, E_j_2 = s[E].split(E_j, factor=16)
E_j_0, E_j_1 = s[E].split(E_j_0, factor=1)
s[E].reorder(E_i_0, E_j_0, E_i_1, E_j_1, E_i_2, E_j_2)
E_i_0_j_0 = s[E].fuse(E_i_0, E_j_0)
E_i_1_j_1 = s[E].fuse(E_i_1, E_j_1)
E_i_2_j_2 = s[E].fuse(E_i_2, E_j_2)
s[E].bind(E_i_0_j_0, te.thread_axis("blockIdx.x"))
s[E].bind(E_i_1_j_1, te.thread_axis("vthread"))
s[E].bind(E_i_2_j_2, te.thread_axis("threadIdx.x"))
C_local_i_c, C_local_j_c = s[C_local].op.axis
C_local_k, = s[C_local].op.reduce_axis
C_local_i_c_0, C_local_i_c_2 = s[C_local].split(C_local_i_c, factor=8)
C_local_i_c_0, C_local_i_c_1 = s[C_local].split(C_local_i_c_0, factor=2)
s[C].compute_inline()
s[D].compute_inline()
s[C_local].compute_at(s[E], E_i_2_j_2)
B_shared = s.cache_read(B, "shared", [C_local])
s[B_shared].compute_at(s[C_local], C_local_k)
B_shared_ax0, B_shared_ax1 = s[B_shared].op.axis
B_shared_ax0_ax1 = s[B_shared].fuse(B_shared_ax0, B_shared_ax1)
B_shared_ax0_ax1_0, B_shared_ax0_ax1_1 = s[B_shared].split(B_shared_ax0_ax1, factor=128)
s[B_shared].bind(B_shared_ax0_ax1_1, te.thread_axis("threadIdx.x"))

print(tvm.lower(s, [A, B, bias, E], simple_mode=True))
