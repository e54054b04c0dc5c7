#include "fma_peak.h"

#include <algorithm>
#include <chrono>

#include <immintrin.h>

namespace loopscope {

namespace {

constexpr int turns = 200000;

// Ten sums in flight hide the latency of an FMA (4 or 5 cycles) behind two units. The empty asm keeps the compiler from
// knowing the values, so that it cannot shorten the loop.
__attribute__((target("avx2,fma"))) double flopsAvx2() {
    __m256 sums[10];
    for (auto &sum : sums) sum = _mm256_set1_ps(1.0F);
    __m256 factor = _mm256_set1_ps(0.999F);
    __m256 term = _mm256_set1_ps(1e-3F);
    asm volatile("" : "+x"(factor), "+x"(term));
    for (int turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 10
        for (auto &sum : sums) sum = _mm256_fmadd_ps(sum, factor, term);
    }
    for (auto &sum : sums) asm volatile("" : : "x"(sum));
    return 2.0 * 8 * 10 * turns;
}

__attribute__((target("avx512f"))) double flopsAvx512() {
    __m512 sums[10];
    for (auto &sum : sums) sum = _mm512_set1_ps(1.0F);
    __m512 factor = _mm512_set1_ps(0.999F);
    __m512 term = _mm512_set1_ps(1e-3F);
    asm volatile("" : "+v"(factor), "+v"(term));
    for (int turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 10
        for (auto &sum : sums) sum = _mm512_fmadd_ps(sum, factor, term);
    }
    for (auto &sum : sums) asm volatile("" : : "v"(sum));
    return 2.0 * 16 * 10 * turns;
}

} // namespace

double fmaPeakGflops() {
    using Clock = std::chrono::steady_clock;
    double best = 0;
    for (int sample = 0; sample < 100; ++sample) {
        const Clock::time_point start = Clock::now();
        const double flops = __builtin_cpu_supports("avx512f") ? flopsAvx512() : flopsAvx2();
        best = std::max(best, flops / std::chrono::duration<double>(Clock::now() - start).count() * 1e-9);
    }
    return best;
}

} // namespace loopscope
