#pragma once
// A function behind the C convention of packed_value.h, with all that a call needs: its resource, whom to ask why it
// failed, and the library it lives in. What it takes may be known, and then calls are checked before they are made.

#include "base/outcome.h"
#include "networks/packed/packed_value.h"
#include "networks/packed/signature.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace loopscope {

class PackedFunction {
  public:
    struct Parts {
        std::string name;
        PackedFunctionPointer code = nullptr;
        void *resource = nullptr;
        PackedErrorPointer whyItFailed = nullptr; // none: a failure has no reason but its number
        std::optional<PackedSignature> signature = std::nullopt;
        std::shared_ptr<const void> kept = nullptr; // what has to live as long as the function
    };
    explicit PackedFunction(Parts parts);

    [[nodiscard]] const std::string &name() const { return m_parts.name; }
    [[nodiscard]] const std::optional<PackedSignature> &signature() const { return m_parts.signature; }
    [[nodiscard]] PackedFunctionPointer code() const { return m_parts.code; }
    [[nodiscard]] void *resource() const { return m_parts.resource; }

    /// The result, or a sentence that names the function and what was wrong: the call, the run, or what came back.
    [[nodiscard]] Outcome<PackedArgument> call(std::span<const PackedArgument> arguments) const;

  private:
    Parts m_parts;
};

} // namespace loopscope
