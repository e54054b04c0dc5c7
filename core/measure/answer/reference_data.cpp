#include "measure/answer/reference_data.h"

#include "base/check.h"
#include "base/isolate/wire.h"
#include "base/outcome.h"
#include "language/expr/half.h"
#include "language/interpret/exact_inputs.h"
#include "measure/answer/checkable.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace loopscope {

namespace {

constexpr uint64_t kMagic = 0x4c53'7265'6661'6e73; // first word of the file
constexpr uint64_t kAlign = 4096;

uint64_t roundUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

/// An output is compared in double or int64, so its reference is kept as such.
uint64_t bytesOf(const ReferenceTensor &tensor) {
    return static_cast<uint64_t>(tensor.elements()) *
           (tensor.output ? 8u : static_cast<uint64_t>(dtypeBytes(tensor.dtype)));
}

template <typename To, typename From, typename Convert>
void convertAll(const std::vector<From> &values, std::byte *into, Convert convert) {
    auto *to = reinterpret_cast<To *>(into);
    for (size_t i = 0; i < values.size(); ++i) to[i] = convert(values[i]);
}

std::string header(const std::vector<ReferenceTensor> &tensors) {
    WireWriter wire;
    wire.put(static_cast<uint64_t>(tensors.size()));
    for (const ReferenceTensor &tensor : tensors) {
        wire.put(tensor.name);
        wire.put(tensor.output);
        wire.put(tensor.dtype);
        wire.put(tensor.shape);
        for (const ReferenceTensor::Place &place : tensor.places) {
            wire.put(place.data);
            wire.put(place.bounds);
        }
    }
    return wire.bytes();
}

[[noreturn]] void fail(const char *what) {
    throw Error(fmt::format("the memory for inputs and reference cannot be {}: {}", what, std::strerror(errno)));
}

/// A writable mapping of a file made as large as asked for.
struct WritableMap {
    std::byte *map = nullptr;
    size_t bytes = 0;
    WritableMap(int fd, size_t size) : bytes(size) {
        // fallocate, unlike ftruncate, says now that there is not enough memory, instead of a fault at the first touch.
        if (::fallocate(fd, 0, 0, static_cast<off_t>(size)) != 0) fail("had");
        void *mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (mapped == MAP_FAILED) fail("mapped");
        map = static_cast<std::byte *>(mapped);
    }
    ~WritableMap() { ::munmap(map, bytes); }
    WritableMap(const WritableMap &) = delete;
    WritableMap &operator=(const WritableMap &) = delete;
};

/// One set of inputs with its outputs; `places` says where each argument goes.
void writeSet(const WritableMap &file, const std::vector<ReferenceTensor> &tensors, InputSet set,
              const CheckedSet &values) {
    size_t input = 0;
    size_t output = 0;
    for (const ReferenceTensor &tensor : tensors) {
        const ReferenceTensor::Place &place = tensor.at(set);
        if (!tensor.output) {
            storeElements(values.inputs[input++], file.map + place.data);
            continue;
        }
        if (values.outputs.empty()) continue; // the kernel's are wanted
        const TensorValue &value = values.outputs[output++];
        const void *from = isFloat(value.dtype) ? static_cast<const void *>(value.floats.data())
                                                : static_cast<const void *>(value.integers.data());
        std::memcpy(file.map + place.data, from, bytesOf(tensor));
        if (place.bounds != 0)
            std::memcpy(file.map + place.bounds, value.bounds.data(), value.bounds.size() * sizeof(float));
    }
}

std::string memoryText(double bytes) {
    constexpr std::array<const char *, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    for (bytes /= 1024; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return fmt::format("{:.1f} {}", bytes, units[unit]);
}

/// What may still be had: free or freed at once, swap included, within the limit this process has; 0 = not known.
double freeBytes() {
    double kibibytes = 0;
    if (std::FILE *info = std::fopen("/proc/meminfo", "re")) {
        char line[256];
        unsigned long long value = 0;
        while (std::fgets(line, sizeof line, info) != nullptr)
            if (std::sscanf(line, "MemAvailable: %llu", &value) == 1 ||
                std::sscanf(line, "SwapFree: %llu", &value) == 1)
                kibibytes += static_cast<double>(value);
        std::fclose(info);
    }
    double bytes = kibibytes * 1024;
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
    return bytes;
}

/// The interpreter keeps every tensor in 8 bytes an element; the arguments are written to the file besides.
double neededBytes(const ComputeDag &dag) {
    const bool twice = longestSum(dag) != SumLength::Short; // the first set waits while the second is made
    double bytes = 0;
    const auto elements = [](const Tensor &tensor) {
        double count = 1;
        for (const int64_t extent : tensor.shape) count *= static_cast<double>(extent);
        return count;
    };
    for (const OpPtr &op : dag.ops())
        for (const auto &output : op->outputs) bytes += 8 * elements(*output);
    for (const Tensor *arg : dag.args()) {
        const double stored = arg->op->isPlaceholder() ? static_cast<double>(dtypeBytes(arg->dtype)) : 8;
        bytes += elements(*arg) * (twice ? 2 * stored + 8 : stored);
    }
    return bytes;
}

Error tooLittleMemory(const ComputeDag &dag) {
    return Error(
        fmt::format("{} needs {} of memory for its inputs, intermediate results and reference answer, of which {} "
                    "are free; choose smaller extents",
                    dag.name(), memoryText(neededBytes(dag)), memoryText(freeBytes())));
}

} // namespace

int64_t ReferenceTensor::elements() const {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    return count;
}

void storeElements(const TensorValue &value, std::byte *into) {
    switch (value.dtype) {
    case DType::Float64:
        convertAll<double>(value.floats, into, [](double x) { return x; });
        break;
    case DType::Float32:
        convertAll<float>(value.floats, into, [](double x) { return static_cast<float>(x); });
        break;
    case DType::Float16:
        convertAll<uint16_t>(value.floats, into, [](double x) { return floatToHalf(static_cast<float>(x)); });
        break;
    case DType::BFloat16:
        convertAll<uint16_t>(value.floats, into, [](double x) { return floatToBfloat(static_cast<float>(x)); });
        break;
    case DType::Int64:
        convertAll<int64_t>(value.integers, into, [](int64_t x) { return x; });
        break;
    case DType::Int32:
        convertAll<int32_t>(value.integers, into, [](int64_t x) { return static_cast<int32_t>(x); });
        break;
    case DType::UInt32:
        convertAll<uint32_t>(value.integers, into, [](int64_t x) { return static_cast<uint32_t>(x); });
        break;
    case DType::Int16:
        convertAll<int16_t>(value.integers, into, [](int64_t x) { return static_cast<int16_t>(x); });
        break;
    case DType::UInt16:
        convertAll<uint16_t>(value.integers, into, [](int64_t x) { return static_cast<uint16_t>(x); });
        break;
    case DType::Int8:
        convertAll<int8_t>(value.integers, into, [](int64_t x) { return static_cast<int8_t>(x); });
        break;
    case DType::UInt8:
    case DType::Bool:
        convertAll<uint8_t>(value.integers, into, [](int64_t x) { return static_cast<uint8_t>(x); });
        break;
    }
}

namespace {

template <typename From> auto widened(const std::byte *from) {
    return [values = reinterpret_cast<const From *>(from)](size_t i) { return values[i]; };
}

template <typename To, typename At> void readAll(std::vector<To> &into, size_t count, const At &at) {
    into.reserve(count);
    for (size_t i = 0; i < count; ++i) into.push_back(static_cast<To>(at(i)));
}

} // namespace

TensorValue loadElements(DType dtype, const std::vector<int64_t> &shape, const std::byte *from) {
    TensorValue value{dtype, shape, {}, {}};
    size_t count = 1;
    for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
    switch (dtype) {
    case DType::Float64:
        readAll(value.floats, count, widened<double>(from));
        break;
    case DType::Float32:
        readAll(value.floats, count, widened<float>(from));
        break;
    case DType::Float16:
        readAll(value.floats, count, [at = widened<uint16_t>(from)](size_t i) { return halfToFloat(at(i)); });
        break;
    case DType::BFloat16:
        readAll(value.floats, count, [at = widened<uint16_t>(from)](size_t i) { return bfloatToFloat(at(i)); });
        break;
    case DType::Int64:
        readAll(value.integers, count, widened<int64_t>(from));
        break;
    case DType::Int32:
        readAll(value.integers, count, widened<int32_t>(from));
        break;
    case DType::UInt32:
        readAll(value.integers, count, widened<uint32_t>(from));
        break;
    case DType::Int16:
        readAll(value.integers, count, widened<int16_t>(from));
        break;
    case DType::UInt16:
        readAll(value.integers, count, widened<uint16_t>(from));
        break;
    case DType::Int8:
        readAll(value.integers, count, widened<int8_t>(from));
        break;
    case DType::UInt8:
    case DType::Bool:
        readAll(value.integers, count, widened<uint8_t>(from));
        break;
    }
    return value;
}

int makeAnonymousFile() {
    const int fd = ::memfd_create("loopscope-reference", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) fail("made");
    return fd;
}

namespace {

/// Gives every argument of a set its place, from `at` on; returns what comes after them.
uint64_t placeSet(std::vector<ReferenceTensor> &tensors, InputSet set, const CheckedSet &values, uint64_t at) {
    size_t output = 0;
    for (ReferenceTensor &tensor : tensors) {
        if (tensor.output && values.outputs.empty()) continue;
        ReferenceTensor::Place &place = tensor.places[static_cast<size_t>(set)];
        place.data = at;
        at += roundUp(bytesOf(tensor), kAlign);
        if (!tensor.output || values.outputs[output++].bounds.empty()) continue;
        place.bounds = at;
        at += roundUp(static_cast<uint64_t>(tensor.elements()) * sizeof(float), kAlign);
    }
    return at;
}

std::vector<ReferenceTensor> tensorsOf(const ComputeDag &dag) {
    std::vector<ReferenceTensor> tensors;
    for (const Tensor *arg : dag.args()) {
        ReferenceTensor tensor;
        tensor.name = tensorText(*arg);
        tensor.output = !arg->op->isPlaceholder();
        tensor.dtype = arg->dtype;
        tensor.shape = arg->shape;
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

void writeSets(int fd, const ComputeDag &dag, const CheckedSets &sets) {
    std::vector<ReferenceTensor> tensors = tensorsOf(dag);
    uint64_t bytes = roundUp(2 * sizeof(uint64_t) + header(tensors).size(), kAlign);
    bytes = placeSet(tensors, InputSet::Random, sets.random, bytes);
    if (sets.exact) bytes = placeSet(tensors, InputSet::Exact, *sets.exact, bytes);
    {
        const WritableMap file(fd, bytes);
        const std::string head = header(tensors);
        const uint64_t words[2] = {kMagic, head.size()};
        std::memcpy(file.map, words, sizeof words);
        std::memcpy(file.map + sizeof words, head.data(), head.size());
        writeSet(file, tensors, InputSet::Random, sets.random);
        if (sets.exact) writeSet(file, tensors, InputSet::Exact, *sets.exact);
    } // a writable mapping would forbid the seal
    if (::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) fail("sealed");
}

} // namespace

void fillReferenceFile(int fd, const ComputeDag &dag, uint64_t seed, int threads) {
    // Memory that is asked for is given and missed only when it is used, by ending whoever is largest then.
    if (const double free = freeBytes(); free > 0 && neededBytes(dag) > free) throw tooLittleMemory(dag);
    try {
        const CheckedSets sets = makeCheckedSets(dag, seed, threads);
        LOOPSCOPE_CHECK(dag.args().size() == sets.random.inputs.size() + sets.random.outputs.size(),
                        "the interpreter takes and gives one value per argument");
        writeSets(fd, dag, sets);
    } catch (const std::bad_alloc &) {
        throw tooLittleMemory(dag);
    }
}

void fillInputFile(int fd, const ComputeDag &dag, std::vector<TensorValue> inputs) {
    writeSets(fd, dag, {{std::move(inputs), {}}, std::nullopt, -1});
}

ReferenceView::ReferenceView(int fd) {
    struct stat info{};
    if (::fstat(fd, &info) != 0 || info.st_size < static_cast<off_t>(kAlign)) fail("found");
    m_bytes = static_cast<size_t>(info.st_size);
    // Private, because kernels before Linux 6.7 take a shared mapping of a sealed file for a writable one.
    void *mapped = ::mmap(nullptr, m_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped == MAP_FAILED) fail("mapped");
    m_map = static_cast<const std::byte *>(mapped);
    uint64_t words[2];
    std::memcpy(words, m_map, sizeof words);
    LOOPSCOPE_CHECK(words[0] == kMagic && words[1] < m_bytes, "the data a runner is given is a reference file");
    WireReader wire({reinterpret_cast<const char *>(m_map) + sizeof words, words[1]});
    m_tensors.resize(wire.get<uint64_t>());
    for (ReferenceTensor &tensor : m_tensors) {
        wire.get(tensor.name);
        wire.get(tensor.output);
        wire.get(tensor.dtype);
        wire.get(tensor.shape);
        for (ReferenceTensor::Place &place : tensor.places) {
            wire.get(place.data);
            wire.get(place.bounds);
        }
    }
}

ReferenceView::~ReferenceView() {
    if (m_map != nullptr) ::munmap(const_cast<std::byte *>(m_map), m_bytes);
}

} // namespace loopscope
