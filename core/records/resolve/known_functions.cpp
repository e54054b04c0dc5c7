#include "records/resolve/known_functions.h"

namespace loopscope {

const std::vector<TeFile> &knownFunctions() {
    static const std::vector<TeFile> functions = [] {
        std::vector<TeFile> all;
        const auto add = [&all](const char *text) { all.push_back(teFileOf(text, "a tutorial's function")); };
        add(R"(workload matmul_add(N = 1024, L = 1024, M = 1024)

A = placeholder [N, L] float32
B = placeholder [L, M] float32
C = placeholder [N, M] float32
matmul(i < N, j < M) = sum(k < L; A[i, k]*B[k, j]) @layout_free_placeholders["B"]
out(i < N, j < M) = matmul[i, j] + C[i, j]
args A, B, C, out
)");
        add(R"(workload conv2d_layer(N = 1, H = 7, W = 7, CO = 512, CI = 512, KH = 3, KW = 3, stride = 1, pad = 1)

data = placeholder [N, CI, H, W] float32
kernel = placeholder [CO, CI, KH, KW] float32
bias = placeholder [1, CO, 1, 1] float32
out = relu(add(conv2d_nchw(data, kernel, stride, pad), bias))
)");
        return all;
    }();
    return functions;
}

} // namespace loopscope
