#include "picture/array_file.h"

#include "expr/half.h"
#include "input_file.h"
#include "outcome.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMostBytes = size_t{1} << 32;
constexpr size_t kAlign = 64; // where the elements begin

constexpr std::array<std::pair<std::string_view, DType>, 11> kTypes = {{{"|b1", DType::Bool},
                                                                        {"|i1", DType::Int8},
                                                                        {"|u1", DType::UInt8},
                                                                        {"<i2", DType::Int16},
                                                                        {"<u2", DType::UInt16},
                                                                        {"<i4", DType::Int32},
                                                                        {"<u4", DType::UInt32},
                                                                        {"<i8", DType::Int64},
                                                                        {"<f2", DType::Float16},
                                                                        {"<f4", DType::Float32},
                                                                        {"<f8", DType::Float64}}};

template <typename T> T read(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

double floatAt(const char *from, DType type) {
    if (type == DType::Float64) return read<double>(from);
    if (type == DType::Float32) return static_cast<double>(read<float>(from));
    return static_cast<double>(halfToFloat(read<uint16_t>(from)));
}

int64_t integerAt(const char *from, DType type) {
    int64_t bits = 0;
    std::memcpy(&bits, from, static_cast<size_t>(dtypeBytes(type)));
    return wrapToType(bits, type);
}

/// What stands behind a key of the header, up to the end of its value.
std::string_view valueOf(std::string_view header, std::string_view key) {
    const size_t at = header.find(key);
    if (at == std::string_view::npos) return {};
    const size_t begin = header.find_first_not_of(" :", at + key.size());
    if (begin == std::string_view::npos) return {};
    const bool tuple = header[begin] == '(';
    const size_t end = header.find_first_of(tuple ? ")" : ",}", begin);
    return end == std::string_view::npos ? std::string_view() : header.substr(begin, end - begin + (tuple ? 1 : 0));
}

std::optional<std::vector<int64_t>> shapeFrom(std::string_view tuple) {
    if (tuple.size() < 2 || tuple.front() != '(') return std::nullopt;
    std::vector<int64_t> shape;
    const char *at = tuple.data() + 1;
    const char *const end = tuple.data() + tuple.size() - 1;
    while (at < end) {
        if (*at == ' ' || *at == ',') {
            ++at;
            continue;
        }
        int64_t extent = 0;
        const auto result = std::from_chars(at, end, extent);
        if (result.ec != std::errc() || extent < 0) return std::nullopt;
        shape.push_back(extent);
        at = result.ptr;
    }
    return shape;
}

class ArrayReader {
  public:
    ArrayReader(const std::string &path, std::string_view bytes) : m_path(path), m_bytes(bytes) {}

    TensorValue array() {
        const std::string_view header = takeHeader();
        TensorValue value;
        value.dtype = typeIn(header);
        if (valueOf(header, "'fortran_order'") != "False")
            fail("its order is not C's, rows last; write it with numpy.ascontiguousarray");
        const std::optional<std::vector<int64_t>> shape = shapeFrom(valueOf(header, "'shape'"));
        if (!shape) fail("its header has no shape");
        value.shape = *shape;
        size_t count = 1;
        for (const int64_t extent : value.shape)
            if (__builtin_mul_overflow(count, static_cast<size_t>(extent), &count)) fail("its shape is too large");
        const auto size = static_cast<size_t>(dtypeBytes(value.dtype));
        if (m_bytes.size() / size != count || m_bytes.size() % size != 0)
            fail(fmt::format("it has {} bytes of elements where its shape ({}) needs {} of {}", m_bytes.size(),
                             fmt::join(value.shape, ", "), count, size));
        for (size_t i = 0; i < count; ++i)
            if (isFloat(value.dtype))
                value.floats.push_back(floatAt(m_bytes.data() + i * size, value.dtype));
            else
                value.integers.push_back(integerAt(m_bytes.data() + i * size, value.dtype));
        return value;
    }

  private:
    [[noreturn]] void fail(const std::string &why) const {
        throw Error(m_path, 0, 0, "the array cannot be read: " + why);
    }

    std::string_view takeHeader() {
        constexpr size_t fixed = 8; // magic and version
        if (!m_bytes.starts_with(kMagic) || m_bytes.size() < fixed + 4) fail("it is no .npy file");
        const auto version = static_cast<unsigned char>(m_bytes[kMagic.size()]);
        if (version < 1 || version > 3) fail(fmt::format("its format has version {}; 1 to 3 are known", version));
        const size_t wide = version == 1 ? 2 : 4;
        const size_t length =
            version == 1 ? read<uint16_t>(m_bytes.data() + fixed) : read<uint32_t>(m_bytes.data() + fixed);
        if (m_bytes.size() - fixed - wide < length) fail("it ends within its header");
        const std::string_view header = m_bytes.substr(fixed + wide, length);
        m_bytes.remove_prefix(fixed + wide + length);
        return header;
    }

    [[nodiscard]] DType typeIn(std::string_view header) const {
        std::string_view text = valueOf(header, "'descr'");
        if (text.size() > 2 && text.front() == '\'') text = text.substr(1, text.size() - 2);
        for (const auto &[name, type] : kTypes)
            if (name == text) return type;
        fail(fmt::format("its elements are `{}`; booleans, integers of 8 to 64 bits and floats of 16 to 64 are read, "
                         "little-endian",
                         text));
    }

    const std::string &m_path;
    std::string_view m_bytes;
};

template <typename T> void append(std::string &out, T value) {
    const size_t at = out.size();
    out.resize(at + sizeof value);
    std::memcpy(out.data() + at, &value, sizeof value);
}

} // namespace

TensorValue readArray(const std::string &path) {
    const std::string bytes = readInputFile(path, "the array", kMostBytes);
    return ArrayReader(path, bytes).array();
}

void writeArray(const std::string &path, const TensorValue &value) {
    const DType type = value.dtype == DType::BFloat16 ? DType::Float32 : value.dtype;
    std::string_view name;
    for (const auto &[text, stored] : kTypes)
        if (stored == type) name = text;
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", name,
                                     fmt::join(value.shape, ", "), value.shape.size() == 1 ? "," : "");
    const size_t before = kMagic.size() + 4;
    header.append((kAlign - (before + header.size() + 1) % kAlign) % kAlign, ' ');
    header += '\n';
    std::string out(kMagic);
    out += '\1';
    out += '\0';
    append(out, static_cast<uint16_t>(header.size()));
    out += header;
    for (size_t i = 0; i < value.size(); ++i) {
        if (type == DType::Float64) append(out, value.floats[i]);
        if (type == DType::Float32) append(out, static_cast<float>(value.floats[i]));
        if (type == DType::Float16) append(out, floatToHalf(static_cast<float>(value.floats[i])));
        if (isFloat(type)) continue;
        const int64_t integer = value.integers[i];
        out.append(reinterpret_cast<const char *>(&integer), static_cast<size_t>(dtypeBytes(type)));
    }
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(out.data(), static_cast<std::streamsize>(out.size()));
    file.close();
    if (!file) throw Error(path, 0, 0, fmt::format("the array cannot be written: {}", std::strerror(errno)));
}

} // namespace loopscope
