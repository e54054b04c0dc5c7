#include "networks/packed/tensor_spec.h"

#include "language/tensor/host_tensor.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopscope {

namespace {

constexpr int32_t kMaxDims = 64;

/// The kinds of devices by their numbers in DLPack.
std::string deviceText(DlDevice device) {
    struct Kind {
        int32_t number;
        const char *name;
    };
    constexpr std::array<Kind, 9> kinds{{{1, "the host"},
                                         {2, "a CUDA GPU"},
                                         {3, "pinned memory of CUDA"},
                                         {4, "OpenCL"},
                                         {7, "Vulkan"},
                                         {8, "Metal"},
                                         {10, "a ROCm GPU"},
                                         {13, "managed memory of CUDA"},
                                         {14, "oneAPI"}}};
    for (const Kind &kind : kinds)
        if (kind.number == device.kind) return fmt::format("{} (device {}:{})", kind.name, device.kind, device.number);
    return fmt::format("device {}:{}", device.kind, device.number);
}

std::string shapeText(const std::vector<int64_t> &dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

/// The first dimension whose elements do not lie where row-major order without gaps has them.
std::optional<int32_t> strayDimension(const DlTensor &tensor) {
    if (tensor.strides == nullptr) return std::nullopt;
    int64_t expected = 1;
    for (int32_t d = tensor.rank - 1; d >= 0; --d) {
        if (tensor.shape[d] != 1 && tensor.strides[d] != expected) return d;
        expected *= tensor.shape[d];
    }
    return std::nullopt;
}

} // namespace

DlDataType dlTypeOf(DType dtype) {
    const auto bits = static_cast<uint8_t>(8 * dtypeBytes(dtype));
    if (dtype == DType::Bool) return {6, 8, 1};
    if (dtype == DType::BFloat16) return {4, 16, 1};
    if (isFloat(dtype)) return {2, bits, 1};
    return {static_cast<uint8_t>(isUnsigned(dtype) ? 1 : 0), bits, 1};
}

std::optional<DType> dtypeOf(DlDataType type) {
    for (const DType dtype :
         {DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16, DType::Int32, DType::UInt32,
          DType::Int64, DType::Float16, DType::BFloat16, DType::Float32, DType::Float64})
        if (dlTypeOf(dtype) == type) return dtype;
    return std::nullopt;
}

std::string dlTypeText(DlDataType type) {
    constexpr std::array<const char *, 7> names = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
    std::string text = type.code < names.size() ? names[type.code] : fmt::format("type {} of ", type.code);
    if (type != dlTypeOf(DType::Bool)) text += std::to_string(type.bits);
    if (type.lanes != 1) text += fmt::format("x{}", type.lanes);
    return text;
}

std::string tensorText(const DlTensor &tensor) {
    if (tensor.rank < 0 || tensor.rank > kMaxDims || (tensor.rank > 0 && tensor.shape == nullptr))
        return dlTypeText(tensor.dtype) + " without a shape";
    return dlTypeText(tensor.dtype) + shapeText(dimsOf(tensor));
}

std::vector<int64_t> dimsOf(const DlTensor &tensor) {
    return tensor.rank == 0 ? std::vector<int64_t>() : std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank);
}

std::optional<Refusal> problemOfTensor(const DlTensor *tensor, const std::optional<TensorSpec> &spec) {
    if (tensor == nullptr) return Refusal{"is a tensor without an address"};
    if (tensor->rank < 0 || tensor->rank > kMaxDims)
        return Refusal{fmt::format("has {} dimensions; 0 to {} are possible", tensor->rank, kMaxDims)};
    if (tensor->rank > 0 && tensor->shape == nullptr) return Refusal{"has dimensions but no shape"};
    if (tensor->dtype.lanes != 1)
        return Refusal{fmt::format("has elements of {} lanes ({}); elements of one lane are wanted",
                                   tensor->dtype.lanes, dlTypeText(tensor->dtype))};
    const std::optional<DType> dtype = dtypeOf(tensor->dtype);
    if (spec && dtype != spec->dtype)
        return Refusal{fmt::format("is {}; {} is wanted", dlTypeText(tensor->dtype), dtypeName(spec->dtype))};
    if (!dtype)
        return Refusal{fmt::format("is {}, which no tensor here holds; bool, integers and floats can be passed",
                                   dlTypeText(tensor->dtype))};
    const std::vector<int64_t> dims = dimsOf(*tensor);
    if (spec && dims.size() != spec->dims.size())
        return Refusal{fmt::format("has {} dimensions, {}; {} are wanted, {}", dims.size(), shapeText(dims),
                                   spec->dims.size(), shapeText(spec->dims))};
    if (spec && dims != spec->dims)
        return Refusal{fmt::format("has the shape {}; {} is wanted", shapeText(dims), shapeText(spec->dims))};
    const int64_t elements = elementCount(dims);
    if (elements < 0) return Refusal{fmt::format("has the shape {}, which no memory holds", shapeText(dims))};
    if (tensor->device.kind != kDlHost)
        return Refusal{fmt::format("lies on {}; memory of the host (device 1) is wanted", deviceText(tensor->device))};
    if (elements == 0) return std::nullopt; // nobody looks at its memory
    if (const auto stray = strayDimension(*tensor))
        return Refusal{fmt::format("has the stride {} in dimension {} of {}; row-major order without gaps is wanted",
                                   tensor->strides[*stray], *stray, shapeText(dims))};
    if (tensor->data == nullptr) return Refusal{"has no data: its address is null"};
    if (const auto bytes = static_cast<uintptr_t>(dtypeBytes(*dtype));
        reinterpret_cast<uintptr_t>(firstElement(*tensor)) % bytes != 0)
        return Refusal{fmt::format(
            "begins at an address that is no multiple of {}, where {} may not lie{}", bytes, dtypeName(*dtype),
            tensor->byteOffset != 0 ? fmt::format(" (byte offset {})", tensor->byteOffset) : "")};
    return std::nullopt;
}

std::byte *firstElement(const DlTensor &tensor) { return static_cast<std::byte *>(tensor.data) + tensor.byteOffset; }

size_t bytesOf(const DlTensor &tensor) {
    return static_cast<size_t>(elementCount(dimsOf(tensor))) * (tensor.dtype.bits / 8U);
}

} // namespace loopscope
