#pragma once
// Types that an ONNX file declares for its values, with the names of symbolic dims made names of ours: "batch size" is
// batch_size, "n + 1" is an expression.

#include "base/outcome.h"
#include "networks/graph/function.h"
#include "networks/onnx/proto.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace loopscope {

class DeclaredTypes {
  public:
    /// `numbers` are given for symbols, by the file's names or by ours.
    DeclaredTypes(const onnx::GraphProto &graph, const std::map<std::string, int64_t> &numbers);

    /// Of an input: dims that the file leaves open get a symbol called after it.
    Outcome<TensorType> inputType(const onnx::ValueInfoProto &info);
    /// Of other values nothing need be declared; nothing where it is not a tensor with a rank.
    std::optional<TensorType> typeOf(const std::string &valueName);
    /// Says what contradicts a type that was inferred: the element type, the rank, or dims that both know.
    std::optional<std::string> contradiction(const std::string &valueName, const TensorType &inferred);

    /// It declares other elements, or no tensor at all.
    [[nodiscard]] bool contradictsElements(const std::string &valueName, const TensorType &inferred) const;

    /// Symbols that inputs have, by our names.
    [[nodiscard]] const std::set<std::string> &symbols() const { return m_symbols; }
    /// Numbers that were given for no symbol.
    [[nodiscard]] std::vector<std::string> unused() const;

  private:
    Dim named(const std::string &text);
    Dim symbol(const std::string &ours);
    Outcome<TensorType> tensorType(const onnx::ValueInfoProto &info);

    std::map<std::string, const onnx::ValueInfoProto *> m_infos; // of outputs and values inside
    const std::map<std::string, int64_t> &m_numbers;
    std::map<std::string, Dim> m_named; // by the file's text
    std::set<std::string> m_symbols;
    std::set<std::string> m_taken; // names of symbols
    std::set<std::string> m_used;  // of the numbers
};

} // namespace loopscope
