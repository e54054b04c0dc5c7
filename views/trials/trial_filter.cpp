#include "views/trials/trial_filter.h"

#include "views/trials/filter_hint.h"
#include "views/trials/filter_node.h"
#include "views/trials/trial_facts.h"

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// `needle` has no capital letters; a '#' in it stands for any run of digits.
bool containsWords(std::string_view text, std::string_view needle) {
    if (needle.find('#') != std::string_view::npos) {
        const std::string pattern = reasonPattern(text);
        return std::search(pattern.begin(), pattern.end(), needle.begin(), needle.end(),
                           [](char a, char b) { return lowered(a) == b; }) != pattern.end();
    }
    return std::search(text.begin(), text.end(), needle.begin(), needle.end(),
                       [](char a, char b) { return lowered(a) == b; }) != text.end();
}

bool compares(FilterNode::Compare compare, double value, const FilterNode &node) {
    using Compare = FilterNode::Compare;
    switch (compare) {
    case Compare::Less:
        return value < node.value;
    case Compare::LessEqual:
        return value <= node.value;
    case Compare::Greater:
        return value > node.value;
    case Compare::GreaterEqual:
        return value >= node.value;
    case Compare::Equal:
        return value >= node.value && value <= node.upper;
    case Compare::NotEqual:
        return value < node.value || value > node.upper;
    }
    return false;
}

bool hasText(const FilterNode &node, TrialColumn column, const TrialEntry &entry) {
    switch (column) {
    case TrialColumn::Mutation:
        return entry.mutation.contains(node.text, Qt::CaseInsensitive);
    case TrialColumn::Note:
        return entry.later->note.contains(node.text, Qt::CaseInsensitive);
    case TrialColumn::Reason:
        return !entry.trial.reason.empty() && containsWords(entry.trial.reason, node.lower);
    case TrialColumn::Failure:
        return !entry.valid() && trialErrorName(entry.trial.error).find(node.lower) != std::string_view::npos;
    default:
        return false;
    }
}

bool hasFlag(FilterFlag flag, const TrialFacts &facts, int trial) {
    const TrialEntry &entry = facts.entry(trial);
    switch (flag) {
    case FilterFlag::Failed:
        return !entry.valid();
    case FilterFlag::Valid:
        return entry.valid();
    case FilterFlag::Pinned:
        return entry.pinned;
    case FilterFlag::Unstable:
        return entry.trial.unstable;
    case FilterFlag::Best:
        return facts.document()->best == trial;
    case FilterFlag::Noted:
        return !entry.later->note.isEmpty();
    case FilterFlag::Remeasured:
        return !entry.later->again.empty();
    case FilterFlag::Logged:
        return entry.fromLog;
    }
    return false;
}

bool holds(const FilterNode &node, const TrialFacts &facts, int trial) {
    using Kind = FilterNode::Kind;
    const auto child = [&](const FilterNode &n) { return holds(n, facts, trial); };
    switch (node.kind) {
    case Kind::And:
        return std::all_of(node.children.begin(), node.children.end(), child);
    case Kind::Or:
        return std::any_of(node.children.begin(), node.children.end(), child);
    case Kind::Not:
        return !child(node.children[0]);
    case Kind::Number:
        return compares(node.compare, facts.number(node.column, trial), node); // false for what has no number
    case Kind::Text:
        return hasText(node, node.column, facts.entry(trial));
    case Kind::Anywhere: {
        const TrialEntry &entry = facts.entry(trial);
        return hasText(node, TrialColumn::Failure, entry) || hasText(node, TrialColumn::Reason, entry) ||
               hasText(node, TrialColumn::Note, entry) || hasText(node, TrialColumn::Mutation, entry);
    }
    case Kind::Flag:
        return hasFlag(node.flag, facts, trial);
    case Kind::TileIs: {
        const std::optional<SplitStep> split = facts.tile(node.tile, trial);
        if (!split || split->lengths.size() + 1 != node.parts.size()) return false;
        for (size_t i = 0; i < node.parts.size(); ++i)
            if (node.parts[i] >= 0 && factorAt(*split, static_cast<int>(i)) != node.parts[i]) return false;
        return true;
    }
    case Kind::TileAt: {
        const std::optional<SplitStep> split = facts.tile(node.tile, trial);
        const int64_t factor = !split ? -1 : factorAt(*split, node.part);
        return factor > 0 && compares(node.compare, static_cast<double>(factor), node);
    }
    }
    return false;
}

bool asksForOthers(const FilterNode &node) {
    if (node.kind == FilterNode::Kind::Number && node.column == TrialColumn::Rank) return true;
    if (node.kind == FilterNode::Kind::Flag && node.flag == FilterFlag::Best) return true;
    return std::any_of(node.children.begin(), node.children.end(), asksForOthers);
}

} // namespace

bool TrialFilter::matches(const TrialFacts &facts, int trial) const { return holds(*m_root, facts, trial); }

bool TrialFilter::relative() const { return asksForOthers(*m_root); }

QString TrialFilter::hint(const TrialFacts &facts, bool nothingPasses) const {
    return filterHint(m_root, facts, nothingPasses);
}

std::string reasonPattern(std::string_view reason) {
    std::string pattern;
    pattern.reserve(reason.size());
    for (size_t i = 0; i < reason.size(); ++i) {
        if (!isDigit(reason[i])) {
            pattern += reason[i];
            continue;
        }
        // 1.25e-3 is one number, the full stop behind "17." is none of it.
        size_t end = i + 1;
        while (end < reason.size() &&
               (isDigit(reason[end]) || (reason[end] == '.' && end + 1 < reason.size() && isDigit(reason[end + 1]))))
            ++end;
        if (end + 2 < reason.size() && reason[end] == 'e' && (reason[end + 1] == '-' || reason[end + 1] == '+') &&
            isDigit(reason[end + 2])) {
            end += 3;
            while (end < reason.size() && isDigit(reason[end])) ++end;
        }
        pattern += '#';
        i = end - 1;
    }
    return pattern;
}

} // namespace loopscope
