#pragma once
// The fused operators as hashed text, parsed once for each shape and then put together by copying characters.

#include "records/resolve/fused_ops.h"
#include "records/resolve/oldest_text.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace loopscope {

/// A row of the table where it is known what it reads.
struct FusedOption {
    FusedOp op;
    std::string text;          // kBefore stands for the name of what comes before, kOperand for that of the operand
    std::vector<size_t> marks; // where they stand in it
    std::string result;
    Shape shape;
    std::string dtype;
};

class FusedOptions {
  public:
    explicit FusedOptions(HashForm form) : m_form(form) {}
    static constexpr char kBefore = '\1';
    static constexpr char kOperand = '\2';

    struct Request {
        Shape shape;
        std::string dtype;
        std::optional<Shape> operand = std::nullopt; // of the operators that read one; without: of the others
        bool leading = false;
        bool reductions = false;
        auto operator<=>(const Request &) const = default;
    };
    /// Stays where it is.
    const std::vector<FusedOption> &options(const Request &request);

  private:
    HashForm m_form;
    std::map<Request, std::vector<FusedOption>> m_options;
};

} // namespace loopscope
