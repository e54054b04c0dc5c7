#include "language/tensor/npy_file.h"

#include "base/input_file.h"
#include "base/outcome.h"
#include "base/whole_file.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <span>
#include <utility>

namespace loopscope {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxBytes = size_t{1} << 32;
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

template <typename T> T numberAt(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
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

class NpyReader {
  public:
    NpyReader(const std::string &path, std::string_view bytes) : m_path(path), m_bytes(bytes) {}

    HostTensor array() {
        const std::string_view header = takeHeader();
        const DType type = typeIn(header);
        if (valueOf(header, "'fortran_order'") != "False")
            fail("its order is not C's, rows last; write it with numpy.ascontiguousarray");
        const std::optional<std::vector<int64_t>> shape = shapeFrom(valueOf(header, "'shape'"));
        if (!shape) fail("its header has no shape");
        const int64_t count = elementCount(*shape);
        if (count < 0) fail("its shape is too large");
        const auto size = static_cast<size_t>(dtypeBytes(type));
        if (m_bytes.size() / size != static_cast<size_t>(count) || m_bytes.size() % size != 0)
            fail(fmt::format("it has {} bytes of elements where its shape ({}) needs {} of {}", m_bytes.size(),
                             fmt::join(*shape, ", "), count, size));
        HostTensor tensor =
            HostTensor::fromBytes(type, *shape, std::as_bytes(std::span(m_bytes.data(), m_bytes.size())));
        // Whatever is not 0 is true; ours is 1.
        if (type == DType::Bool)
            for (int64_t i = 0; i < count; ++i) tensor.setInteger(i, tensor.integer(i));
        return tensor;
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
            version == 1 ? numberAt<uint16_t>(m_bytes.data() + fixed) : numberAt<uint32_t>(m_bytes.data() + fixed);
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

} // namespace

HostTensor npyFromBytes(const std::string &path, std::string_view bytes) { return NpyReader(path, bytes).array(); }

HostTensor readNpy(const std::string &path) { return npyFromBytes(path, readInputFile(path, "the array", kMaxBytes)); }

std::string npyBytes(const HostTensor &tensor) {
    HostTensor stored = tensor.dense();
    if (tensor.dtype() == DType::BFloat16) {
        stored = HostTensor::zeros(DType::Float32, tensor.dims());
        for (int64_t i = 0; i < tensor.elements(); ++i) stored.setNumber(i, tensor.number(i));
    }
    std::string_view name;
    for (const auto &[text, type] : kTypes)
        if (type == stored.dtype()) name = text;
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", name,
                                     fmt::join(stored.dims(), ", "), stored.rank() == 1 ? "," : "");
    const size_t before = kMagic.size() + 4;
    header.append((kAlign - (before + header.size() + 1) % kAlign) % kAlign, ' ');
    header += '\n';
    std::string out(kMagic);
    out += '\1';
    out += '\0';
    out += static_cast<char>(header.size() & 0xFF);
    out += static_cast<char>(header.size() >> 8);
    out += header;
    if (stored.byteSize() > 0) out.append(reinterpret_cast<const char *>(stored.bytes()), stored.byteSize());
    return out;
}

void writeNpy(const std::string &path, const HostTensor &tensor) { writeWholeFile(path, npyBytes(tensor)); }

} // namespace loopscope
