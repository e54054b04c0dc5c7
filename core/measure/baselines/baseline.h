#pragma once
// The libraries people compare a kernel with: OpenBLAS, BLIS and oneDNN, as Debian packages them. Nothing links against
// them: each is opened when asked for, with its symbols kept to itself, because OpenBLAS and BLIS export the same
// names. A library that is missing, or a problem a library has no primitive for, is a refusal saying so; the comparison
// goes on with the others. Libraries also abort and crash, so programs do not open them here but each in a process of
// its own (baseline_process.h).
//
// Timing a baseline fairly: `prepare` does what an inference program does once (choose the implementation, repack
// constant weights), `run` is what it does per call. Activations stay in the workload's layout. With two threads, the
// workers of OpenBLAS and oneDNN keep spinning for a while after a call (`restSeconds`); let that pass before timing
// anything else.

#include "base/outcome.h"
#include "measure/baselines/baseline_problem.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace loopscope {

enum class BaselineKind : uint8_t { OpenBlas, OneDnn, Blis };

std::span<const BaselineKind> allBaselines();
std::string_view baselineName(BaselineKind kind); // "openblas", "onednn", "blis": the words of --against
std::optional<BaselineKind> baselineFromName(std::string_view name);

/// A problem bound to buffers, ready to run any number of times. Not thread-safe; buffers must outlive it.
class PreparedBaseline {
  public:
    virtual ~PreparedBaseline() = default;
    virtual void run() = 0;
    /// The library's own name for the implementation it chose ("jit:avx2"), or what it was asked ("sgemm").
    [[nodiscard]] virtual std::string implementation() const = 0;
};

class Baseline {
  public:
    virtual ~Baseline() = default;
    [[nodiscard]] virtual BaselineKind kind() const = 0;
    /// "oneDNN 2.6.3", "BLIS 0.9.0 (zen3)"
    [[nodiscard]] virtual std::string name() const = 0;
    /// The problem with buffers whose contents are final for `weights`, `bias`, `scale`, `offset`: later changes to
    /// them may not be seen. Refuses what the library has no primitive for.
    [[nodiscard]] virtual Outcome<std::unique_ptr<PreparedBaseline>>
    prepare(const BaselineProblem &problem, const BaselineBuffers &buffers, int threads) const = 0;
    /// How long idle workers of this library may keep a core busy after a call with several threads.
    [[nodiscard]] virtual double restSeconds() const = 0;
};

/// Opens the library (once per process; it stays open, since its worker threads live on). The refusal names the file
/// that could not be opened, why, and the Debian package that has it. `ownChoice`: nothing is done to help the library
/// choose its kernels, which only the first call of a process decides.
Outcome<std::shared_ptr<const Baseline>> openBaseline(BaselineKind kind, bool ownChoice = false);

} // namespace loopscope
