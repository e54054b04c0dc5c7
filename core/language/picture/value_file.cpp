#include "language/picture/value_file.h"

#include "base/outcome.h"
#include "language/expr/half.h"
#include "language/picture/array_file.h"
#include "language/picture/picture_tensor.h"
#include "language/picture/png_file.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace loopscope {

namespace {

bool endsIn(const std::string &path, std::string_view ending) {
    return path.size() > ending.size() &&
           std::ranges::equal(std::string_view(path).substr(path.size() - ending.size()), ending,
                              [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}
bool isPicture(const std::string &path) { return endsIn(path, ".png"); }

} // namespace

void checkValueFile(const std::string &path) {
    if (!isPicture(path) && !endsIn(path, ".npy"))
        throw Error(path, 0, 0, "values are read from and written to pictures, NAME.png, and arrays, NAME.npy");
}

TensorValue readValue(const std::string &path, const Tensor &input) {
    checkValueFile(path);
    if (isPicture(path)) {
        Outcome<TensorValue> value = tensorOf(readPng(path), input.name, input.dtype, input.shape);
        if (!value) throw Error(path, 0, 0, value.why());
        for (double &x : value->floats) x = roundToType(x, input.dtype);
        return std::move(value).value();
    }
    TensorValue value = readArray(path);
    const bool narrowed = input.dtype == DType::BFloat16 && value.dtype == DType::Float32; // NumPy has no bfloat16
    if (value.shape != input.shape || (value.dtype != input.dtype && !narrowed))
        throw Error(path, 0, 0,
                    fmt::format("the array is [{}] {}, `{}` is [{}] {}", fmt::join(value.shape, ", "),
                                dtypeName(value.dtype), input.name, fmt::join(input.shape, ", "),
                                dtypeName(input.dtype)));
    if (narrowed) {
        value.dtype = input.dtype;
        for (double &x : value.floats) x = roundToType(x, input.dtype);
    }
    return value;
}

WrittenValue writeValue(const std::string &path, const TensorValue &value, const std::string &name, bool stretch) {
    checkValueFile(path);
    if (!isPicture(path)) {
        writeArray(path, value);
        return {};
    }
    const Outcome<PaintedPicture> painted = pictureOf(value, name, stretch ? valueRange(value) : PictureRange{});
    if (!painted) throw Error(path, 0, 0, painted.why());
    writePng(path, painted->picture);
    return {painted->beyond};
}

} // namespace loopscope
