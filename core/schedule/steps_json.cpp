#include "schedule/steps_json.h"

#include "outcome.h"

#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace loopscope {

namespace {

// --- Writing
// ----------------------------------------------------------------------------------------------------------

template <typename Range, typename Write> std::string listText(const Range &range, Write &&write) {
    std::string text = "[";
    for (const auto &item : range) {
        if (text.size() > 1) text += ", ";
        text += write(item);
    }
    return text + "]";
}

template <typename Ids> std::string idsText(const Ids &ids) {
    return listText(ids, [](const auto &id) { return std::to_string(id.value); });
}

struct StepWriter {
    std::string operator()(const AnnotateStep &s) const {
        return fmt::format("[\"AN\", {}, {}, {}]", s.stage.value, s.iter.value, static_cast<int>(s.annotation));
    }
    std::string operator()(const FuseStep &s) const {
        return fmt::format("[\"FU\", {}, {}]", s.stage.value, idsText(s.iters));
    }
    std::string operator()(const PragmaStep &s) const {
        return fmt::format("[\"PR\", {}, {}, {}]", s.stage.value, s.iter.value, jsonString(s.text));
    }
    std::string operator()(const ReorderStep &s) const {
        return fmt::format("[\"RE\", {}, {}]", s.stage.value, idsText(s.order));
    }
    std::string operator()(const SplitStep &s) const {
        const auto length = [](int64_t l) { return l == kUnfilled ? std::string("null") : std::to_string(l); };
        return fmt::format("[\"SP\", {}, {}, {}, {}, {}]", s.stage.value, s.iter.value, s.extent,
                           listText(s.lengths, length), s.innerToOuter ? 1 : 0);
    }
    std::string operator()(const FollowSplitStep &s) const {
        return fmt::format("[\"FSP\", {}, {}, {}, {}]", s.stage.value, s.iter.value, s.source.value, s.parts);
    }
    std::string operator()(const FollowFusedSplitStep &s) const {
        return fmt::format("[\"FFSP\", {}, {}, {}, {}, {}]", s.stage.value, s.iter.value, idsText(s.sources), s.level,
                           s.factor ? 1 : 0);
    }
    std::string operator()(const StorageAlignStep &s) const {
        return fmt::format("[\"SA\", {}, {}, {}, {}]", s.stage.value, s.iter.value, s.factor, s.offset);
    }
    std::string operator()(const ComputeAtStep &s) const {
        return fmt::format("[\"CA\", {}, {}, {}]", s.stage.value, s.target.value, s.targetIter.value);
    }
    std::string operator()(const ComputeInlineStep &s) const { return fmt::format("[\"CI\", {}]", s.stage.value); }
    std::string operator()(const ComputeRootStep &s) const { return fmt::format("[\"CR\", {}]", s.stage.value); }
    std::string operator()(const CacheReadStep &s) const {
        return fmt::format("[\"CHR\", {}, {}, {}]", s.stage.value, jsonString(s.scope), idsText(s.readers));
    }
    std::string operator()(const CacheWriteStep &s) const {
        return fmt::format("[\"CHW\", {}, {}]", s.stage.value, jsonString(s.scope));
    }
    std::string operator()(const RfactorStep &s) const {
        return fmt::format("[\"RF\", {}, {}, {}]", s.stage.value, s.iter.value, s.factorIter);
    }
};

// --- Reading
// ----------------------------------------------------------------------------------------------------------

struct Layout {
    const char *tag;
    const char *elements;
    size_t count;
};

constexpr Layout layouts[] = {
    {"AN", "[\"AN\", stage, iter, annotation]", 4},
    {"FU", "[\"FU\", stage, [iters]]", 3},
    {"PR", "[\"PR\", stage, iter, \"text\"]", 4},
    {"RE", "[\"RE\", stage, [order]]", 3},
    {"SP", "[\"SP\", stage, iter, extent, [lengths], inner_to_outer]", 6},
    {"FSP", "[\"FSP\", stage, iter, src_step, n_split]", 5},
    {"FFSP", "[\"FFSP\", stage, iter, [src_steps], level, factor_or_nparts]", 6},
    {"SA", "[\"SA\", stage, iter, factor, offset]", 5},
    {"CA", "[\"CA\", stage, target_stage, target_iter]", 4},
    {"CI", "[\"CI\", stage]", 2},
    {"CR", "[\"CR\", stage]", 2},
    {"CHR", "[\"CHR\", stage, \"scope\", [readers]]", 4},
    {"CHW", "[\"CHW\", stage, \"scope\"]", 3},
    {"RF", "[\"RF\", stage, iter, factor_iter]", 4},
};

class StepReader {
  public:
    StepReader(const nlohmann::json &array, size_t number) : m_array(array), m_number(number) {}

    Step read() {
        if (!m_array.is_array() || m_array.empty() || !m_array[0].is_string())
            throw Error(fmt::format("step {} is not an array that starts with a tag such as \"SP\"", m_number));
        const auto tag = m_array[0].get<std::string>();
        for (const Layout &layout : layouts)
            if (tag == layout.tag) m_layout = &layout;
        if (m_layout == nullptr)
            throw Error(fmt::format("step {} has the unknown tag \"{}\"; known are AN FU PR RE SP FSP FFSP SA CA CI CR "
                                    "CHR CHW RF",
                                    m_number, tag));
        if (m_array.size() != m_layout->count)
            fail(fmt::format("it has {} elements instead of {}", m_array.size(), m_layout->count));
        return make(tag);
    }

  private:
    Step make(const std::string &tag) {
        const StageId stage(integer(1));
        if (tag == "AN") {
            const int annotation = integer(3);
            if (annotation < 0 || annotation > 11) fail("annotations are 0 to 11");
            return AnnotateStep{stage, IterId(integer(2)), static_cast<Annotation>(annotation)};
        }
        if (tag == "FU") return FuseStep{stage, ids<IterId>(2)};
        if (tag == "PR") return PragmaStep{stage, IterId(integer(2)), string(3)};
        if (tag == "RE") return ReorderStep{stage, ids<IterId>(2)};
        if (tag == "SP") return SplitStep{stage, IterId(integer(2)), wide(m_array[3], 3), lengths(4), flag(5)};
        if (tag == "FSP") return FollowSplitStep{stage, IterId(integer(2)), StepId(integer(3)), integer(4)};
        if (tag == "FFSP") return FollowFusedSplitStep{stage, IterId(integer(2)), ids<StepId>(3), integer(4), flag(5)};
        if (tag == "SA") return StorageAlignStep{stage, IterId(integer(2)), integer(3), integer(4)};
        if (tag == "CA") return ComputeAtStep{stage, StageId(integer(2)), IterId(integer(3))};
        if (tag == "CI") return ComputeInlineStep{stage};
        if (tag == "CR") return ComputeRootStep{stage};
        if (tag == "CHR") return CacheReadStep{stage, string(2), ids<StageId>(3)};
        if (tag == "CHW") return CacheWriteStep{stage, string(2)};
        return RfactorStep{stage, IterId(integer(2)), integer(3)};
    }

    [[noreturn]] void fail(const std::string &what) const {
        throw Error(fmt::format("step {}: {}; {} takes {}", m_number, what, m_layout->tag, m_layout->elements));
    }

    int64_t wide(const nlohmann::json &value, size_t at) const {
        if (!value.is_number_integer()) fail(fmt::format("element {} is not a whole number", at));
        if (value.is_number_unsigned() &&
            value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            fail(fmt::format("element {} is too large", at));
        return value.get<int64_t>();
    }
    int narrow(const nlohmann::json &value, size_t at) const {
        const int64_t number = wide(value, at);
        if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
            fail(fmt::format("element {} is too large", at));
        return static_cast<int>(number);
    }
    int integer(size_t at) const { return narrow(m_array[at], at); }
    bool flag(size_t at) const {
        if (m_array[at].is_boolean()) return m_array[at].get<bool>();
        const int value = integer(at);
        if (value != 0 && value != 1) fail(fmt::format("element {} is neither 0 nor 1", at));
        return value == 1;
    }
    std::string string(size_t at) const {
        if (!m_array[at].is_string()) fail(fmt::format("element {} is not a string", at));
        return m_array[at].get<std::string>();
    }
    const nlohmann::json &list(size_t at) const {
        if (!m_array[at].is_array()) fail(fmt::format("element {} is not an array", at));
        return m_array[at];
    }
    template <typename Id> std::vector<Id> ids(size_t at) const {
        std::vector<Id> result;
        for (const auto &item : list(at)) result.push_back(Id(narrow(item, at)));
        return result;
    }
    std::vector<int64_t> lengths(size_t at) const {
        std::vector<int64_t> result;
        for (const auto &item : list(at)) {
            result.push_back(item.is_null() ? kUnfilled : wide(item, at));
            if (!item.is_null() && result.back() < 1) fail("a length is less than 1");
        }
        return result;
    }

    const nlohmann::json &m_array;
    size_t m_number;
    const Layout *m_layout = nullptr;
};

} // namespace

std::string stepText(const Step &step) { return std::visit(StepWriter{}, step); }

std::string jsonString(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        switch (c) {
        case '"':
            result += "\\\"";
            break;
        case '\\':
            result += "\\\\";
            break;
        case '\n':
            result += "\\n";
            break;
        case '\r':
            result += "\\r";
            break;
        case '\t':
            result += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20) {
                result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
            } else {
                result += c;
            }
        }
    }
    return result + '"';
}

std::string stepsText(const Steps &steps) { return listText(steps, stepText); }

Step stepFromJson(const nlohmann::json &array, size_t number) { return StepReader(array, number).read(); }

Steps stepsFromJson(const nlohmann::json &array) {
    if (!array.is_array()) throw Error("a list of steps is an array of arrays");
    Steps steps;
    steps.reserve(array.size());
    for (const auto &item : array) steps.push_back(stepFromJson(item, steps.size()));
    return steps;
}

} // namespace loopscope
