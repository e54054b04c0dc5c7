#pragma once
// Tensors as programs hand them to one another without copying (DLPack, version 0): the layout is a standard, so names
// may be ours but neither order nor types of the fields. Nothing here owns memory.

#include <cstdint>

namespace loopscope {

/// Where data lies: 1 memory of the host, 2 of a GPU through CUDA, ...
struct DlDevice {
    int32_t kind = 1;
    int32_t number = 0;
    bool operator==(const DlDevice &) const = default;
};
constexpr int32_t kDlHost = 1;

/// Code: 0 signed, 1 unsigned, 2 float, 3 handle, 4 bfloat, 5 complex, 6 bool. Lanes: elements in one vector.
struct DlDataType {
    uint8_t code = 2;
    uint8_t bits = 32;
    uint16_t lanes = 1;
    bool operator==(const DlDataType &) const = default;
};

struct DlTensor {
    void *data = nullptr;
    DlDevice device;
    int32_t rank = 0;
    DlDataType dtype;
    int64_t *shape = nullptr;
    int64_t *strides = nullptr; // in elements; null: row-major without gaps
    uint64_t byteOffset = 0;    // from `data` to the first element
};

static_assert(sizeof(DlDataType) == 4 && sizeof(DlDevice) == 8);
static_assert(sizeof(void *) != 8 || sizeof(DlTensor) == 48);

} // namespace loopscope
