#pragma once
// One pipeline scheduled by Halide's grouping scheduler and compiled by it, to be run on our arrays.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// As Halide's scheduler takes it.
struct PeerMachine {
    int64_t parallelism = 16;
    int64_t lastLevelCache = int64_t{16} << 20;
    double balance = 40;
};

struct PeerArray {
    void *data = nullptr;
    std::vector<int64_t> shape; // slowest first
};

class HalidePeer {
  public:
    /// Names of the pipelines there are; one of "blur uint16" is the sample blur with other elements.
    static std::vector<std::string> names();

    /// Schedules and compiles. Throws std::runtime_error with what Halide says.
    HalidePeer(const std::string &name, const std::map<std::string, int64_t> &sizes, const PeerMachine &machine,
               const std::vector<PeerArray> &inputs, const std::vector<PeerArray> &outputs);
    ~HalidePeer();
    HalidePeer(HalidePeer &&) noexcept;
    HalidePeer &operator=(HalidePeer &&) = delete;

    void run();
    [[nodiscard]] const std::string &schedule() const { return m_schedule; }
    [[nodiscard]] double scheduleSeconds() const { return m_scheduleSeconds; }

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
    std::string m_schedule;
    double m_scheduleSeconds = 0;
};

} // namespace loopscope
