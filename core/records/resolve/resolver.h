#pragma once
// From the key of a task to the workload it was made of. A key that names a function is looked for among the workloads
// of that name; a hash is compared with the hashes of workloads that could have the key's shapes: what the user gave,
// and the operators of the library with what networks fuse behind them (pattern_search.h). Whatever is found has been
// built and has the key; nothing is guessed.

#include "base/outcome.h"
#include "records/resolve/key_table.h"
#include "records/resolve/resolution.h"
#include "schedule/step.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

struct ResolverOptions {
    /// `.te` files, and folders whose `.te` files are taken (not those in folders below).
    std::vector<std::string> workloads;
    KeyTable keys;
    /// Combinations of operators tried for one key. Some two million are tried in a second.
    size_t maxCandidates = 1'000'000;
};

/// May be used from several threads at once; results are kept by key.
class Resolver {
  public:
    /// Throws Error for a file or folder that is not there or cannot be read; a `.te` file that is broken or makes no
    /// workload is kept as a problem and passed over.
    explicit Resolver(ResolverOptions options = {});
    ~Resolver();
    Resolver(const Resolver &) = delete;
    Resolver &operator=(const Resolver &) = delete;

    /// The workload of the key, or exactly why there is none.
    [[nodiscard]] Outcome<ResolutionPtr> resolve(const std::string &key,
                                                 const std::atomic<bool> *cancelled = nullptr) const;
    /// The hashed text of a task leaves out paddings and the windows of poolings: of the workloads that have the key,
    /// the first that these steps fit (fit.h). Refuses when they fit none, with why the first does not.
    [[nodiscard]] Outcome<ResolutionPtr> resolve(const std::string &key, const Steps &steps,
                                                 const std::atomic<bool> *cancelled = nullptr) const;
    /// All of them, the likeliest first; never empty.
    [[nodiscard]] Outcome<std::vector<ResolutionPtr>> candidates(const std::string &key,
                                                                 const std::atomic<bool> *cancelled = nullptr) const;

    /// Files of the options that could not be used, and why.
    [[nodiscard]] const std::vector<std::string> &problems() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace loopscope
