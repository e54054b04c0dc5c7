#include "harness/changed_files.h"

#include <algorithm>
#include <array>
#include <limits>

namespace loopscope {

namespace {

/// What a reader may meet where it expects something else.
MutatedJson strangeValue(Random &random, const MutatedJson &instead) {
    switch (random.below(14)) {
    case 0:
        return nullptr;
    case 1:
        return true;
    case 2:
        return -1;
    case 3:
        return std::numeric_limits<uint64_t>::max();
    case 4:
        return std::numeric_limits<int64_t>::min();
    case 5:
        return 1.5;
    case 6:
        return 1e308;
    case 7:
        return "";
    case 8:
        return std::string(5000, 'x');
    case 9:
        return "\x1b[31m";
    case 10:
        return MutatedJson::array();
    case 11:
        return MutatedJson::object();
    case 12:
        return MutatedJson::array({instead, instead});
    default: {
        MutatedJson deep = 0;
        for (int i = 0; i < 60; ++i) deep = MutatedJson::array({std::move(deep)});
        return deep;
    }
    }
}

} // namespace

std::string dumped(const MutatedJson &json) { return json.dump(-1, ' ', false, MutatedJson::error_handler_t::replace); }

void changeValue(MutatedJson &json, Random &random) {
    MutatedJson *at = &json;
    while (at->is_structured() && !at->empty() && random.below(6) > 0) {
        auto next = at->begin();
        std::advance(next, static_cast<ptrdiff_t>(random.index(at->size())));
        if (next->is_structured() || random.below(2) == 0) {
            at = &*next;
            continue;
        }
        if (random.below(4) == 0) {
            at->erase(next);
            return;
        }
        *next = strangeValue(random, *next);
        return;
    }
    if (at->is_array() && !at->empty() && random.below(2) == 0) {
        const MutatedJson copy = at->at(random.index(at->size()));
        at->push_back(copy);
    } else {
        *at = strangeValue(random, *at);
    }
}

std::string changedText(std::string text, Random &random) {
    static constexpr std::array<std::string_view, 16> kPieces = {
        "(", ")",  "[",   "]",        "{",        "}", "\"", "-1", "99999999999999999999",
        "0", "\n", "nan", "\xff\xfe", "\x1b[31m", ",", "=="};
    for (uint64_t changes = 1 + random.below(3); changes > 0 && !text.empty(); --changes) {
        const size_t at = random.index(text.size());
        const size_t length = std::min<size_t>(1 + random.index(16), text.size() - at);
        switch (random.below(6)) {
        case 0:
            text.erase(at, length);
            break;
        case 1:
            text.insert(at, text.substr(at, length));
            break;
        case 2:
            text.replace(at, length, kPieces[random.index(kPieces.size())]);
            break;
        case 3:
            text.insert(at, std::string(random.below(2) == 0 ? 100 : 20000, "[({"[random.index(3)]));
            break;
        case 4:
            text[at] = static_cast<char>(random.below(256));
            break;
        default:
            text.resize(at);
            break;
        }
    }
    return text;
}

std::string changedJson(const std::string &text, Random &random) {
    if (random.below(3) == 0) return changedText(text, random);
    MutatedJson json = MutatedJson::parse(text);
    for (uint64_t changes = 1 + random.below(2); changes > 0; --changes) changeValue(json, random);
    return dumped(json);
}

QString wrongSentence(const std::string &sentence) {
    const QString text = QString::fromStdString(sentence);
    for (const char *raw :
         {"json.exception", "parse_error", "type_error", "basic_string", "vector::", "std::", "stoi", "_M_"})
        if (text.contains(QLatin1String(raw))) return "the text of a library: " + text.left(1000);
    return text.isEmpty() ? QStringLiteral("no sentence") : QString();
}

} // namespace loopscope
