// A CUDA driver without a GPU, for tests of what talks to one. Memory of the device is memory of the process; a kernel
// that is launched computes what the environment says, since nothing here runs PTX; the clock goes on by a fixed time
// for each launch and each fill. It is as strict as a driver where that shows mistakes of its caller: unknown kernels,
// blocks of another size than the code asks for, shared memory that was not asked for before, bytes outside of what was
// allocated.
//
//   LOOPSCOPE_MOCK_CUDA_LOG=FILE         a line a call is appended
//   LOOPSCOPE_MOCK_CUDA_ANSWER=add:N     a kernel with three pointers adds N floats; matmul:M,N,K multiplies matrices
//   LOOPSCOPE_MOCK_CUDA_FAIL=FUNCTION:ERROR[:FILE]
//                                        that function returns the error; with FILE only in the process that was the
//                                        first to delete it. Errors of kernels (700 to 799) stay, as a driver's do;
//                                        -1: it crashes, -2: it never returns
//   LOOPSCOPE_MOCK_CUDA_WRITES=P:OFFSET  each kernel writes a byte there, from where its pointer P points
//   LOOPSCOPE_MOCK_CUDA_ARCH=80, _DEVICES=1, _MEMORY=bytes

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#define MOCK_CUDA extern "C" __attribute__((visibility("default"))) int

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNotInitialized = 3;
constexpr int kInvalidContext = 201;
constexpr int kInvalidPtx = 218;
constexpr int kNotFound = 500;
constexpr int kFirstSticky = 700; // up to 799
constexpr double kKernelMilliseconds = 0.25;
constexpr double kFillMilliseconds = 10; // of the cache; were it counted, it would be seen

struct Kernel {
    std::string name;
    size_t pointers = 0;
    unsigned threads[3] = {0, 0, 0}; // that it asks for
    int dynamicBytes = 48 * 1024;    // that a launch may ask for
};
struct Module {
    std::vector<std::unique_ptr<Kernel>> kernels;
};
struct Event {
    double at = -1;
};

bool g_initialized = false;
bool g_context = false;
int g_sticky = 0;
double g_clock = 0; // milliseconds
std::map<uintptr_t, std::pair<std::unique_ptr<unsigned char[]>, size_t>> g_memory;
size_t g_allocated = 0;

const char *setting(const char *name, const char *otherwise) {
    const std::string full = std::string("LOOPSCOPE_MOCK_CUDA_") + name;
    const char *value = std::getenv(full.c_str());
    return value != nullptr ? value : otherwise;
}

void note(const std::string &line) {
    const char *path = setting("LOG", nullptr);
    if (path == nullptr) return;
    if (FILE *file = std::fopen(path, "a")) {
        std::fprintf(file, "%s\n", line.c_str());
        std::fclose(file);
    }
}

/// What a call is to return at once; 0: it goes on.
int failure(const char *function, bool needsContext = true) {
    if (!g_initialized && std::strcmp(function, "cuInit") != 0) return kNotInitialized;
    if (needsContext && !g_context) return kInvalidContext;
    if (g_sticky != 0) return g_sticky;
    const std::string asked = setting("FAIL", "");
    const size_t colon = asked.find(':');
    if (colon == std::string::npos || asked.substr(0, colon) != function) return 0;
    const int error = std::atoi(asked.c_str() + colon + 1);
    const size_t file = asked.find(':', colon + 1);
    static bool mine = false;
    if (file != std::string::npos && !mine && ::unlink(asked.c_str() + file + 1) != 0) return 0;
    mine = true;
    note(std::string(function) + " fails");
    if (error == -1) std::raise(SIGSEGV);
    if (error == -2)
        for (;;) ::pause();
    if (error >= kFirstSticky && error < kFirstSticky + 100) g_sticky = error;
    return error;
}

bool owned(uintptr_t at, size_t bytes) {
    const auto after = g_memory.upper_bound(at);
    if (after == g_memory.begin()) return false;
    const auto &[begin, piece] = *std::prev(after);
    return at + bytes <= begin + piece.second;
}

/// The kernels of PTX text: their names, parameters and threads.
std::unique_ptr<Module> read(const std::string &ptx) {
    auto module = std::make_unique<Module>();
    for (size_t at = ptx.find(".entry"); at != std::string::npos; at = ptx.find(".entry", at + 1)) {
        const size_t open = ptx.find('(', at);
        const size_t close = ptx.find(')', open);
        const size_t body = ptx.find('{', close);
        if (body == std::string::npos) break;
        auto kernel = std::make_unique<Kernel>();
        const size_t name = ptx.find_first_not_of(" \t", at + 6);
        kernel->name = ptx.substr(name, ptx.find_first_of(" \t\n(", name) - name);
        const std::string parameters = ptx.substr(open, close - open);
        for (size_t p = parameters.find(".param"); p != std::string::npos; p = parameters.find(".param", p + 1))
            ++kernel->pointers;
        const std::string facts = ptx.substr(close, body - close);
        if (const size_t threads = facts.find(".reqntid"); threads != std::string::npos)
            std::sscanf(facts.c_str() + threads, ".reqntid %u, %u, %u", &kernel->threads[0], &kernel->threads[1],
                        &kernel->threads[2]);
        module->kernels.push_back(std::move(kernel));
    }
    return module;
}

/// What a kernel with pointers to A, B and C leaves in C.
void compute(const std::vector<uintptr_t> &pointers) {
    const std::string answer = setting("ANSWER", "");
    if (answer.empty() || pointers.size() != 3) return;
    const auto *a = reinterpret_cast<const float *>(pointers[0]);
    const auto *b = reinterpret_cast<const float *>(pointers[1]);
    auto *c = reinterpret_cast<float *>(pointers[2]);
    int m = 0;
    int n = 0;
    int k = 0;
    if (std::sscanf(answer.c_str(), "add:%d", &n) == 1)
        for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
    if (std::sscanf(answer.c_str(), "matmul:%d,%d,%d", &m, &n, &k) != 3) return;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int l = 0; l < k; ++l) sum += static_cast<double>(a[i * k + l]) * b[l * n + j];
            c[i * n + j] = static_cast<float>(sum);
        }
}

int attributeOf(int attribute) {
    const int arch = std::atoi(setting("ARCH", "80"));
    switch (attribute) {
    case 1: // threads of a block
        return 1024;
    case 8: // shared memory of a block
        return 48 * 1024;
    case 10: // threads of a warp
        return 32;
    case 12: // registers of a block
        return 65536;
    case 13: // clock in kHz
        return 1500000;
    case 16: // multiprocessors
        return 7;
    case 36: // clock of the memory in kHz
        return 1000000;
    case 37: // bits of its bus
        return 1024;
    case 38: // bytes of the L2 cache
        return 1 << 20;
    case 39: // threads of a multiprocessor
        return 2048;
    case 75: // compute capability
        return arch / 10;
    case 76:
        return arch % 10;
    case 81: // shared memory of a multiprocessor
        return 164 * 1024;
    case 82: // registers of a multiprocessor
        return 65536;
    case 97: // shared memory a block may ask for
        return 163 * 1024;
    case 106: // blocks of a multiprocessor
        return 32;
    case 111: // shared memory kept of each block's
        return 1024;
    default:
        return 0;
    }
}

} // namespace

MOCK_CUDA cuInit(unsigned) {
    if (const int error = failure("cuInit", false)) return error;
    g_initialized = true;
    return 0;
}

MOCK_CUDA cuGetErrorName(int error, const char **name) {
    static const std::map<int, const char *> names = {
        {0, "CUDA_SUCCESS"},
        {1, "CUDA_ERROR_INVALID_VALUE"},
        {2, "CUDA_ERROR_OUT_OF_MEMORY"},
        {3, "CUDA_ERROR_NOT_INITIALIZED"},
        {100, "CUDA_ERROR_NO_DEVICE"},
        {201, "CUDA_ERROR_INVALID_CONTEXT"},
        {218, "CUDA_ERROR_INVALID_PTX"},
        {500, "CUDA_ERROR_NOT_FOUND"},
        {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
        {999, "CUDA_ERROR_UNKNOWN"},
    };
    const auto found = names.find(error);
    *name = found == names.end() ? nullptr : found->second;
    return found == names.end() ? kInvalidValue : 0;
}

MOCK_CUDA cuGetErrorString(int error, const char **sentence) {
    *sentence = error == 700 ? "an illegal memory access was encountered" : "the mock says no";
    return 0;
}

MOCK_CUDA cuDeviceGetCount(int *count) {
    if (const int error = failure("cuDeviceGetCount", false)) return error;
    *count = std::atoi(setting("DEVICES", "1"));
    return 0;
}

MOCK_CUDA cuDeviceGet(int *device, int ordinal) {
    if (const int error = failure("cuDeviceGet", false)) return error;
    *device = ordinal;
    return ordinal == 0 ? 0 : kInvalidValue;
}

MOCK_CUDA cuDeviceGetName(char *name, int bytes, int) {
    std::snprintf(name, static_cast<size_t>(bytes), "Mock GPU");
    return failure("cuDeviceGetName", false);
}

MOCK_CUDA cuDeviceGetAttribute(int *value, int attribute, int) {
    *value = attributeOf(attribute);
    return failure("cuDeviceGetAttribute", false);
}

MOCK_CUDA cuDeviceTotalMem_v2(size_t *bytes, int) {
    *bytes = std::strtoull(setting("MEMORY", "1073741824"), nullptr, 10);
    return failure("cuDeviceTotalMem", false);
}

MOCK_CUDA cuDevicePrimaryCtxRetain(void **context, int) {
    if (const int error = failure("cuDevicePrimaryCtxRetain", false)) return error;
    *context = &g_context;
    return 0;
}

MOCK_CUDA cuDevicePrimaryCtxRelease_v2(int) {
    note("released with " + std::to_string(g_memory.size()) + " pieces of memory left");
    g_context = false;
    return 0;
}

MOCK_CUDA cuCtxSetCurrent(void *context) {
    if (const int error = failure("cuCtxSetCurrent", false)) return error;
    g_context = context == &g_context;
    return g_context ? 0 : kInvalidContext;
}

MOCK_CUDA cuCtxSynchronize() { return failure("cuCtxSynchronize"); }

MOCK_CUDA cuModuleLoadDataEx(void **module, const void *image, unsigned count, const int *options, void **values) {
    if (const int error = failure("cuModuleLoadDataEx")) return error;
    const std::string ptx = static_cast<const char *>(image);
    std::string log;
    const size_t target = ptx.find(".target sm_");
    if (ptx.find(".version") == std::string::npos || target == std::string::npos)
        log = "ptxas application ptx input, line 1; fatal   : Missing .version directive\n\nptxas fatal   : given up\n";
    else if (std::atoi(ptx.c_str() + target + 11) > std::atoi(setting("ARCH", "80")))
        log = "ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n";
    if (!log.empty()) {
        char *buffer = nullptr;
        uintptr_t bytes = 0;
        for (unsigned i = 0; i < count; ++i) {
            if (options[i] == 5) buffer = static_cast<char *>(values[i]);
            if (options[i] == 6) bytes = reinterpret_cast<uintptr_t>(values[i]);
        }
        if (buffer != nullptr && bytes > 0) std::snprintf(buffer, bytes, "%s", log.c_str());
        return kInvalidPtx;
    }
    *module = read(ptx).release();
    return 0;
}

MOCK_CUDA cuModuleUnload(void *module) {
    const std::unique_ptr<Module> gone(static_cast<Module *>(module));
    return 0;
}

MOCK_CUDA cuModuleGetFunction(void **function, void *module, const char *name) {
    if (const int error = failure("cuModuleGetFunction")) return error;
    for (const auto &kernel : static_cast<Module *>(module)->kernels) {
        if (kernel->name != name) continue;
        *function = kernel.get();
        return 0;
    }
    return kNotFound;
}

MOCK_CUDA cuFuncSetAttribute(void *function, int attribute, int value) {
    if (const int error = failure("cuFuncSetAttribute")) return error;
    if (attribute != 8 || value > attributeOf(97)) return kInvalidValue;
    static_cast<Kernel *>(function)->dynamicBytes = value;
    return 0;
}

MOCK_CUDA cuMemAlloc_v2(uint64_t *at, size_t bytes) {
    if (const int error = failure("cuMemAlloc")) return error;
    if (bytes == 0) return kInvalidValue;
    if (g_allocated + bytes > std::strtoull(setting("MEMORY", "1073741824"), nullptr, 10)) return kOutOfMemory;
    auto memory = std::make_unique<unsigned char[]>(bytes);
    const auto begin = reinterpret_cast<uintptr_t>(memory.get());
    g_memory.emplace(begin, std::pair(std::move(memory), bytes));
    g_allocated += bytes;
    *at = begin;
    return 0;
}

MOCK_CUDA cuMemFree_v2(uint64_t at) {
    const auto found = g_memory.find(at);
    if (found == g_memory.end()) return kInvalidValue;
    g_allocated -= found->second.second;
    g_memory.erase(found);
    return g_sticky;
}

MOCK_CUDA cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    if (const int error = failure("cuMemcpyHtoD")) return error;
    if (!owned(to, bytes)) return kInvalidValue;
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return 0;
}

MOCK_CUDA cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    if (const int error = failure("cuMemcpyDtoH")) return error;
    if (!owned(from, bytes)) return kInvalidValue;
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return 0;
}

MOCK_CUDA cuMemsetD8_v2(uint64_t at, unsigned char byte, size_t count) {
    if (const int error = failure("cuMemsetD8")) return error;
    if (!owned(at, count)) return kInvalidValue;
    std::memset(reinterpret_cast<void *>(at), byte, count);
    return 0;
}

MOCK_CUDA cuMemsetD8Async(uint64_t at, unsigned char byte, size_t count, void *) {
    if (const int error = failure("cuMemsetD8Async")) return error;
    if (!owned(at, count)) return kInvalidValue;
    note("fill of " + std::to_string(count) + " bytes");
    std::memset(reinterpret_cast<void *>(at), byte, 1); // of the rest nobody would know
    g_clock += kFillMilliseconds;
    return 0;
}

MOCK_CUDA cuEventCreate(void **event, unsigned) {
    if (const int error = failure("cuEventCreate")) return error;
    *event = new Event;
    return 0;
}

MOCK_CUDA cuEventDestroy_v2(void *event) {
    const std::unique_ptr<Event> gone(static_cast<Event *>(event));
    return 0;
}

MOCK_CUDA cuEventRecord(void *event, void *) {
    if (const int error = failure("cuEventRecord")) return error;
    static_cast<Event *>(event)->at = g_clock;
    return 0;
}

MOCK_CUDA cuEventSynchronize(void *) { return failure("cuEventSynchronize"); }

MOCK_CUDA cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
    if (const int error = failure("cuEventElapsedTime")) return error;
    *milliseconds = static_cast<float>(static_cast<Event *>(end)->at - static_cast<Event *>(begin)->at);
    return 0;
}

MOCK_CUDA cuLaunchKernel(void *function, unsigned blocksX, unsigned blocksY, unsigned blocksZ, unsigned threadsX,
                         unsigned threadsY, unsigned threadsZ, unsigned sharedBytes, void *, void **parameters,
                         void **) {
    if (const int error = failure("cuLaunchKernel")) return error;
    const auto &kernel = *static_cast<Kernel *>(function);
    std::vector<uintptr_t> pointers;
    for (size_t i = 0; i < kernel.pointers; ++i)
        pointers.push_back(static_cast<uintptr_t>(*static_cast<uint64_t *>(parameters[i])));
    note("launch " + kernel.name + " " + std::to_string(blocksX) + "," + std::to_string(blocksY) + "," +
         std::to_string(blocksZ) + " x " + std::to_string(threadsX) + "," + std::to_string(threadsY) + "," +
         std::to_string(threadsZ) + " shared " + std::to_string(sharedBytes) + " pointers " +
         std::to_string(pointers.size()));
    const bool right = kernel.threads[0] == threadsX && std::max(kernel.threads[1], 1U) == threadsY &&
                       std::max(kernel.threads[2], 1U) == threadsZ;
    if (!right || static_cast<int>(sharedBytes) > kernel.dynamicBytes) return kInvalidValue;
    for (const uintptr_t pointer : pointers)
        if (!owned(pointer, 1)) return kInvalidValue;
    compute(pointers);
    size_t number = 0;
    long offset = 0;
    if (std::sscanf(setting("WRITES", ""), "%zu:%ld", &number, &offset) == 2 && number < pointers.size())
        *reinterpret_cast<unsigned char *>(pointers[number] + static_cast<uintptr_t>(offset)) = 0x11;
    g_clock += kKernelMilliseconds;
    return 0;
}
