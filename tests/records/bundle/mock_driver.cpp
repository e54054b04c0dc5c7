// A library with the functions of NVIDIA's driver that the runner of bundles calls, on memory of the host. It runs no
// kernel: a launch is written to the file MOCK_LAUNCHES, and the last one of a call multiplies two matrices of
// MOCK_SHAPE ("24,20,16"), or does what MOCK_FAULT says.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Address = unsigned long long;

int g_failure = 0; // sticky, as that of a real context

bool faulty(const char *kind) {
    const char *fault = std::getenv("MOCK_FAULT");
    return fault != nullptr && std::strcmp(fault, kind) == 0;
}

void multiply(void **parameters) {
    int rows = 0;
    int columns = 0;
    int depth = 0;
    const char *shape = std::getenv("MOCK_SHAPE");
    if (shape == nullptr || std::sscanf(shape, "%d,%d,%d", &rows, &columns, &depth) != 3) std::abort();
    const auto *a = *static_cast<const float **>(parameters[0]);
    const auto *b = *static_cast<const float **>(parameters[1]);
    auto *c = *static_cast<float **>(parameters[2]);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            float sum = 0;
            for (int k = 0; k < depth; ++k) sum += a[i * depth + k] * b[k * columns + j];
            c[i * columns + j] = sum;
        }
    if (faulty("wrong")) c[77] += 0.01F;
    if (faulty("outside")) c[static_cast<std::ptrdiff_t>(rows) * columns] = 1;
}

} // namespace

extern "C" {

int cuGetErrorString(int error, const char **text) {
    *text = error == 700 ? "an illegal memory access was encountered" : "out of memory";
    return 0;
}
int cuInit(unsigned /*flags*/) { return faulty("no device") ? 100 : 0; }
int cuDriverGetVersion(int *version) {
    *version = 12080;
    return 0;
}
int cuDeviceGet(int *device, int /*ordinal*/) {
    *device = 0;
    return 0;
}
int cuDeviceGetName(char *name, int length, int /*device*/) {
    std::snprintf(name, static_cast<size_t>(length), "Mock GPU");
    return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int /*device*/) {
    *value = attribute == 75 ? 8 : attribute == 76 ? 0 : attribute == 16 ? 108 : attribute == 38 ? 1 << 20 : 0;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int /*device*/) {
    *context = &g_failure;
    return 0;
}
int cuCtxSetCurrent(void * /*context*/) { return 0; }
int cuCtxSynchronize() { return g_failure; }
int cuModuleLoadData(void **module, const void *image) {
    *module = const_cast<void *>(image);
    return std::strlen(static_cast<const char *>(image)) > 3 ? 0 : 200;
}
int cuModuleGetFunction(void **function, void * /*module*/, const char *name) {
    *function = new std::string(name); // lives as long as the process
    return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
    if (const char *path = std::getenv("MOCK_LAUNCHES")) {
        std::FILE *file = std::fopen(path, "a");
        std::fprintf(file, "%s attribute %d %d\n", static_cast<std::string *>(function)->c_str(), attribute, value);
        std::fclose(file);
    }
    return 0;
}
int cuMemAlloc_v2(Address *address, size_t bytes) {
    *address = reinterpret_cast<Address>(std::calloc(1, bytes));
    return *address != 0 ? 0 : 2;
}
int cuMemcpyHtoD_v2(Address to, const void *from, size_t bytes) {
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
    return g_failure;
}
int cuMemcpyDtoH_v2(void *to, Address from, size_t bytes) {
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return g_failure;
}
int cuMemsetD8Async(Address to, unsigned char value, size_t bytes, void * /*stream*/) {
    std::memset(reinterpret_cast<void *>(to), value, bytes);
    return g_failure;
}
int cuLaunchKernel(void *function, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz,
                   unsigned shared, void * /*stream*/, void **parameters, void ** /*extra*/) {
    if (const char *path = std::getenv("MOCK_LAUNCHES")) {
        std::FILE *file = std::fopen(path, "a");
        std::fprintf(file, "%s %ux%ux%u %ux%ux%u %u\n", static_cast<std::string *>(function)->c_str(), bx, by, bz, tx,
                     ty, tz, shared);
        std::fclose(file);
    }
    if (faulty("illegal") && *static_cast<std::string *>(function) == "candidate_000_kernel0") g_failure = 700;
    multiply(parameters);
    return 0;
}
int cuEventCreate(void **event, unsigned /*flags*/) {
    *event = new int(0);
    return 0;
}
int cuEventRecord(void * /*event*/, void * /*stream*/) { return 0; }
int cuEventElapsedTime(float *milliseconds, void * /*begin*/, void * /*end*/) {
    *milliseconds = 1.25F;
    return 0;
}
}
