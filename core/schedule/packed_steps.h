#pragma once
// A list of steps to keep: some hundreds of bytes instead of thousands, shared between its copies. Searches keep every
// schedule they measured and where it came from; as Steps, a hundred small vectors each, they would fill memory.

#include "schedule/step.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace loopscope {

class PackedSteps {
  public:
    PackedSteps() = default;
    explicit PackedSteps(std::span<const Step> steps);
    PackedSteps(const Steps &steps) : PackedSteps(std::span(steps)) {}
    PackedSteps(std::initializer_list<Step> steps) : PackedSteps(std::span(steps.begin(), steps.size())) {}

    [[nodiscard]] Steps unpack() const;
    /// Without unpacking those behind it.
    [[nodiscard]] Step at(size_t number) const;
    /// Equal, and sharing no memory.
    [[nodiscard]] PackedSteps copied() const;
    [[nodiscard]] size_t size() const;
    [[nodiscard]] bool empty() const { return m_bytes == nullptr; }
    bool operator==(const PackedSteps &other) const;

  private:
    std::shared_ptr<const std::string> m_bytes; // the count, then step by step; null = none
};

} // namespace loopscope
