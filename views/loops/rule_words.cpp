#include "views/loops/rule_words.h"

#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

QString rulesInShort(const std::vector<std::string> &rules) {
    struct Applied {
        QString rule;
        QString first; // rule and stage
        int times = 0;
    };
    std::vector<Applied> applied;
    for (const std::string &text : rules) {
        const QString whole = qt(text);
        const QString rule = whole.section(u' ', 0, 0);
        const auto known =
            std::find_if(applied.begin(), applied.end(), [&](const Applied &each) { return each.rule == rule; });
        if (known == applied.end())
            applied.push_back({rule, whole, 1});
        else
            ++known->times;
    }
    QStringList words;
    for (const Applied &each : applied)
        words << (each.times == 1 ? each.first : QStringLiteral("%1 \u00d7 %2").arg(each.times).arg(each.rule));
    return words.join(QStringLiteral(", "));
}

QString rulesInFull(const std::vector<std::string> &rules, int most) {
    QStringList lines;
    for (const std::string &rule : rules) {
        if (lines.size() == most && rules.size() > static_cast<size_t>(most) + 1) {
            lines << QStringLiteral("\u2026 and %1 more").arg(rules.size() - static_cast<size_t>(most));
            break;
        }
        lines << qt(rule);
    }
    return lines.join(u'\n');
}

} // namespace loopscope
