#include "language/tensor/host_tensor.h"

#include "base/check.h"
#include "base/outcome.h"
#include "language/expr/half.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <new>
#include <utility>

namespace loopscope {

namespace {

constexpr size_t kAlignment = 64;

std::shared_ptr<std::byte> allocate(size_t bytes, const std::vector<int64_t> &dims) {
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    auto *memory = static_cast<std::byte *>(std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded));
    if (!memory) throw Error(fmt::format("no memory for a tensor [{}] of {} bytes", fmt::join(dims, ", "), bytes));
    return {memory, [](std::byte *p) { std::free(p); }};
}

template <typename T> T read(const std::byte *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <typename T> void write(std::byte *to, T value) { std::memcpy(to, &value, sizeof value); }

int64_t readInteger(const std::byte *from, DType type) {
    switch (type) {
    case DType::Bool:
        return read<uint8_t>(from) != 0 ? 1 : 0;
    case DType::UInt8:
        return read<uint8_t>(from);
    case DType::Int8:
        return read<int8_t>(from);
    case DType::Int16:
        return read<int16_t>(from);
    case DType::UInt16:
        return read<uint16_t>(from);
    case DType::Int32:
        return read<int32_t>(from);
    case DType::UInt32:
        return read<uint32_t>(from);
    case DType::Int64:
        return read<int64_t>(from);
    default:
        failCheck("isInteger", __FILE__, __LINE__, std::string(dtypeName(type)));
    }
}

double readFloat(const std::byte *from, DType type) {
    switch (type) {
    case DType::Float16:
        return halfToFloat(read<uint16_t>(from));
    case DType::BFloat16:
        return bfloatToFloat(read<uint16_t>(from));
    case DType::Float32:
        return read<float>(from);
    case DType::Float64:
        return read<double>(from);
    default:
        failCheck("isFloat", __FILE__, __LINE__, std::string(dtypeName(type)));
    }
}

void writeInteger(std::byte *to, DType type, int64_t value) {
    switch (dtypeBytes(type)) {
    case 1:
        write(to, static_cast<uint8_t>(type == DType::Bool ? (value != 0 ? 1 : 0) : value));
        return;
    case 2:
        write(to, static_cast<uint16_t>(value));
        return;
    case 4:
        write(to, static_cast<uint32_t>(value));
        return;
    default:
        write(to, value);
        return;
    }
}

void writeFloat(std::byte *to, DType type, double value) {
    switch (type) {
    case DType::Float16:
        write(to, floatToHalf(static_cast<float>(roundToType(value, type))));
        return;
    case DType::BFloat16:
        write(to, floatToBfloat(static_cast<float>(roundToType(value, type))));
        return;
    case DType::Float32:
        write(to, static_cast<float>(value));
        return;
    default:
        write(to, value);
        return;
    }
}

/// Towards zero; what int64 does not hold becomes what is nearest, and no number 0.
int64_t integerOf(double value) {
    if (std::isnan(value)) return 0;
    if (value >= 0x1.0p63) return INT64_MAX;
    if (value <= -0x1.0p63) return INT64_MIN;
    return static_cast<int64_t>(value);
}

void writeElement(std::byte *to, DType type, double value) {
    if (isFloat(type))
        writeFloat(to, type, value);
    else
        writeInteger(to, type, integerOf(value));
}

} // namespace

struct FilledLater {
    FillRecipe recipe;
    std::once_flag once = {};
    std::shared_ptr<std::byte> bytes = {};
};

int64_t elementCount(std::span<const int64_t> dims) {
    constexpr int64_t most = int64_t{1} << 59;
    int64_t count = 1;
    bool tooMany = false;
    for (const int64_t dim : dims) {
        if (dim < 0) return -1;
        // A zero anywhere makes it empty, however large the others are.
        if (dim == 0) return 0;
        tooMany = tooMany || __builtin_mul_overflow(count, dim, &count) || count > most;
    }
    return tooMany ? -1 : count;
}

HostTensor HostTensor::zeros(DType dtype, std::vector<int64_t> dims) {
    HostTensor tensor;
    tensor.m_dtype = dtype;
    tensor.m_dims = std::move(dims);
    LOOPSCOPE_CHECK(tensor.elements() >= 0, fmt::format("[{}]", fmt::join(tensor.m_dims, ", ")));
    tensor.m_own = allocate(tensor.byteSize(), tensor.m_dims);
    std::memset(tensor.m_own.get(), 0, tensor.byteSize());
    return tensor;
}

HostTensor HostTensor::splat(DType dtype, std::vector<int64_t> dims, double value) {
    HostTensor tensor;
    tensor.m_dtype = dtype;
    tensor.m_dims = std::move(dims);
    LOOPSCOPE_CHECK(tensor.elements() >= 0, fmt::format("[{}]", fmt::join(tensor.m_dims, ", ")));
    tensor.m_splat = true;
    tensor.m_own = allocate(sizeof(double), tensor.m_dims);
    writeElement(tensor.m_own.get(), dtype, value);
    return tensor;
}

HostTensor integerSplat(DType dtype, std::vector<int64_t> dims, int64_t value) {
    HostTensor one = HostTensor::zeros(dtype, {});
    one.setInteger(0, value);
    return HostTensor::splatOf(one, std::move(dims));
}

HostTensor HostTensor::splatOf(const HostTensor &one, std::vector<int64_t> dims) {
    HostTensor tensor = splat(one.m_dtype, std::move(dims), 0);
    std::memcpy(tensor.m_own.get(), one.element(0), static_cast<size_t>(dtypeBytes(one.m_dtype)));
    return tensor;
}

HostTensor HostTensor::fromBytes(DType dtype, std::vector<int64_t> dims, std::span<const std::byte> bytes) {
    HostTensor tensor = zeros(dtype, std::move(dims));
    LOOPSCOPE_CHECK(bytes.size() == tensor.byteSize(), fmt::format("{} bytes", bytes.size()));
    if (!bytes.empty()) std::memcpy(tensor.m_own.get(), bytes.data(), bytes.size());
    return tensor;
}

HostTensor HostTensor::mapped(DType dtype, std::vector<int64_t> dims, std::shared_ptr<const MappedFile> file,
                              size_t offset) {
    HostTensor tensor;
    tensor.m_dtype = dtype;
    tensor.m_dims = std::move(dims);
    LOOPSCOPE_CHECK(tensor.elements() >= 0 && offset <= file->bytes().size() &&
                        tensor.byteSize() <= file->bytes().size() - offset,
                    file->path());
    tensor.m_file = std::move(file);
    tensor.m_offset = offset;
    return tensor;
}

HostTensor HostTensor::generated(DType dtype, std::vector<int64_t> dims, const FillRecipe &recipe) {
    HostTensor tensor;
    tensor.m_dtype = dtype;
    tensor.m_dims = std::move(dims);
    LOOPSCOPE_CHECK(tensor.elements() >= 0, fmt::format("[{}]", fmt::join(tensor.m_dims, ", ")));
    tensor.m_later = std::make_shared<FilledLater>(recipe);
    return tensor;
}

const FillRecipe *HostTensor::recipe() const { return m_later ? &m_later->recipe : nullptr; }

HostTensor floatTensor(std::vector<int64_t> dims, std::span<const float> values) {
    return HostTensor::fromBytes(DType::Float32, std::move(dims), std::as_bytes(values));
}

HostTensor integerTensor(std::vector<int64_t> dims, std::span<const int64_t> values) {
    return HostTensor::fromBytes(DType::Int64, std::move(dims), std::as_bytes(values));
}

HostTensor HostTensor::dense() const {
    if (!m_splat) return *this;
    HostTensor tensor = zeros(m_dtype, m_dims);
    const auto size = static_cast<size_t>(dtypeBytes(m_dtype));
    for (size_t at = 0; at < tensor.byteSize(); at += size) std::memcpy(tensor.m_own.get() + at, m_own.get(), size);
    return tensor;
}

const std::byte *HostTensor::bytes() const {
    LOOPSCOPE_CHECK(!m_splat, "a splat has the bytes of one element");
    if (m_file) return m_file->bytes().data() + m_offset;
    if (m_later) {
        std::call_once(m_later->once, [this] {
            m_later->bytes = allocate(byteSize(), m_dims);
            fill(m_later->bytes.get(), m_dtype, elements(), m_later->recipe);
        });
        return m_later->bytes.get();
    }
    return m_own.get();
}

std::byte *HostTensor::mutableBytes() {
    LOOPSCOPE_CHECK(!m_splat && m_own && m_own.use_count() == 1, "somebody else may see this storage");
    return m_own.get();
}

const std::byte *HostTensor::element(int64_t i) const {
    if (m_splat) return m_own.get();
    return bytes() + static_cast<size_t>(i) * static_cast<size_t>(dtypeBytes(m_dtype));
}

double HostTensor::number(int64_t i) const {
    if (isFloat(m_dtype)) return readFloat(element(i), m_dtype);
    return static_cast<double>(readInteger(element(i), m_dtype));
}

int64_t HostTensor::integer(int64_t i) const {
    if (isFloat(m_dtype)) return integerOf(readFloat(element(i), m_dtype));
    return readInteger(element(i), m_dtype);
}

void HostTensor::setNumber(int64_t i, double value) {
    writeElement(mutableBytes() + static_cast<size_t>(i) * static_cast<size_t>(dtypeBytes(m_dtype)), m_dtype, value);
}

void HostTensor::setInteger(int64_t i, int64_t value) {
    std::byte *to = mutableBytes() + static_cast<size_t>(i) * static_cast<size_t>(dtypeBytes(m_dtype));
    if (isFloat(m_dtype))
        writeFloat(to, m_dtype, static_cast<double>(value));
    else
        writeInteger(to, m_dtype, value);
}

std::vector<double> HostTensor::numbers() const {
    std::vector<double> all(static_cast<size_t>(elements()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = number(static_cast<int64_t>(i));
    return all;
}

std::vector<int64_t> HostTensor::integerValues() const {
    std::vector<int64_t> all(static_cast<size_t>(elements()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = integer(static_cast<int64_t>(i));
    return all;
}

HostTensor HostTensor::elementAt(int64_t i) const {
    LOOPSCOPE_CHECK(i >= 0 && i < elements(), fmt::format("element {} of {}", i, elements()));
    return fromBytes(m_dtype, {}, std::span(element(i), static_cast<size_t>(dtypeBytes(m_dtype))));
}

HostTensor HostTensor::reshaped(std::vector<int64_t> dims) const {
    LOOPSCOPE_CHECK(elementCount(dims) == elements(), fmt::format("[{}]", fmt::join(dims, ", ")));
    HostTensor tensor = *this;
    tensor.m_dims = std::move(dims);
    return tensor;
}

bool HostTensor::sameAs(const HostTensor &other) const {
    if (m_dtype != other.m_dtype || m_dims != other.m_dims) return false;
    if (m_later && other.m_later && m_later->recipe == other.m_later->recipe) return true;
    const auto size = static_cast<size_t>(dtypeBytes(m_dtype));
    if (elements() == 0) return true;
    if (m_splat && other.m_splat) return std::memcmp(m_own.get(), other.m_own.get(), size) == 0;
    if (!m_splat && !other.m_splat) return byteSize() == 0 || std::memcmp(bytes(), other.bytes(), byteSize()) == 0;
    for (int64_t i = 0; i < elements(); ++i)
        if (std::memcmp(element(i), other.element(i), size) != 0) return false;
    return true;
}

} // namespace loopscope
