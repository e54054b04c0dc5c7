#include "networks/onnx/tensor_data.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>
#include <vector>

namespace loopscope {

namespace {

struct TypePair {
    onnx::TensorProto_DataType onnx;
    DType dtype;
};
constexpr TypePair kTypePairs[] = {
    {onnx::TensorProto_DataType_FLOAT, DType::Float32},   {onnx::TensorProto_DataType_DOUBLE, DType::Float64},
    {onnx::TensorProto_DataType_FLOAT16, DType::Float16}, {onnx::TensorProto_DataType_BFLOAT16, DType::BFloat16},
    {onnx::TensorProto_DataType_INT64, DType::Int64},     {onnx::TensorProto_DataType_INT32, DType::Int32},
    {onnx::TensorProto_DataType_INT16, DType::Int16},     {onnx::TensorProto_DataType_INT8, DType::Int8},
    {onnx::TensorProto_DataType_UINT8, DType::UInt8},     {onnx::TensorProto_DataType_UINT16, DType::UInt16},
    {onnx::TensorProto_DataType_UINT32, DType::UInt32},   {onnx::TensorProto_DataType_BOOL, DType::Bool},
};

std::string bytesText(const std::vector<int64_t> &dims, DType type) {
    return fmt::format("{}[{}]", dtypeName(type), fmt::join(dims, ", "));
}

/// Any byte but zero is true; one of them stands for it.
void tidyBools(HostTensor &tensor) {
    std::byte *bytes = tensor.mutableBytes();
    for (size_t i = 0; i < tensor.byteSize(); ++i)
        if (bytes[i] != std::byte{0}) bytes[i] = std::byte{1};
}

/// Each number of a typed field, narrowed to the low bytes of the element.
template <typename Field> Outcome<HostTensor> typedData(const Field &field, DType type, std::vector<int64_t> dims) {
    const int64_t count = elementCount(dims);
    if (std::cmp_not_equal(field.size(), count))
        return Refusal{fmt::format("holds {} numbers, and {} has {}", field.size(), bytesText(dims, type), count)};
    HostTensor tensor = HostTensor::zeros(type, std::move(dims));
    const auto size = static_cast<size_t>(dtypeBytes(type));
    std::byte *to = tensor.mutableBytes();
    using Number = std::remove_cvref_t<decltype(field.Get(0))>;
    if (size == sizeof(Number)) {
        if (count > 0) std::memcpy(to, field.data(), tensor.byteSize());
    } else {
        // Little-endian: the low bytes come first.
        for (int i = 0; i < field.size(); ++i) {
            const Number number = field.Get(i);
            std::memcpy(to + static_cast<size_t>(i) * size, &number, size);
        }
    }
    if (type == DType::Bool) tidyBools(tensor);
    return tensor;
}

/// The number of an external data entry, which is text.
std::optional<int64_t> entryNumber(const std::string &text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

Outcome<HostTensor> externalData(const onnx::TensorProto &proto, ExternalFiles &files, DType type,
                                 std::vector<int64_t> dims) {
    std::string location;
    int64_t offset = 0;
    const int64_t bytes = elementCount(dims) * dtypeBytes(type);
    int64_t length = bytes;
    for (const auto &entry : proto.external_data()) {
        if (entry.key() == "location") location = entry.value();
        if (entry.key() != "offset" && entry.key() != "length") continue;
        const auto number = entryNumber(entry.value());
        if (!number)
            return Refusal{fmt::format("its external data has the {} '{}', which is no number of bytes", entry.key(),
                                       entry.value())};
        (entry.key() == "offset" ? offset : length) = *number;
    }
    if (length != bytes)
        return Refusal{
            fmt::format("its external data has {} bytes, and {} has {}", length, bytesText(dims, type), bytes)};
    auto file = files.open(location);
    if (!file) return file.refusal();
    const auto present = static_cast<int64_t>((*file)->bytes().size());
    if (offset > present || bytes > present - offset)
        return Refusal{
            fmt::format("its external data is {} bytes at {} of '{}', which has {}", bytes, offset, location, present)};
    const auto from = static_cast<size_t>(offset);
    if (offset % dtypeBytes(type) == 0 && type != DType::Bool)
        return HostTensor::mapped(type, std::move(dims), *file, from);
    HostTensor copy =
        HostTensor::fromBytes(type, std::move(dims), (*file)->bytes().subspan(from, static_cast<size_t>(bytes)));
    if (type == DType::Bool) tidyBools(copy);
    return copy;
}

Outcome<HostTensor> rawData(const std::string &raw, DType type, std::vector<int64_t> dims) {
    const int64_t bytes = elementCount(dims) * dtypeBytes(type);
    if (std::cmp_not_equal(raw.size(), bytes))
        return Refusal{fmt::format("holds {} bytes, and {} has {}", raw.size(), bytesText(dims, type), bytes)};
    HostTensor tensor = HostTensor::fromBytes(type, std::move(dims), std::as_bytes(std::span(raw.data(), raw.size())));
    if (type == DType::Bool) tidyBools(tensor);
    return tensor;
}

} // namespace

std::optional<DType> dtypeOfOnnx(int type) {
    for (const TypePair &pair : kTypePairs)
        if (pair.onnx == type) return pair.dtype;
    return std::nullopt;
}

onnx::TensorProto_DataType onnxOfDtype(DType type) {
    for (const TypePair &pair : kTypePairs)
        if (pair.dtype == type) return pair.onnx;
    return onnx::TensorProto_DataType_UNDEFINED;
}

std::string onnxTypeName(int type) {
    if (onnx::TensorProto_DataType_IsValid(type))
        return onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(type));
    return fmt::format("type {}", type);
}

Outcome<std::shared_ptr<const MappedFile>> ExternalFiles::open(const std::string &location) {
    namespace fs = std::filesystem;
    if (const auto at = m_files.find(location); at != m_files.end()) return at->second;
    if (m_folder.empty()) return Refusal{"its data is in another file, and this model is not read from a folder"};
    const fs::path path(location);
    if (location.empty()) return Refusal{"its external data names no file"};
    if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
        return Refusal{
            fmt::format("its external data is in '{}'; only files in the model's folder are read", location)};
    std::error_code error;
    const fs::path folder = fs::canonical(m_folder, error);
    const fs::path whole = error ? fs::path() : fs::canonical(fs::path(m_folder) / path, error);
    if (error)
        return Refusal{fmt::format("its external data file '{}' cannot be opened: {}", location, error.message())};
    const auto [inside, rest] = std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end());
    if (inside != folder.end())
        return Refusal{fmt::format(
            "its external data file '{}' is a link out of the model's folder, which is not followed", location)};
    try {
        auto file = MappedFile::open(whole.string());
        m_files.emplace(location, file);
        return file;
    } catch (const Error &failed) {
        return Refusal{fmt::format("its external data file '{}' {}", location, failed.sentence())};
    }
}

Outcome<HostTensor> tensorOf(const onnx::TensorProto &proto, ExternalFiles &files, int64_t maxBytes) {
    const auto type = dtypeOfOnnx(proto.data_type());
    if (!type)
        return Refusal{fmt::format("has elements of {}; supported are floats of 16 to 64 bits, integers but uint64, "
                                   "and bool",
                                   onnxTypeName(proto.data_type()))};
    if (proto.has_segment()) return Refusal{"is stored in segments, which are not supported"};
    std::vector<int64_t> dims(proto.dims().begin(), proto.dims().end());
    const int64_t count = elementCount(dims);
    if (count < 0 || count > maxBytes / dtypeBytes(*type))
        return Refusal{fmt::format("has the dims [{}]; dims are not negative, and a tensor has {} bytes at most",
                                   fmt::join(dims, ", "), maxBytes)};
    if (proto.data_location() == onnx::TensorProto_DataLocation_EXTERNAL)
        return externalData(proto, files, *type, std::move(dims));
    if (proto.has_raw_data()) return rawData(proto.raw_data(), *type, std::move(dims));
    switch (*type) {
    case DType::Float32:
        return typedData(proto.float_data(), *type, std::move(dims));
    case DType::Float64:
        return typedData(proto.double_data(), *type, std::move(dims));
    case DType::Int64:
        return typedData(proto.int64_data(), *type, std::move(dims));
    case DType::UInt32:
        return typedData(proto.uint64_data(), *type, std::move(dims));
    default: // 16 bits and less, floats too, and int32
        return typedData(proto.int32_data(), *type, std::move(dims));
    }
}

void writeTensor(onnx::TensorProto &proto, const std::string &name, const HostTensor &tensor) {
    proto.set_name(name);
    proto.set_data_type(onnxOfDtype(tensor.dtype()));
    for (const int64_t dim : tensor.dims()) proto.add_dims(dim);
    const HostTensor dense = tensor.dense();
    proto.set_raw_data(dense.bytes(), dense.byteSize());
}

} // namespace loopscope
