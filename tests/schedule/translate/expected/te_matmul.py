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
C_i_0, C_i_3 = s[C].split(C_i, factor=16)
C_i_0, C_i_2 = s[C].split(C_i_0, factor=2)
C_i_0, C_i_1 = s[C].split(C_i_0, factor=4)
C_j_0, C_j_2 = s[C].split(C_j, nparts=8)
C_j_1, C_j_2 = s[C].split(C_j_2, nparts=2)
C_k_0, C_k_1 = s[C].split(C_k, factor=8)
s[C].reorder(C_i_0, C_j_0, C_i_1, C_j_1, C_k_0, C_i_2, C_j_2, C_k_1, C_i_3)
C_i_0_j_0 = s[C].fuse(C_i_0, C_j_0)
s[C].parallel(C_i_0_j_0)
s[C].pragma(C_i_0_j_0, "auto_unroll_max_step", 64)
s[C].pragma(C_i_0_j_0, "unroll_explicit", True)
s[C].unroll(C_i_2)
s[C].vectorize(C_i_3)

print(tvm.lower(s, [A, B, C], simple_mode=True))
