#include "views/compare/aligned_text.h"

#include "views/text/line_match.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr std::string_view kNoLandmark; // the key of lines that are none

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// An assembler line that is neither an instruction nor a label of code.
bool isDirective(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return true;
    if (line[first] == '#' || line[first] == ';') return true;
    return line[first] == '.' && first > 0; // `.LBB0_1:` stands at the start of its line
}

/// What of a line is compared.
std::string compared(std::string_view line, const DiffFilter &filter) {
    std::string key;
    key.reserve(line.size());
    for (size_t i = 0; i < line.size(); ++i) {
        if (filter.ignoreBlanks && isBlank(line[i])) continue;
        key += line[i];
        if (!filter.ignoreRegisters || line[i] != '%') continue;
        // %ymm12 and %ymm3 are alike, %ymm and %zmm are not: the width is what the code does, the number is chance.
        size_t end = i + 1;
        while (end < line.size() && (isWord(line[end]) || line[end] == '.')) ++end; // LLVM's: %vec.phi12
        std::string_view name = line.substr(i + 1, end - i - 1);
        const size_t letters = name.find_first_of("0123456789");
        const bool vector = name.size() > 3 && name.substr(1, 2) == "mm";
        key += vector && letters != std::string_view::npos ? name.substr(0, letters) : std::string_view("r");
        i = end - 1;
    }
    return key;
}

/// 0 to 100: how much two lines share at their ends.
int likeness(std::string_view a, std::string_view b) {
    const size_t shorter = std::min(a.size(), b.size());
    const size_t longer = std::max(a.size(), b.size());
    if (longer == 0) return 100;
    size_t front = 0;
    while (front < shorter && a[front] == b[front]) ++front;
    size_t back = 0;
    while (back < shorter - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
    // The indentation alone is no likeness.
    const size_t indent = std::min(a.find_first_not_of(" \t"), a.size());
    const size_t shared = front + back > indent ? front + back - indent : 0;
    return longer > indent ? static_cast<int>(100 * shared / (longer - indent)) : 0;
}

} // namespace

bool AlignedText::take(SideText &left, SideText &right, const DiffFilter &filter, const std::atomic<bool> *cancel) {
    LineNumbers keys;
    LineNumbers same;
    keys.of(kNoLandmark);
    SideText *texts[2] = {&left, &right};
    for (int side = 0; side < 2; ++side) {
        Lines &lines = m_sides[side];
        lines.text = std::move(texts[side]->text);
        const std::vector<std::string> &given = texts[side]->keys;
        const std::vector<int> &numbers = texts[side]->numbers;
        size_t index = 0;
        for (size_t at = 0; at < lines.text.size(); ++index) {
            if (cancel != nullptr && *cancel) return false;
            const size_t end = std::min(lines.text.find('\n', at), lines.text.size());
            const std::string_view line = std::string_view(lines.text).substr(at, end - at);
            const int number =
                index < numbers.size() ? numbers[index] : texts[side]->firstNumber + static_cast<int>(index);
            if (!filter.hideDirectives || !isDirective(line)) {
                const uint32_t text = same.of(compared(line, filter));
                lines.lines.push_back({static_cast<int>(at), static_cast<int>(end - at), number});
                lines.same.push_back(text);
                lines.keys.push_back(index < given.size() ? keys.of(given[index]) : text);
                m_longest = std::max(m_longest, static_cast<int>(end - at));
            }
            at = end + 1;
        }
    }
    return true;
}

std::shared_ptr<const AlignedText> AlignedText::make(SideText left, SideText right, const DiffFilter &filter,
                                                     const std::atomic<bool> *cancel) {
    auto aligned = std::make_shared<AlignedText>();
    if (!aligned->take(left, right, filter, cancel)) return nullptr;
    const std::vector<int> match = matchLines(aligned->m_sides[Left].keys, aligned->m_sides[Right].keys, cancel);
    if (cancel != nullptr && *cancel) return nullptr;
    aligned->align(match, cancel);
    if (cancel != nullptr && *cancel) return nullptr;
    aligned->summarise();
    return aligned;
}

std::shared_ptr<const AlignedText> AlignedText::beside(SideText left, SideText right, const DiffFilter &filter,
                                                       const std::atomic<bool> *cancel) {
    auto aligned = std::make_shared<AlignedText>();
    if (!aligned->take(left, right, filter, cancel)) return nullptr;
    std::vector<int> landmarks[2]; // lines
    std::vector<uint32_t> keys[2];
    const uint32_t none = LineNumbers().of(kNoLandmark); // as the first number of all
    for (const auto side : {Left, Right}) {
        const Lines &lines = aligned->m_sides[side];
        for (size_t i = 0; i < lines.keys.size(); ++i) {
            if (lines.keys[i] == none) continue;
            landmarks[side].push_back(static_cast<int>(i));
            keys[side].push_back(lines.keys[i]);
        }
    }
    const std::vector<int> match = matchLines(keys[Left], keys[Right], cancel);
    if (cancel != nullptr && *cancel) return nullptr;
    int atLeft = 0;
    int atRight = 0;
    const auto upTo = [&](int leftEnd, int rightEnd) {
        for (; atLeft < leftEnd || atRight < rightEnd;)
            aligned->put(atLeft < leftEnd ? atLeft++ : -1, atRight < rightEnd ? atRight++ : -1, DiffKind::Beside);
    };
    for (size_t i = 0; i < match.size(); ++i)
        if (match[i] >= 0) upTo(landmarks[Left][i], landmarks[Right][static_cast<size_t>(match[i])]);
    upTo(aligned->lineCount(Left), aligned->lineCount(Right));
    aligned->summarise();
    return aligned;
}

void AlignedText::align(const std::vector<int> &match, const std::atomic<bool> *cancel) {
    int left = 0;
    int right = 0;
    const int leftEnd = lineCount(Left);
    const int rightEnd = lineCount(Right);
    while (left < leftEnd || right < rightEnd) {
        if (cancel != nullptr && *cancel) return;
        int next = left;
        while (next < leftEnd && match[static_cast<size_t>(next)] < 0) ++next;
        const int nextRight = next < leftEnd ? match[static_cast<size_t>(next)] : rightEnd;
        pairUp(left, next, right, nextRight);
        left = next;
        right = nextRight;
        if (left == leftEnd) continue;
        const bool equal =
            m_sides[Left].same[static_cast<size_t>(left)] == m_sides[Right].same[static_cast<size_t>(right)];
        put(left++, right++, equal ? DiffKind::Same : DiffKind::Changed);
    }
}

void AlignedText::pairUp(int leftFirst, int leftEnd, int rightFirst, int rightEnd) {
    const int n = leftEnd - leftFirst;
    const int m = rightEnd - rightFirst;
    constexpr int64_t kMost = 16'384; // pairs of lines looked at closely
    if (n == 0 || m == 0 || static_cast<int64_t>(n) * m > kMost) {
        // Too many to tell which became which: one after the other.
        const int both = n == 0 || m == 0 ? 0 : std::min(n, m);
        for (int i = 0; i < both; ++i) put(leftFirst + i, rightFirst + i, DiffKind::Changed);
        for (int i = both; i < n; ++i) put(leftFirst + i, -1, DiffKind::Removed);
        for (int j = both; j < m; ++j) put(-1, rightFirst + j, DiffKind::Added);
        return;
    }
    // The pairing, in order, with the greatest likeness in all; lines that share less than a third stay alone.
    constexpr int kLeast = 34;
    const auto cell = [m](int i, int j) {
        return static_cast<size_t>(i) * static_cast<size_t>(m + 1) + static_cast<size_t>(j);
    };
    std::vector<int> best(cell(n, m) + 1, 0);
    std::vector<char> paired(best.size(), 0);
    for (int i = n - 1; i >= 0; --i)
        for (int j = m - 1; j >= 0; --j) {
            const int alike = likeness(line(Left, leftFirst + i), line(Right, rightFirst + j));
            const int alone = std::max(best[cell(i + 1, j)], best[cell(i, j + 1)]);
            const int together = alike < kLeast ? -1 : best[cell(i + 1, j + 1)] + alike;
            best[cell(i, j)] = std::max(alone, together);
            paired[cell(i, j)] = together > alone ? 1 : 0;
        }
    int i = 0;
    int j = 0;
    while (i < n || j < m) {
        if (i < n && j < m && paired[cell(i, j)] != 0)
            put(leftFirst + i++, rightFirst + j++, DiffKind::Changed);
        else if (i < n && (j == m || best[cell(i + 1, j)] >= best[cell(i, j + 1)]))
            put(leftFirst + i++, -1, DiffKind::Removed);
        else
            put(-1, rightFirst + j++, DiffKind::Added);
    }
}

void AlignedText::summarise() {
    bool inside = false;
    m_differences.clear();
    std::fill(std::begin(m_counts), std::end(m_counts), 0);
    for (size_t row = 0; row < m_rows.size(); ++row) {
        const AlignedRow &r = m_rows[row];
        m_counts[static_cast<size_t>(r.kind)] += r.kind == DiffKind::Skipped ? r.skipped : 1;
        const bool differs = r.kind != DiffKind::Same && r.kind != DiffKind::Skipped && r.kind != DiffKind::Beside;
        if (differs && !inside) m_differences.push_back(static_cast<int>(row));
        inside = differs;
    }
}

std::string AlignedText::unified() const {
    std::string out;
    const auto put = [&](char sign, Side side, int index) { out.append(1, sign).append(line(side, index)) += '\n'; };
    if (count(DiffKind::Beside) > 0) { // one after the other, as there is nothing between them to tell
        for (int i = 0; i < lineCount(Left); ++i) put('-', Left, i);
        for (int i = 0; i < lineCount(Right); ++i) put('+', Right, i);
        return out;
    }
    for (const AlignedRow &row : m_rows) {
        if (row.kind == DiffKind::Same) {
            put(' ', Left, row.left);
            continue;
        }
        if (row.left >= 0) put('-', Left, row.left);
        if (row.right >= 0) put('+', Right, row.right);
    }
    return out;
}

std::shared_ptr<const AlignedText> AlignedText::folded(int context) const {
    auto out = std::make_shared<AlignedText>(*this);
    out->m_rows.clear();
    const int count = static_cast<int>(m_rows.size());
    for (int row = 0; row < count;) {
        int end = row;
        while (end < count && m_rows[static_cast<size_t>(end)].kind == DiffKind::Same) ++end;
        const int first = row == 0 ? row : row + context; // of what is folded
        const int last = end == count ? end : end - context;
        if (last - first > 1) {
            for (; row < first; ++row) out->m_rows.push_back(m_rows[static_cast<size_t>(row)]);
            AlignedRow fold = m_rows[static_cast<size_t>(first)];
            fold.kind = DiffKind::Skipped;
            fold.skipped = last - first;
            out->m_rows.push_back(fold);
            row = last;
        }
        for (; row < end; ++row) out->m_rows.push_back(m_rows[static_cast<size_t>(row)]);
        for (; row < count && m_rows[static_cast<size_t>(row)].kind != DiffKind::Same; ++row)
            out->m_rows.push_back(m_rows[static_cast<size_t>(row)]);
    }
    out->summarise();
    return out;
}

std::string_view AlignedText::line(Side side, int index) const {
    const Line &l = m_sides[side].lines[static_cast<size_t>(index)];
    return std::string_view(m_sides[side].text).substr(static_cast<size_t>(l.at), static_cast<size_t>(l.length));
}

int AlignedText::lineOfNumber(Side side, int number) const {
    const auto &lines = m_sides[side].lines;
    const auto after =
        std::upper_bound(lines.begin(), lines.end(), number, [](int n, const Line &l) { return n < l.number; });
    return static_cast<int>(after - lines.begin()) - 1;
}

ChangedParts changedParts(std::string_view left, std::string_view right) {
    LineNumbers numbers;
    struct Words {
        std::vector<uint32_t> ids;
        std::vector<std::pair<int, int>> places;
    };
    const auto split = [&numbers](std::string_view line) {
        Words words;
        for (size_t at = 0; at < line.size();) {
            size_t end = at + 1;
            if (isWord(line[at]))
                while (end < line.size() && isWord(line[end])) ++end;
            else if (isBlank(line[at]))
                while (end < line.size() && isBlank(line[end])) ++end;
            words.ids.push_back(numbers.of(line.substr(at, end - at)));
            words.places.emplace_back(static_cast<int>(at), static_cast<int>(end - at));
            at = end;
        }
        return words;
    };
    const Words a = split(left);
    const Words b = split(right);
    const std::vector<int> match = matchLines(a.ids, b.ids);
    std::vector<char> kept(b.ids.size(), 0);
    ChangedParts parts;
    const auto add = [](std::vector<std::pair<int, int>> &to, std::pair<int, int> place) {
        if (!to.empty() && to.back().first + to.back().second == place.first)
            to.back().second += place.second;
        else
            to.push_back(place);
    };
    for (size_t i = 0; i < a.ids.size(); ++i) {
        if (match[i] < 0)
            add(parts.left, a.places[i]);
        else
            kept[static_cast<size_t>(match[i])] = 1;
    }
    for (size_t j = 0; j < b.ids.size(); ++j)
        if (kept[j] == 0) add(parts.right, b.places[j]);
    return parts;
}

} // namespace loopscope
