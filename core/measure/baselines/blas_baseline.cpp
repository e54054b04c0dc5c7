// OpenBLAS and BLIS: both are asked through cblas_sgemm and cblas_snrm2, each through its own copy.
#include "measure/baselines/open_baselines.h"
#include "measure/baselines/shared_library.h"
#include "measure/baselines/spread_threads.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace loopscope {

namespace {

// The C interface to BLAS as the reference implementation fixes it; both libraries are built with 32-bit integers.
constexpr int rowMajor = 101;
constexpr int noTranspose = 111;
constexpr int transpose = 112;
using Sgemm = void (*)(int order, int transposeA, int transposeB, int m, int n, int k, float alpha, const float *a,
                       int lda, const float *b, int ldb, float beta, float *c, int ldc);
using Snrm2 = float (*)(int n, const float *x, int increment);
using SetThreads = void (*)(int);
using SetThreadsLong = void (*)(long);

struct BlasLibrary {
    Sgemm sgemm = nullptr;
    Snrm2 snrm2 = nullptr;
    SetThreads setThreads = nullptr;         // OpenBLAS
    SetThreadsLong setThreadsLong = nullptr; // BLIS: dim_t is 64 bits wide there
    void useThreads(int threads) const { setThreads != nullptr ? setThreads(threads) : setThreadsLong(threads); }
};

struct Operand {
    int transposed;
    int leading;
};

/// sgemm wants one of the two strides to be 1; the other is the leading dimension, at least as long as a line.
std::optional<Operand> operandOf(const MatrixLayout &layout, int64_t rows, int64_t columns) {
    if (layout.column == 1 || columns == 1) {
        const int64_t leading = rows == 1 ? columns : layout.row;
        if (leading >= columns) return Operand{noTranspose, int(leading)};
    }
    if (layout.row == 1 || rows == 1) {
        const int64_t leading = columns == 1 ? rows : layout.column;
        if (leading >= rows) return Operand{transpose, int(leading)};
    }
    return std::nullopt;
}

class PreparedSgemm : public PreparedBaseline {
  public:
    PreparedSgemm(const BlasLibrary &library, const MatmulProblem &problem, Operand a, Operand b, int ldc,
                  const float *dataA, const float *dataB, float *dataC, int threads)
        : m_library(library), m_problem(problem), m_a(a), m_b(b), m_ldc(ldc), m_dataA(dataA), m_dataB(dataB),
          m_dataC(dataC), m_threads(threads) {}

    void run() override {
        m_library.useThreads(m_threads);
        for (int64_t i = 0; i < m_problem.batch; ++i)
            m_library.sgemm(rowMajor, m_a.transposed, m_b.transposed, int(m_problem.m), int(m_problem.n),
                            int(m_problem.k), 1.0F, m_dataA + i * m_problem.a.batch, m_a.leading,
                            m_dataB + i * m_problem.b.batch, m_b.leading, 0.0F, m_dataC + i * m_problem.c.batch, m_ldc);
    }
    [[nodiscard]] std::string implementation() const override { return "sgemm"; }

  private:
    BlasLibrary m_library;
    MatmulProblem m_problem;
    Operand m_a, m_b;
    int m_ldc;
    const float *m_dataA, *m_dataB;
    float *m_dataC;
    int m_threads;
};

class PreparedNrm2 : public PreparedBaseline {
  public:
    PreparedNrm2(const BlasLibrary &library, const NormProblem &problem, const float *data, float *out, int threads)
        : m_library(library), m_problem(problem), m_data(data), m_out(out), m_threads(threads) {}

    void run() override {
        m_library.useThreads(m_threads);
        for (int64_t i = 0; i < m_problem.batch; ++i)
            m_out[i] = m_library.snrm2(int(m_problem.count), m_data + i * m_problem.count, 1);
    }
    [[nodiscard]] std::string implementation() const override { return "snrm2"; }

  private:
    BlasLibrary m_library;
    NormProblem m_problem;
    const float *m_data;
    float *m_out;
    int m_threads;
};

/// A product, and whether its left operand is the problem's weights.
struct AsProduct {
    MatmulProblem product;
    bool weightsLeft = false;
};

/// A convolution that is a product as it stands: 1x1, stride 1, no padding, one group. Channels last: all pixels times
/// the weights. Channels first: per image, the weights times all pixels.
Outcome<AsProduct> asProduct(const ConvProblem &conv) {
    if (conv.transposed || conv.groups != 1)
        return Refusal{"BLAS has no convolution, and only an ungrouped 1x1 one is a matrix product"};
    int64_t pixels = 1;
    for (size_t i = conv.axes.size(); i-- > 0;) {
        const ConvAxis &axis = conv.axes[i];
        if (axis.kernel != 1 || axis.stride != 1 || axis.padBefore != 0 || axis.padAfter != 0)
            return Refusal{"BLAS has no convolution, and only a 1x1 one with stride 1 and no padding is a matrix "
                           "product without copying the image"};
        const int64_t inner = conv.data.spatial[conv.axes.size() - 1];
        const int64_t innerOut = conv.out.spatial[conv.axes.size() - 1];
        if (conv.data.spatial[i] != pixels * inner || conv.out.spatial[i] != pixels * innerOut)
            return Refusal{"the pixels of the image do not lie at equal distances, as a matrix product needs"};
        pixels *= axis.input;
    }
    const size_t last = conv.axes.size() - 1;
    AsProduct result;
    MatmulProblem &product = result.product;
    product.k = conv.inChannels;
    product.tail = conv.tail;
    if (conv.out.channel == 1) {
        product.m = pixels;
        product.n = conv.outChannels;
        product.a = {conv.data.image, conv.data.spatial[last], conv.data.channel};
        product.b = {0, conv.weights.in, conv.weights.out};
        product.c = {conv.out.image, conv.out.spatial[last], 1};
        product.batch = conv.batch;
        if (product.a.batch == pixels * product.a.row && product.c.batch == pixels * product.c.row) {
            product.m *= conv.batch; // all images are one tall matrix
            product.batch = 1;
        }
    } else {
        result.weightsLeft = true;
        product.batch = conv.batch;
        product.m = conv.outChannels;
        product.n = pixels;
        product.a = {0, conv.weights.out, conv.weights.in};
        product.b = {conv.data.image, conv.data.channel, conv.data.spatial[last]};
        product.c = {conv.out.image, conv.out.channel, conv.out.spatial[last]};
    }
    return result;
}

class BlasBaseline : public Baseline {
  public:
    BlasBaseline(BaselineKind kind, std::string name, BlasLibrary library, double restSeconds)
        : m_kind(kind), m_name(std::move(name)), m_library(library), m_restSeconds(restSeconds) {}

    [[nodiscard]] BaselineKind kind() const override { return m_kind; }
    [[nodiscard]] std::string name() const override { return m_name; }
    [[nodiscard]] double restSeconds() const override { return m_restSeconds; }

    [[nodiscard]] Outcome<std::unique_ptr<PreparedBaseline>>
    prepare(const BaselineProblem &problem, const BaselineBuffers &buffers, int threads) const override {
        if (std::holds_alternative<SoftmaxProblem>(problem)) return Refusal{"BLAS has no softmax"};
        if (const auto *norm = std::get_if<NormProblem>(&problem)) {
            if (norm->count > INT32_MAX) return Refusal{"snrm2 takes extents below 2^31 only"};
            return std::unique_ptr<PreparedBaseline>(
                std::make_unique<PreparedNrm2>(m_library, *norm, buffers.data, buffers.out, threads));
        }
        AsProduct form;
        if (const auto *conv = std::get_if<ConvProblem>(&problem)) {
            Outcome<AsProduct> product = asProduct(*conv);
            if (!product) return product.refusal();
            form = *product;
        } else {
            form.product = std::get<MatmulProblem>(problem);
        }
        const MatmulProblem &product = form.product;
        if (product.tail.any())
            return Refusal{"BLAS cannot fuse a bias, a scale, a residual or a relu into the product"};
        const std::optional<Operand> a = operandOf(product.a, product.m, product.k);
        const std::optional<Operand> b = operandOf(product.b, product.k, product.n);
        const std::optional<Operand> c = operandOf(product.c, product.m, product.n);
        if (!a || !b || !c || c->transposed != noTranspose)
            return Refusal{"sgemm needs operands whose rows or columns are contiguous, and a result with contiguous "
                           "rows"};
        const int64_t largest = std::max({product.m, product.n, product.k});
        if (largest > INT32_MAX) return Refusal{"sgemm takes extents below 2^31 only"};
        return std::unique_ptr<PreparedBaseline>(std::make_unique<PreparedSgemm>(
            m_library, product, *a, *b, c->leading, form.weightsLeft ? buffers.weights : buffers.data,
            form.weightsLeft ? buffers.data : buffers.weights, buffers.out, threads));
    }

  private:
    BaselineKind m_kind;
    std::string m_name;
    BlasLibrary m_library;
    double m_restSeconds;
};

Refusal lacks(const SharedLibrary &library, const char *symbols) {
    return Refusal{library.file() + " was opened but lacks " + symbols + "; Loopscope knows the versions of Debian 12"};
}

/// BLIS 0.9 picks its AVX-512 kernels only where it recognises the processor's marketing name, which virtual machines
/// hide; it then falls back to kernels up to three times slower. Number 0 is the Skylake-X family in its list. Where
/// AVX-512 is missing its own choice is right, and forcing this one would crash; a user's setting is kept. Where a
/// processor does not take it the process dies, and the library is opened once more without.
void helpBlisChoose(const std::string &version) {
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (avx512 && version.starts_with("0.9")) setenv("BLIS_ARCH_TYPE", "0", 0);
}

/// A library that ends its process at the first call does so now, while nothing depends on it. BLIS initialises itself
/// with it: asked before which architecture it takes, it aborts whenever BLIS_ARCH_TYPE is set.
void multiplyOnce(Sgemm sgemm) {
    constexpr int n = 2;
    const float a[n * n] = {1, 2, 3, 4};
    float c[n * n] = {};
    sgemm(rowMajor, noTranspose, noTranspose, n, n, n, 1.0F, a, n, a, n, 0.0F, c, n);
}

} // namespace

Outcome<std::shared_ptr<const Baseline>> openOpenBlas(bool /*ownChoice*/) {
    // Its idle workers poll for 2^28 cycles, a tenth of a second, unless told otherwise when it is loaded. 2^22
    // outlasts the gap between two calls of one measurement by far, and frees the cores for the next contender.
    setenv("OPENBLAS_THREAD_TIMEOUT", "22", 0);
    const std::vector<int> before = threadIds();
    Outcome<SharedLibrary> library = SharedLibrary::open("libopenblas.so.0", "libopenblas0-pthread");
    if (!library) return library.refusal();
    spreadNewThreads(before); // its workers are made as it is loaded
    BlasLibrary blas;
    blas.sgemm = library->find<Sgemm>("cblas_sgemm");
    blas.snrm2 = library->find<Snrm2>("cblas_snrm2");
    blas.setThreads = library->find<SetThreads>("openblas_set_num_threads");
    const auto config = library->find<char *(*)()>("openblas_get_config");
    const auto core = library->find<char *(*)()>("openblas_get_corename");
    if (blas.sgemm == nullptr || blas.snrm2 == nullptr || blas.setThreads == nullptr || config == nullptr ||
        core == nullptr)
        return lacks(
            *library,
            "cblas_sgemm, cblas_snrm2, openblas_set_num_threads, openblas_get_config or openblas_get_corename");
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ... Zen MAX_THREADS=64"
    const std::string words = config();
    const std::string name = words.substr(0, words.find(' ', words.find(' ') + 1)) + " (" + core() + ")";
    return std::shared_ptr<const Baseline>(std::make_shared<BlasBaseline>(BaselineKind::OpenBlas, name, blas, 0.005));
}

Outcome<std::shared_ptr<const Baseline>> openBlis(bool ownChoice) {
    Outcome<SharedLibrary> library = SharedLibrary::open("libblis.so.4", "libblis4-pthread");
    if (!library) return library.refusal();
    BlasLibrary blas;
    blas.sgemm = library->find<Sgemm>("cblas_sgemm");
    blas.snrm2 = library->find<Snrm2>("cblas_snrm2");
    blas.setThreadsLong = library->find<SetThreadsLong>("bli_thread_set_num_threads");
    const auto version = library->find<const char *(*)()>("bli_info_get_version_str");
    const auto architecture = library->find<int (*)()>("bli_arch_query_id");
    const auto architectureName = library->find<const char *(*)(int)>("bli_arch_string");
    if (blas.sgemm == nullptr || blas.snrm2 == nullptr || blas.setThreadsLong == nullptr || version == nullptr ||
        architecture == nullptr || architectureName == nullptr)
        return lacks(
            *library,
            "cblas_sgemm, cblas_snrm2, bli_thread_set_num_threads, bli_info_get_version_str, bli_arch_query_id "
            "or bli_arch_string");
    if (!ownChoice) helpBlisChoose(version());
    multiplyOnce(blas.sgemm);
    const std::string name = std::string("BLIS ") + version() + " (" + architectureName(architecture()) + ")";
    // BLIS makes its threads for each call and joins them: nothing spins afterwards.
    return std::shared_ptr<const Baseline>(std::make_shared<BlasBaseline>(BaselineKind::Blis, name, blas, 0.0));
}

} // namespace loopscope
