#pragma once
// The GPU this process uses, with what all kernels on it share; and pieces of its memory.

#include "base/outcome.h"
#include "codegen/runtime/cuda_driver.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// Bytes of global memory. Throws Error, naming what they are for, when there are not so many.
class DeviceMemory {
  public:
    DeviceMemory(const CudaDriver &driver, size_t bytes, const std::string &what);
    ~DeviceMemory();
    DeviceMemory(DeviceMemory &&other) noexcept;
    DeviceMemory &operator=(DeviceMemory &&) = delete;
    [[nodiscard]] cuda::DevicePointer at(size_t offset = 0) const { return m_at + offset; }
    [[nodiscard]] size_t bytes() const { return m_bytes; }

  private:
    const CudaDriver *m_driver;
    cuda::DevicePointer m_at = 0;
    size_t m_bytes;
};

/// The first GPU, with its primary context, current on the thread that made it.
class CudaDevice {
  public:
    /// That of this process; whoever has it keeps it. Refused without a driver or a GPU.
    static Outcome<std::shared_ptr<CudaDevice>> use();
    explicit CudaDevice(CudaDriver driver); // throws Error
    ~CudaDevice();
    CudaDevice(const CudaDevice &) = delete;
    CudaDevice &operator=(const CudaDevice &) = delete;

    [[nodiscard]] const CudaDriver &driver() const { return m_driver; }
    /// Seconds that the device is busy with so many calls of `work` together, which launches and does not wait. Before
    /// each the L2 cache is overwritten, which does not count.
    double time(int64_t calls, const std::function<void()> &work);

  private:
    struct EventPair {
        cuda::Event begin = nullptr;
        cuda::Event end = nullptr;
    };
    void prepareTiming();

    CudaDriver m_driver;
    cuda::Device m_device = 0;
    cuda::Context m_context = nullptr;
    std::unique_ptr<DeviceMemory> m_cacheFill; // null: it has no such cache
    std::vector<EventPair> m_events;           // empty: nothing was timed yet
};

} // namespace loopscope
