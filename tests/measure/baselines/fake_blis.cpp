// A library with the names of BLIS that misbehaves as LOOPSCOPE_FAKE_BLIS says: what a library does to the process that
// opens it cannot be tried on a real one that happens to work here.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

bool asked(const char *what) {
    const char *mode = std::getenv("LOOPSCOPE_FAKE_BLIS");
    return mode != nullptr && std::strcmp(mode, what) == 0;
}

int g_calls = 0;

/// No sanitizer is to stop it before it happens.
__attribute__((no_sanitize("undefined"))) void crash() {
    volatile int *volatile nowhere = nullptr;
    *nowhere = 1;
}

} // namespace

extern "C" {

void bli_thread_set_num_threads(long) {}
const char *bli_info_get_version_str() { return "0.9.0"; }
int bli_arch_query_id() { return 25; }
const char *bli_arch_string(int) { return "fake"; }

float cblas_snrm2(int n, const float *x, int increment) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double element = x[std::ptrdiff_t{i} * increment];
        sum += element * element;
    }
    return float(std::sqrt(sum)) + (asked("wrong") ? 1.0F : 0.0F);
}

/// Row by row, no operand transposed.
void cblas_sgemm(int, int, int, int m, int n, int k, float, const float *a, int lda, const float *b, int ldb, float,
                 float *c, int ldc) {
    ++g_calls;
    // The first call is made when the library is opened.
    if (asked("abort when opened") || (asked("abort") && g_calls == 2) || (asked("abort later") && g_calls == 6) ||
        (asked("dislikes help") && std::getenv("BLIS_ARCH_TYPE") != nullptr)) {
        std::fputs("libblis: Aborting.\n", stderr);
        std::abort();
    }
    if (asked("exit") && g_calls == 2) std::_Exit(3);
    if (asked("crash") && g_calls == 2) crash();
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l) sum += a[i * lda + l] * b[l * ldb + j];
            c[i * ldc + j] = asked("wrong") ? sum + 1 : sum;
        }
}
}
