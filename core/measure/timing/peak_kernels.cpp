#include "measure/timing/peak_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace loopscope {

namespace {

// Read at run time, so that the compiler cannot know what the chains add up to.
volatile float g_factor = 0.999F;
volatile float g_term = 1e-3F;

// Twelve sums in flight hide the latency of an FMA (4 or 5 cycles) behind two units. Macros, since a function for wider
// registers than the program's own inlines no other function.
#define LOOPSCOPE_FMA_CHAINS(Vector, splat, fma)                                                                       \
    const Vector factor = splat(g_factor);                                                                             \
    const Vector term = splat(g_term);                                                                                 \
    Vector a = term, b = term, c = term, d = term, e = term, f = term;                                                 \
    Vector g = term, h = term, i = term, j = term, k = term, l = term;                                                 \
    for (int64_t turn = 0; turn < turns; ++turn) {                                                                     \
        a = fma(a, factor, term), b = fma(b, factor, term), c = fma(c, factor, term), d = fma(d, factor, term);        \
        e = fma(e, factor, term), f = fma(f, factor, term), g = fma(g, factor, term), h = fma(h, factor, term);        \
        i = fma(i, factor, term), j = fma(j, factor, term), k = fma(k, factor, term), l = fma(l, factor, term);        \
    }                                                                                                                  \
    const Vector sum = a + b + c + d + e + f + g + h + i + j + k + l;                                                  \
    *sink = sum[0];                                                                                                    \
    return 2.0 * 12 * (sizeof(Vector) / sizeof(float)) * static_cast<double>(turns)

// Eight sums: enough loads in flight, none waiting for an addition.
#define LOOPSCOPE_READ(Vector, splat, load)                                                                            \
    constexpr size_t lanes = sizeof(Vector) / sizeof(float);                                                           \
    Vector a = splat(0), b = a, c = a, d = a, e = a, f = a, g = a, h = a;                                              \
    for (const float *end = from + floats; from != end; from += 8 * lanes) {                                           \
        a += load(from), b += load(from + lanes), c += load(from + 2 * lanes), d += load(from + 3 * lanes);            \
        e += load(from + 4 * lanes), f += load(from + 5 * lanes), g += load(from + 6 * lanes);                         \
        h += load(from + 7 * lanes);                                                                                   \
    }                                                                                                                  \
    const Vector sum = a + b + c + d + e + f + g + h;                                                                  \
    *sink = sum[0]

using Vector4 = float __attribute__((vector_size(16)));
Vector4 splat4(float value) { return Vector4{value, value, value, value}; }
Vector4 load4(const float *from) { return *reinterpret_cast<const Vector4 *>(from); }

double multiplyAddAny(int64_t turns, volatile float *sink) {
#define LOOPSCOPE_MULTIPLY_ADD(x, y, z) ((x) * (y) + (z))
    LOOPSCOPE_FMA_CHAINS(Vector4, splat4, LOOPSCOPE_MULTIPLY_ADD);
#undef LOOPSCOPE_MULTIPLY_ADD
}
void readAny(const float *from, size_t floats, volatile float *sink) { LOOPSCOPE_READ(Vector4, splat4, load4); }

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) double multiplyAddAvx2(int64_t turns, volatile float *sink) {
    LOOPSCOPE_FMA_CHAINS(__m256, _mm256_set1_ps, _mm256_fmadd_ps);
}
__attribute__((target("avx2,fma"))) void readAvx2(const float *from, size_t floats, volatile float *sink) {
    LOOPSCOPE_READ(__m256, _mm256_set1_ps, _mm256_load_ps);
}

__attribute__((target("avx512f"))) double multiplyAddAvx512(int64_t turns, volatile float *sink) {
    LOOPSCOPE_FMA_CHAINS(__m512, _mm512_set1_ps, _mm512_fmadd_ps);
}
__attribute__((target("avx512f"))) void readAvx512(const float *from, size_t floats, volatile float *sink) {
    LOOPSCOPE_READ(__m512, _mm512_set1_ps, _mm512_load_ps);
}

#endif

} // namespace

PeakKernels peakKernels([[maybe_unused]] int vectorBytes) {
#if defined(__x86_64__)
    if (vectorBytes >= 64 && __builtin_cpu_supports("avx512f")) return {multiplyAddAvx512, readAvx512};
    if (vectorBytes >= 32 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return {multiplyAddAvx2, readAvx2};
#endif
    return {multiplyAddAny, readAny};
}

} // namespace loopscope
