#pragma once
// What a packed function takes and gives, so that a wrong call is refused with a sentence before anything runs: the
// number of arguments, the kind of each, and of tensors their type, shape and place.

#include "base/outcome.h"
#include "networks/packed/packed_value.h"
#include "networks/packed/tensor_spec.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope {

struct ArgumentSpec {
    std::string name;
    PackedCode kind = PackedCode::Tensor;
    std::optional<TensorSpec> tensor = std::nullopt; // none: any tensor on the host
    bool written = false;                            // a tensor that the function fills in
};

struct PackedSignature {
    std::vector<ArgumentSpec> arguments;
    PackedCode result = PackedCode::Null; // Null: nothing
};

/// "a tensor", "an integer".
std::string_view kindText(PackedCode kind);
PackedCode codeOf(const PackedArgument &argument);
/// "float 1.5", "a tensor float32[2, 3]".
std::string argumentText(const PackedArgument &argument);

/// Whether a value of one code may stand where another is wanted: an integer or a bool for a float, null for a pointer.
bool kindFits(PackedCode given, PackedCode wanted);

/// The first thing wrong with a call, if any: "add: argument 2 (b) is float 1.5; a tensor is wanted".
std::optional<Refusal> problemOfCall(std::string_view function, const PackedSignature &signature,
                                     std::span<const PackedArgument> arguments);

/// What came over the C interface. Refused when the code is none, or one of another runtime's objects.
Outcome<PackedArgument> unpack(PackedValue value, int code);
/// The other way; a text stays that of the argument. The code lands in `code`.
PackedValue pack(const PackedArgument &argument, int &code);

} // namespace loopscope
