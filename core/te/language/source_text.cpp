#include "te/language/source_text.h"

#include <algorithm>
#include <cctype>

namespace loopscope {

namespace {

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Damerau-Levenshtein distance (a swap of neighbours is one mistake), letters compared without case.
size_t editDistance(std::string_view a, std::string_view b) {
    const auto same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        for (size_t j = 1; j <= b.size(); ++j) {
            cost[i][j] = std::min(
                {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

} // namespace

SourceText::Place SourceText::placeOf(size_t offset) const {
    Place place;
    offset = std::min(offset, text.size());
    for (size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else if (startsCharacter(text[i])) {
            ++place.column;
        }
    }
    return place;
}

Error SourceText::error(size_t offset, const std::string &sentence, size_t width) const {
    // A place at the end of the file is shown behind the last written line instead of on an empty one.
    offset = std::min(offset, text.size());
    if (offset == text.size())
        while (offset > 0 && std::isspace(static_cast<unsigned char>(text[offset - 1]))) --offset;
    const Place place = placeOf(offset);
    size_t begin = offset;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    size_t end = offset;
    while (end < text.size() && text[end] != '\n' && text[end] != '\r') ++end;

    // Long lines are cut around the place, at character boundaries.
    constexpr size_t reach = 80;
    size_t first = offset - begin > reach ? offset - reach : begin;
    while (first < offset && !startsCharacter(text[first])) ++first;
    size_t last = end - offset > reach ? offset + reach : end;
    while (last < end && !startsCharacter(text[last])) ++last;

    std::string shown;
    std::string carets;
    if (first > begin) {
        shown += "...";
        carets += "   ";
    }
    for (size_t i = first; i < last; ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        shown += c == '\t' || (c < 0x20) ? ' ' : text[i];
        if (i < offset && startsCharacter(text[i])) carets += ' ';
    }
    if (last < end) shown += "...";
    const size_t under = std::max<size_t>(1, std::min(width, last > offset ? last - offset : 1));
    return Error(path, place.line, place.column, sentence, shown + "\n" + carets + std::string(under, '^'));
}

std::string nearestName(std::string_view name, const std::vector<std::string> &candidates) {
    constexpr size_t longest = 64; // the table is quadratic in the length
    if (name.size() > longest) return {};
    const size_t allowed = name.size() <= 2 ? 1 : std::max<size_t>(2, name.size() / 3);
    std::string best;
    size_t bestDistance = allowed + 1;
    for (const std::string &candidate : candidates) {
        if (candidate.size() > longest || candidate == name) continue;
        const size_t distance = editDistance(name, candidate);
        if (distance < bestDistance && distance < std::max(name.size(), candidate.size())) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string> &candidates) {
    const std::string nearest = nearestName(name, candidates);
    return nearest.empty() ? nearest : " (did you mean `" + nearest + "`?)";
}

std::string quotedList(const std::vector<std::string> &names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
        text += "`" + names[i] + "`";
    }
    return text;
}

} // namespace loopscope
