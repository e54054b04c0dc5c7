# matmul: a schedule in TVM's tensor expressions (TVM up to 0.18).
import tvm
from tvm import te, tir

A = te.placeholder((512, 512), "float32", name="A")
B = te.placeholder((512, 512), "float32", name="B")
k = te.reduce_axis((0, 512), name="k")
C = te.compute((512, 512), lambda i, j: te.sum(A[i, k] * B[k, j], axis=[k]), name="C", attrs={"layout_free_placeholders": [B]})

s = te.create_schedule([C.op])
C_i, C_j = s[C].op.axis
C_k, = s[C].op.reduce_axis
C_k_0, C_k_1 = s[C].split(C_k, factor=16)
C_rf = s.rfactor(C, C_k_1, 2)
C_rf_i, C_rf_j, C_rf_k_inner = s[C_rf].op.axis
C_rf_k_outer, = s[C_rf].op.reduce_axis
s[C_rf].reorder(C_rf_k_outer, C_rf_i, C_rf_j, C_rf_k_inner)
s[C_rf].vectorize(C_rf_k_inner)
C_ax0, C_ax1 = s[C].op.axis
C_k_inner_v, = s[C].op.reduce_axis
s[C].bind(C_ax0, te.thread_axis("blockIdx.x"))
s[C_rf].compute_at(s[C], C_ax1)
s[C_rf].compute_root()

print(tvm.lower(s, [A, B, C], simple_mode=True))
