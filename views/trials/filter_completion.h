#pragma once
// What can be typed next in a filter: fields, states, loops, kinds of failure, mutations.

#include <QString>
#include <QStringList>

#include <vector>

namespace loopscope {

struct FilterOffer {
    QString word; // what is inserted
    QString hint; // shown beside it
};
struct FilterCompletion {
    int at = 0; // the characters that an offer replaces
    int length = 0;
    std::vector<FilterOffer> offers;
};

/// `all`: also where nothing is typed yet (asked for by Ctrl+Space).
FilterCompletion completeFilter(const QString &text, int cursor, bool all, const QStringList &tileColumns,
                                const QStringList &mutations);

} // namespace loopscope
