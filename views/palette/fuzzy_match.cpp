#include "views/palette/fuzzy_match.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kRun = 12; // right behind the one before
constexpr int kWordStart = 10;
constexpr int kFirst = 6; // the very first letter of the text

bool startsWord(const QString &text, qsizetype at) {
    if (at == 0) return true;
    const QChar before = text[at - 1];
    const QChar here = text[at];
    return !before.isLetterOrNumber() || (before.isLower() && here.isUpper()) || (before.isLetter() && here.isDigit());
}

/// Best way to place `word` into `text`: dynamic programming over (letter, place), both short.
FuzzyMatch matchWord(const QString &word, const QString &text) {
    const auto letters = static_cast<size_t>(word.size());
    const auto places = static_cast<size_t>(text.size());
    if (letters == 0) return {0, {}};
    if (letters > places) return {};
    constexpr int kNone = -1'000'000;
    std::vector<int> score(letters * places, kNone);
    std::vector<int> from(letters * places, -1);
    for (size_t l = 0; l < letters; ++l) {
        int best = kNone; // of the letter before, anywhere to the left
        int bestAt = -1;
        for (size_t p = l; p < places; ++p) {
            if (l > 0 && p > 0 && score[(l - 1) * places + p - 1] > best) {
                best = score[(l - 1) * places + p - 1];
                bestAt = static_cast<int>(p) - 1;
            }
            if (text[static_cast<qsizetype>(p)].toLower() != word[static_cast<qsizetype>(l)].toLower()) continue;
            int value = 1 + (startsWord(text, static_cast<qsizetype>(p)) ? kWordStart : 0) + (p == 0 ? kFirst : 0);
            if (l > 0) {
                if (best == kNone) continue;
                int run = p > 0 ? score[(l - 1) * places + p - 1] : kNone;
                if (run != kNone) run += kRun;
                from[l * places + p] = run >= best ? static_cast<int>(p) - 1 : bestAt;
                value += std::max(run, best);
            }
            score[l * places + p] = value;
        }
    }
    const auto last = score.begin() + static_cast<std::ptrdiff_t>((letters - 1) * places);
    const auto end = std::max_element(last, score.end());
    if (*end == kNone) return {};
    FuzzyMatch match{*end, {}};
    auto at = static_cast<int>(end - last);
    for (size_t l = letters; l-- > 0;) {
        match.places.push_back(at);
        at = from[l * places + static_cast<size_t>(at)];
    }
    std::reverse(match.places.begin(), match.places.end());
    return match;
}

} // namespace

FuzzyMatch fuzzyMatch(const QString &pattern, const QString &text) {
    FuzzyMatch all{0, {}};
    for (const QString &word : pattern.split(u' ', Qt::SkipEmptyParts)) {
        const FuzzyMatch match = matchWord(word, text);
        if (match.score < 0) return {};
        all.score += match.score;
        all.places.insert(all.places.end(), match.places.begin(), match.places.end());
    }
    std::sort(all.places.begin(), all.places.end());
    all.places.erase(std::unique(all.places.begin(), all.places.end()), all.places.end());
    // Of two that fit alike the shorter one was meant.
    if (all.score > 0) all.score = std::max(1, all.score * 4 - static_cast<int>(text.size()) / 4);
    return all;
}

} // namespace loopscope
