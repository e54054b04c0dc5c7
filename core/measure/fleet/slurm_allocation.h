#pragma once
// Nodes that Slurm has given to this search: asked for, waited for, and given back when it ends, also when it is
// killed. Inside an allocation of the user's (salloc, sbatch) that one is used, and left to him.

#include "base/isolate/piped_child.h"
#include "measure/fleet/slurm.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

class SlurmAllocation {
  public:
    struct Node {
        std::string name;
        int cpus = 1;
    };

    /// Waits for the nodes, with a sentence now and then ("job 12 waits for Resources, 3 jobs before it"). Nothing when
    /// cancelled, and then no job is left. Refused with what is missing, or what Slurm says: no such partition, no
    /// permission, no such program.
    static Outcome<std::unique_ptr<SlurmAllocation>> make(const SlurmChoice &choice,
                                                          const std::function<void(const std::string &)> &tell,
                                                          const std::atomic<bool> *cancel);
    ~SlurmAllocation();
    SlurmAllocation(const SlurmAllocation &) = delete;
    SlurmAllocation &operator=(const SlurmAllocation &) = delete;

    [[nodiscard]] const std::string &job() const { return m_job; }
    [[nodiscard]] const std::vector<Node> &nodes() const { return m_nodes; }
    /// The user's own: ending it is his business.
    [[nodiscard]] bool isOurs() const { return m_holder != nullptr; }

  private:
    SlurmAllocation() = default;
    std::optional<Refusal> take(std::string_view job, std::string_view hosts, std::string_view cpus);

    SpawnThread m_spawner;
    std::unique_ptr<PipedChild> m_holder; // `salloc`, with something that ends when this process does
    std::string m_job;
    std::vector<Node> m_nodes;
};

} // namespace loopscope
