#pragma once
// For how long this process's threads were ready to run while others had the processors. A time that contains such
// waits is not the kernel's alone.

#include <vector>

namespace loopscope {

class ProcessorWait {
  public:
    ProcessorWait() = default;
    ~ProcessorWait();
    ProcessorWait(const ProcessorWait &) = delete;
    ProcessorWait &operator=(const ProcessorWait &) = delete;

    /// Of the threads there are now; opens files, which a kernel's process may do no longer once it is restricted.
    void watch();
    /// Seconds so far, of all watched threads together. Where the system does not tell, what the calling thread did not
    /// spend running.
    [[nodiscard]] double seconds() const;

  private:
    std::vector<int> m_files; // schedstat of each thread
};

} // namespace loopscope
