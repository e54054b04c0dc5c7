# two_readers: a schedule in TVM's tensor expressions (TVM up to 0.18).
import tvm
from tvm import te, tir

A = te.placeholder((32, 24), "float32", name="A")
C = te.compute((32, 24), lambda i, j: A[i, j] * 2.0, name="C")
D = te.compute((32, 24), lambda i, j: C[i, j] + A[i, 0], name="D")

s = te.create_schedule([D.op])
A_local = s.cache_read(A, "local", [C, D])
s[A_local].compute_root()
A_local_ax0, A_local_ax1 = s[A_local].op.axis
A_local_ax1_0, A_local_ax1_1 = s[A_local].split(A_local_ax1, factor=4)
s[A_local].vectorize(A_local_ax1_1)
s[A_local].storage_align(A_local_ax0, 16, 1)
D_i, D_j = s[D].op.axis
D_i_0, D_i_1 = s[D].split(D_i, factor=4)
s[C].compute_at(s[D], D_i_0)

print(tvm.lower(s, [A, D], simple_mode=True))
