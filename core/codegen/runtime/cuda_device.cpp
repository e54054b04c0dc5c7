#include "codegen/runtime/cuda_device.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kEventPairs = 64; // launched before any of them is waited for
/// More calls than these are not timed one by one: overwriting the cache takes ten times as long as a short kernel, and
/// the mean of so many is as good.
constexpr int64_t kTimedCalls = 1000;
/// Times the size of the cache: it does not throw the oldest lines out first.
constexpr size_t kCacheFills = 2;

} // namespace

DeviceMemory::DeviceMemory(const CudaDriver &driver, size_t bytes, const std::string &what)
    : m_driver(&driver), m_bytes(bytes) {
    driver.check(driver->memoryAllocate(&m_at, std::max<size_t>(bytes, 1)),
                 fmt::format("the GPU has no {} bytes for {}", bytes, what));
}

DeviceMemory::~DeviceMemory() {
    if (m_at != 0) (*m_driver)->memoryFree(m_at);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : m_driver(other.m_driver), m_at(std::exchange(other.m_at, 0)), m_bytes(other.m_bytes) {}

Outcome<std::shared_ptr<CudaDevice>> CudaDevice::use() {
    static std::weak_ptr<CudaDevice> inUse;
    if (auto device = inUse.lock()) return device;
    Outcome<CudaDriver> driver = CudaDriver::open();
    if (!driver) return driver.refusal();
    auto device = std::make_shared<CudaDevice>(*driver);
    inUse = device;
    return device;
}

CudaDevice::CudaDevice(CudaDriver driver) : m_driver(driver) {
    m_driver.check(m_driver->deviceGet(&m_device, 0), "the GPU cannot be used");
    m_driver.check(m_driver->primaryContextRetain(&m_context, m_device), "the GPU cannot be used");
    if (const cuda::Result result = m_driver->contextSetCurrent(m_context); result != cuda::kSuccess) {
        m_driver->primaryContextRelease(m_device);
        m_driver.check(result, "the GPU cannot be used");
    }
}

CudaDevice::~CudaDevice() {
    for (const EventPair &pair : m_events) {
        m_driver->eventDestroy(pair.begin);
        m_driver->eventDestroy(pair.end);
    }
    m_cacheFill.reset();
    m_driver->primaryContextRelease(m_device);
}

void CudaDevice::prepareTiming() {
    if (!m_events.empty()) return;
    if (const int cacheBytes = m_driver.attribute(cuda::L2CacheSize, m_device); cacheBytes > 0)
        m_cacheFill = std::make_unique<DeviceMemory>(m_driver, kCacheFills * static_cast<size_t>(cacheBytes),
                                                     "overwriting its L2 cache");
    for (size_t i = 0; i < kEventPairs; ++i) {
        EventPair pair;
        m_driver.check(m_driver->eventCreate(&pair.begin, 0), "no event to time by");
        m_driver.check(m_driver->eventCreate(&pair.end, 0), "no event to time by");
        m_events.push_back(pair);
    }
}

double CudaDevice::time(int64_t calls, const std::function<void()> &work) {
    prepareTiming();
    const int64_t timed = std::min(calls, kTimedCalls);
    double seconds = 0;
    for (int64_t first = 0; first < timed; first += static_cast<int64_t>(kEventPairs)) {
        const auto pairs = static_cast<size_t>(std::min(timed - first, static_cast<int64_t>(kEventPairs)));
        for (size_t i = 0; i < pairs; ++i) {
            if (m_cacheFill)
                m_driver.check(m_driver->fillLater(m_cacheFill->at(), 0, m_cacheFill->bytes(), nullptr),
                               "the L2 cache cannot be overwritten");
            m_driver.check(m_driver->eventRecord(m_events[i].begin, nullptr), "an event cannot be recorded");
            work();
            m_driver.check(m_driver->eventRecord(m_events[i].end, nullptr), "an event cannot be recorded");
        }
        m_driver.check(m_driver->eventSynchronize(m_events[pairs - 1].end),
                       "the GPU failed while the kernel was timed");
        for (size_t i = 0; i < pairs; ++i) {
            float milliseconds = 0;
            m_driver.check(m_driver->eventElapsed(&milliseconds, m_events[i].begin, m_events[i].end),
                           "the GPU does not tell the time between two events");
            seconds += milliseconds * 1e-3;
        }
    }
    return seconds * (static_cast<double>(calls) / static_cast<double>(timed));
}

} // namespace loopscope
