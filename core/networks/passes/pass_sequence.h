#pragma once
// Passes in an order, sequences within sequences. A pass is made when it is not disabled and is required or of the
// context's level or below; facts it needs are made true before it, once, and not again while they hold.

#include "base/outcome.h"
#include "networks/graph/module.h"
#include "networks/passes/pass.h"
#include "networks/passes/pass_context.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

class PassSequence {
  public:
    explicit PassSequence(std::string name) : m_name(std::move(name)) {}
    PassSequence &add(GraphPass pass);
    PassSequence &add(PassSequence sequence);

    struct Item {
        std::shared_ptr<const GraphPass> pass; // or
        std::shared_ptr<const PassSequence> sequence;
    };
    [[nodiscard]] const std::string &name() const { return m_name; }
    [[nodiscard]] const std::vector<Item> &items() const { return m_items; }
    /// Of all passes and sequences in it, at any depth, each once, in order.
    [[nodiscard]] std::vector<std::string> names() const;
    /// All passes, at any depth, in order.
    [[nodiscard]] std::vector<std::shared_ptr<const GraphPass>> passes() const;

  private:
    std::string m_name;
    std::vector<Item> m_items;
};

/// There is always a module: after all passes, or as it was when one was refused or something else ended the run.
struct PassResult {
    Module module;
    std::optional<Refusal> refusal = std::nullopt;
    bool stopped = false; // who watches had enough
    [[nodiscard]] bool ok() const { return !refusal; }
};

/// Report and facts are in the context afterwards. `extraNames` may stand in `required` and `disabled` beside those of
/// the sequence.
PassResult runPasses(const PassSequence &sequence, const Module &module, GraphPassContext &context,
                     const std::vector<std::string> &extraNames = {});

} // namespace loopscope
