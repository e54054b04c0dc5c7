#include "codegen/runtime/cuda_driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <type_traits>

namespace loopscope {

namespace {

constexpr const char *kUsualDriver = "libcuda.so.1";

/// Finds the functions; the first that is missing, or an empty text. Names with a version are those of the interface
/// with addresses of 64 bits.
std::string findFunctions(void *library, cuda::Functions &functions) {
    std::string missing;
    const auto find = [&](auto &function, const char *name) {
        void *symbol = ::dlsym(library, name);
        if (symbol == nullptr && missing.empty()) missing = name;
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find(functions.init, "cuInit");
    find(functions.errorName, "cuGetErrorName");
    find(functions.errorString, "cuGetErrorString");
    find(functions.deviceCount, "cuDeviceGetCount");
    find(functions.deviceGet, "cuDeviceGet");
    find(functions.deviceName, "cuDeviceGetName");
    find(functions.deviceAttribute, "cuDeviceGetAttribute");
    find(functions.deviceTotalMemory, "cuDeviceTotalMem_v2");
    find(functions.primaryContextRetain, "cuDevicePrimaryCtxRetain");
    find(functions.primaryContextRelease, "cuDevicePrimaryCtxRelease_v2");
    find(functions.contextSetCurrent, "cuCtxSetCurrent");
    find(functions.contextSynchronize, "cuCtxSynchronize");
    find(functions.moduleLoad, "cuModuleLoadDataEx");
    find(functions.moduleUnload, "cuModuleUnload");
    find(functions.moduleFunction, "cuModuleGetFunction");
    find(functions.functionSetAttribute, "cuFuncSetAttribute");
    find(functions.memoryAllocate, "cuMemAlloc_v2");
    find(functions.memoryFree, "cuMemFree_v2");
    find(functions.copyToDevice, "cuMemcpyHtoD_v2");
    find(functions.copyToHost, "cuMemcpyDtoH_v2");
    find(functions.fill, "cuMemsetD8_v2");
    find(functions.fillLater, "cuMemsetD8Async");
    find(functions.eventCreate, "cuEventCreate");
    find(functions.eventDestroy, "cuEventDestroy_v2");
    find(functions.eventRecord, "cuEventRecord");
    find(functions.eventSynchronize, "cuEventSynchronize");
    find(functions.eventElapsed, "cuEventElapsedTime");
    find(functions.launch, "cuLaunchKernel");
    return missing;
}

std::string driverPath() {
    const char *named = std::getenv("LOOPSCOPE_CUDA_DRIVER");
    return named != nullptr && *named != '\0' ? named : kUsualDriver;
}

std::string openingProblemOf(const std::string &path) {
    const char *why = ::dlerror();
    return fmt::format("the CUDA driver cannot be opened ({})", why != nullptr ? why : path);
}

/// One GPU is used; initialising the others of a machine that has several takes seconds.
void showOneDevice() {
    const char *shown = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string first = shown == nullptr ? "0" : std::string(shown).substr(0, std::string(shown).find(','));
    ::setenv("CUDA_VISIBLE_DEVICES", first.c_str(), 1);
}

} // namespace

std::string CudaDriver::whyMissing() {
    const std::string path = driverPath();
    void *library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return openingProblemOf(path);
    ::dlclose(library);
    return {};
}

Outcome<CudaDriver> CudaDriver::open() {
    const std::string path = driverPath();
    // Never closed: the driver's threads and its handlers at the end of the process need it.
    void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Refusal{openingProblemOf(path)};
    CudaDriver driver;
    if (const std::string missing = findFunctions(library, driver.m_functions); !missing.empty())
        return Refusal{fmt::format("the CUDA driver {} has no {}; one of CUDA 11 or newer has", path, missing)};
    // What it compiles is run once or twice: kept on disk it would push out what other programs keep there.
    ::setenv("CUDA_CACHE_DISABLE", "1", 0);
    showOneDevice();
    cuda::Result result = driver->init(0);
    int devices = 0;
    if (result == cuda::kSuccess) result = driver->deviceCount(&devices);
    if (result == cuda::kNoDevice || (result == cuda::kSuccess && devices == 0))
        return Refusal{"the CUDA driver finds no GPU"};
    if (result != cuda::kSuccess)
        return Refusal{fmt::format("the CUDA driver cannot be started: {}", driver.text(result))};
    return driver;
}

std::string CudaDriver::text(cuda::Result result) const {
    const char *name = nullptr;
    const char *sentence = nullptr;
    if (m_functions.errorName(result, &name) != cuda::kSuccess || name == nullptr)
        return fmt::format("error {} of the CUDA driver", result);
    if (m_functions.errorString(result, &sentence) != cuda::kSuccess || sentence == nullptr) return name;
    return fmt::format("{} ({})", name, sentence);
}

void CudaDriver::check(cuda::Result result, const std::string &what) const {
    if (result != cuda::kSuccess) throw Error(fmt::format("{}: {}", what, text(result)));
}

int CudaDriver::attribute(cuda::Attribute attribute, cuda::Device device) const {
    int value = 0;
    return m_functions.deviceAttribute(&value, attribute, device) == cuda::kSuccess ? value : 0;
}

} // namespace loopscope
