#pragma once
// A list of steps to keep: some hundreds of bytes instead of thousands, shared between its copies. Searches keep every
// schedule they measured and where it came from; as Steps, a hundred small vectors each, they would fill memory. The
// candidates of a sketch differ in few numbers: who keeps thousands of them keeps the rest, their skeleton, once.

#include "schedule/step.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

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
    [[nodiscard]] size_t size() const;
    [[nodiscard]] bool empty() const { return m_bytes == nullptr; }
    /// The same steps, whether their skeletons are shared or not.
    bool operator==(const PackedSteps &other) const;

  private:
    friend class StepSkeletons;
    /// The count and, step by step, all but the numbers that candidates of a sketch differ in: lengths of splits, texts
    /// of pragmas. Null: they stand in m_bytes, too, between those numbers.
    std::shared_ptr<const std::string> m_skeleton;
    std::shared_ptr<const char[]> m_bytes; // how many follow, then these; null = no steps
};

/// The skeletons of lists that are kept. For one thread; the lists may go anywhere.
class StepSkeletons {
  public:
    /// Equal, and sharing no memory but the skeleton, which all that have the same one share.
    [[nodiscard]] PackedSteps keep(const PackedSteps &steps);
    /// Gives up the skeletons of lists that are gone.
    void forgetUnused();
    [[nodiscard]] size_t size() const { return m_skeletons.size(); }

  private:
    using Skeleton = std::shared_ptr<const std::string>;
    struct ByText {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
        size_t operator()(const Skeleton &skeleton) const { return (*this)(*skeleton); }
        static std::string_view textOf(std::string_view text) { return text; }
        static std::string_view textOf(const Skeleton &skeleton) { return *skeleton; }
        bool operator()(const auto &a, const auto &b) const { return textOf(a) == textOf(b); }
    };
    std::unordered_set<Skeleton, ByText, ByText> m_skeletons;
};

} // namespace loopscope
