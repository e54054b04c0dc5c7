#include "records/resolve/pattern_search.h"

#include "records/resolve/fused_options.h"
#include "records/resolve/pattern_head.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MD5.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

constexpr int kMaxCost = 14;
constexpr size_t kMaxFound = 64;
constexpr size_t kMaxHeads = 16'384; // extents that run together are shapes in many ways; real keys have a fifth

using Digest = std::array<uint8_t, 16>;

Digest digestOf(const std::string &hex) {
    Digest digest{};
    const auto nibble = [](char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
    for (size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<uint8_t>(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
    return digest;
}

void update(llvm::MD5 &md5, std::string_view text) { md5.update(llvm::StringRef(text.data(), text.size())); }

/// How the log names inputs: p0, p1, ... or, before 2022, all alike.
enum class InputNames : uint8_t { Numbered, Alike };

std::string inputName(InputNames names, size_t number) {
    return names == InputNames::Alike ? "placeholder" : "p" + std::to_string(number);
}

void updateFilledIn(llvm::MD5 &md5, const FusedOption &option, const std::string &before, const std::string &operand) {
    const std::string_view text = option.text;
    size_t from = 0;
    for (const size_t mark : option.marks) {
        update(md5, text.substr(from, mark - from));
        update(md5, text[mark] == FusedOptions::kBefore ? before : operand);
        from = mark + 1;
    }
    update(md5, text.substr(from));
}

std::string filledIn(const std::string &text, const std::string &before, const std::string &operand) {
    std::string out;
    for (const char c : text) {
        if (c == FusedOptions::kBefore)
            out += before;
        else if (c == FusedOptions::kOperand)
            out += operand;
        else
            out += c;
    }
    return out;
}

class Search {
  public:
    Search(const TaskKey &key, size_t most, const std::atomic<bool> *cancelled, HashForm form, FusedOptions &options)
        : m_key(key), m_wanted(digestOf(key.name)), m_most(most), m_cancelled(cancelled), m_form(form),
          m_options(options) {}

    PatternSearchResult run() {
        // The text does not tell types as such; plain ones first.
        static const std::vector<PatternTypes> passes = {
            {"float32", ""}, {"float16", ""}, {"int8", "int32"}, {"float16", "float32"}};
        const size_t count = m_form == HashForm::Simple ? passes.size() : 1;
        for (size_t pass = 0; pass < count && m_result.found.empty() && !m_stopped; ++pass) {
            const size_t left = m_most - std::min(m_most, m_hashed);
            m_until = m_hashed + (pass + 1 == count ? left : left * 2 / 3);
            searchWith(passes[pass]);
        }
        return std::move(m_result);
    }

  private:
    struct Node {
        llvm::MD5 md5;
        std::string name; // of the last op
        const Shape *shape = nullptr;
        const std::string *dtype = nullptr;
        size_t nextExtra = 0; // of those behind the pattern
        bool leadRead = false;
        bool reduced = false;
    };

    void searchWith(const PatternTypes &types) {
        m_known.clear();
        std::vector<PatternHead> heads;
        for (const OpPattern &pattern : opPatterns()) {
            if (m_form != HashForm::Simple && (pattern.text.empty() || !pattern.divisors.empty())) continue;
            size_t first = heads.size(); // of the heads of the same inputs
            const std::vector<ShapeMatch> matches = matchShapes(pattern, m_key);
            for (size_t i = 0; i < matches.size() && heads.size() < kMaxHeads; ++i) {
                if (stopped()) return;
                if (i > 0 && matches[i].inputs == matches[i - 1].inputs &&
                    matches[i].extents == matches[i - 1].extents) {
                    // Only what follows is cut otherwise.
                    const size_t end = heads.size();
                    for (size_t k = first; k < end; ++k) {
                        heads.push_back(heads[k]);
                        heads.back().match = matches[i];
                    }
                    first = end;
                    continue;
                }
                first = heads.size();
                for (PatternHead &head : headsOf(pattern, matches[i], types, m_form)) heads.push_back(std::move(head));
            }
        }
        m_result.heads += heads.size();
        // Shapes run together are older than numbered inputs.
        std::array<InputNames, 2> order = {InputNames::Numbered, InputNames::Alike};
        if (!m_key.nested) std::swap(order[0], order[1]);
        for (int cost = 0; cost <= kMaxCost; ++cost)
            for (const InputNames names : order)
                for (const PatternHead &head : heads)
                    if (head.cost <= cost &&
                        (m_form == HashForm::Simple || (names == InputNames::Alike && !head.match.lead)) &&
                        (tryHead(head, names, cost - head.cost) || stopped()))
                        return;
    }

    bool stopped() {
        if (m_cancelled != nullptr && m_cancelled->load(std::memory_order_relaxed))
            m_result.cancelled = m_stopped = true;
        return m_stopped || m_hashed >= m_until;
    }

    bool tryHead(const PatternHead &head, InputNames names, int cost) {
        ++m_hashed;
        m_head = &head;
        m_names = names;
        m_chain.clear();
        Node node;
        size_t number = 0;
        if (head.match.lead) {
            m_leadName = inputName(names, number++);
            update(node.md5, m_leadName + " = PLACEHOLDER \n"); // of the oldest forms none has a leading input
            node.nextExtra = 1;
        }
        m_inputNames.clear();
        for (size_t i = 0; i < head.match.inputs.size(); ++i) m_inputNames.push_back(inputName(names, number++));
        m_firstNumber = number;
        for (const HashedLine &line : head.text.lines) update(node.md5, withInputNames(line.text, m_inputNames));
        node.name = withInputNames(head.text.result, m_inputNames);
        node.shape = &head.text.shape;
        node.dtype = &head.text.dtype;
        return grow(node, cost);
    }

    /// What has to follow yet: operands nobody has read, and the shape of the result. Each takes an operator.
    [[nodiscard]] int missing(const Node &node) const {
        return static_cast<int>(m_head->match.extras.size() - node.nextExtra) +
               (m_head->match.lead && !node.leadRead ? 1 : 0) + (*node.shape != m_head->match.out ? 1 : 0);
    }

    /// Chains that cost exactly so much more; true when one has the hash.
    bool grow(const Node &node, int cost) {
        const int left = missing(node);
        if (left > cost) return false;
        if (cost == 0) {
            ++m_result.tried;
            llvm::MD5 md5 = node.md5;
            llvm::MD5::MD5Result digest;
            md5.final(digest);
            if (!std::equal(m_wanted.begin(), m_wanted.end(), digest.begin())) return false;
            tell();
            return true;
        }
        if (stopped()) return false;
        const std::vector<Shape> &extras = m_head->match.extras;
        const bool lead = m_head->match.lead;
        const bool reductions = m_head->pattern->text.empty() && !node.reduced;
        if (tryOptions(node, cost, left, {node.shape, node.dtype, nullptr, false, reductions}, {})) return true;
        if (node.nextExtra < extras.size()) {
            const size_t number = m_firstNumber + node.nextExtra - (lead ? 1 : 0);
            const Asked asked = {node.shape, node.dtype, &extras[node.nextExtra], false, false};
            if (tryOptions(node, cost, left, asked, inputName(m_names, number))) return true;
        }
        return lead && !node.leadRead &&
               tryOptions(node, cost, left, {node.shape, node.dtype, extras.data(), true, false}, m_leadName);
    }

    /// FusedOptions::Request by addresses, which are compared faster.
    struct Asked {
        const Shape *shape = nullptr;
        const std::string *dtype = nullptr;
        const Shape *operand = nullptr;
        bool leading = false;
        bool reductions = false;
        auto operator<=>(const Asked &) const = default;
    };
    const std::vector<FusedOption> &optionsFor(const Asked &asked) {
        const std::vector<FusedOption> *&known = m_known[asked];
        if (known == nullptr)
            known = &m_options.options({*asked.shape, *asked.dtype,
                                        asked.operand == nullptr ? std::nullopt : std::optional<Shape>(*asked.operand),
                                        asked.leading, asked.reductions});
        return *known;
    }

    bool tryOptions(const Node &node, int cost, int left, const Asked &asked, const std::string &operand) {
        const Shape &out = m_head->match.out;
        const bool otherShape = *node.shape != out;
        for (const FusedOption &option : optionsFor(asked)) {
            if (option.op.cost > cost) break;
            if (option.op.reduces && option.shape != out) continue; // nothing makes it larger again
            const int taken = (asked.operand != nullptr ? 1 : 0) + (otherShape && option.shape == out ? 1 : 0);
            if (left - taken > cost - option.op.cost) continue;
            Node next = node;
            updateFilledIn(next.md5, option, node.name, operand);
            ++m_hashed;
            next.name = filledIn(option.result, node.name, operand);
            next.shape = &option.shape;
            next.dtype = &option.dtype;
            if (asked.leading)
                next.leadRead = true;
            else if (asked.operand != nullptr)
                ++next.nextExtra;
            next.reduced = node.reduced || option.op.reduces;
            m_chain.push_back({&option, node.shape, node.dtype, operand, asked.operand});
            if (grow(next, cost - option.op.cost)) return true;
            m_chain.pop_back();
            if (stopped()) return false;
        }
        return false;
    }

    struct Link {
        const FusedOption *option = nullptr;
        const Shape *before = nullptr;
        const std::string *dtype = nullptr; // of what comes before
        std::string operand;
        const Shape *operandShape = nullptr; // of what reads one
    };

    /// What is read in that place, for people.
    static std::string linkName(const Link &link) {
        if (link.operandShape == nullptr || link.option->op.name != "add") return link.option->op.name;
        size_t long1 = 0;
        for (const int64_t extent : *link.operandShape) long1 += extent > 1 ? 1 : 0;
        // One value per channel at most; channels may be in blocks.
        const Shape &shape = *link.operandShape;
        return long1 <= 1 || (long1 == 2 && shape.size() == 5 && shape[1] > 1 && shape[4] > 1) ? "bias" : "add";
    }

    void tell() {
        std::vector<std::string> names;
        if (!m_head->pattern->name.empty()) names.push_back(m_head->pattern->name);
        for (const Link &link : m_chain) names.push_back(linkName(link));
        if (names.empty()) names.emplace_back("copy");
        const std::string operators = fmt::format("{}", fmt::join(names, " + "));
        for (size_t choice = 0; choice < std::min(m_head->choices.size(), kMaxFound); ++choice) {
            const Extents extents = extentsOf(*m_head, choice);
            PatternTask task;
            task.operators = operators;
            const std::string details = detailsText(*m_head->pattern, extents);
            task.name = fmt::format("{} {}{}{}", operators, shapeText(m_head->match.inputs[0]),
                                    details.empty() ? "" : ", ", details);
            task.origin = originOf(extents);
            task.te = teOf(extents, names);
            m_result.found.push_back(std::move(task));
        }
    }

    [[nodiscard]] std::string originOf(const Extents &extents) const {
        std::string origin =
            m_head->pattern->name.empty() ? "fused operators" : "operator pattern " + m_head->pattern->name;
        std::vector<std::string> pads;
        for (size_t i = 0; i < m_head->pattern->windows.size(); ++i) {
            const std::string n = std::to_string(i);
            pads.push_back(fmt::format("{}:{}", extents.at("P" + n), extents.at("Q" + n)));
        }
        if (!pads.empty()) origin += fmt::format(" with padding {}", fmt::join(pads, ", "));
        return origin;
    }

    [[nodiscard]] std::string teOf(const Extents &extents, const std::vector<std::string> &names) const {
        const HeadStatements head = headStatements(*m_head, extents);
        std::string title;
        for (const std::string &name : names) {
            if (!title.empty()) title += '_';
            for (const char c : name)
                title += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
        }
        std::string te = fmt::format("workload {}({})\n\n", title, head.params);
        const auto placeholder = [&](const std::string &handle, const std::string &name, const Shape &shape,
                                     const std::string &dtype) {
            return fmt::format("{} \"{}\" = placeholder [{}] {}\n", handle, name, fmt::join(shape, ", "), dtype);
        };
        if (m_head->match.lead) te += placeholder("y_lead", m_leadName, m_head->match.extras[0], m_head->text.dtype);
        te += withInputNames(head.statements, m_inputNames);
        std::string before = head.result;
        for (size_t i = 0; i < m_chain.size(); ++i) {
            const Link &link = m_chain[i];
            const std::string suffix = "_" + std::to_string(i + 1);
            std::string operand;
            if (link.operandShape != nullptr) {
                operand = link.option->op.leading ? "y_lead" : "y" + suffix;
                if (!link.option->op.leading) te += placeholder(operand, link.operand, *link.operandShape, *link.dtype);
            }
            const std::string result = "r" + suffix;
            te += fusedStatements(link.option->op, before, operand, result, suffix, *link.before, *link.dtype);
            before = result;
        }
        return te;
    }

    const TaskKey &m_key;
    Digest m_wanted;
    size_t m_most;
    const std::atomic<bool> *m_cancelled;
    size_t m_hashed = 0; // texts, those of chains that are not at their end included
    size_t m_until = 0;
    bool m_stopped = false;
    PatternSearchResult m_result;
    HashForm m_form;
    FusedOptions &m_options;
    std::map<Asked, const std::vector<FusedOption> *> m_known; // while the shapes of the heads stay where they are
    // Of the head being tried.
    const PatternHead *m_head = nullptr;
    InputNames m_names = InputNames::Numbered;
    std::string m_leadName;
    std::vector<std::string> m_inputNames;
    size_t m_firstNumber = 0; // of the first input behind the pattern
    std::vector<Link> m_chain;
};

} // namespace

PatternSearchResult searchPatterns(const TaskKey &key, size_t maxCandidates, const std::atomic<bool> *cancelled) {
    if (!key.isHash || key.numbers.empty()) return {};
    FusedOptions options(HashForm::Simple);
    return Search(key, maxCandidates, cancelled, HashForm::Simple, options).run();
}

PatternSearchResult searchOldest(const std::vector<TaskKey> &keys, HashForm form, size_t maxCandidates,
                                 const std::atomic<bool> *cancelled) {
    FusedOptions options(form);
    for (const TaskKey &key : keys) {
        PatternSearchResult result = Search(key, maxCandidates, cancelled, form, options).run();
        if (result.cancelled || !result.found.empty()) return result;
    }
    return {};
}

} // namespace loopscope
