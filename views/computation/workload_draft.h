#pragma once
// A workload that is being put together from the operator library: one operator, the tensors it reads, its arguments,
// and elementwise operators behind it. Its text is what gets opened. Every operator of the library has a row with the
// shapes of a real network to begin with; one without a row begins with square matrices.

#include "views/computation/operators.h"

#include <QString>
#include <QStringList>

#include <utility>
#include <vector>

namespace loopscope {

struct DraftTensor {
    QString arg;   // of the operator
    QString name;  // in the text
    QString shape; // "N, CI, H, W"
    QString dtype = QStringLiteral("float32");
};

struct DraftArg {
    QString name;
    ArgKind kind = ArgKind::Int;
    QString value;    // as in the text, without quotes; empty = left out
    QString fallback; // what leaving it out means; empty = must be given or is optional
    bool required = false;
    QStringList choices; // Text: the words that are legal
};

struct Draft {
    QString op;
    QString name; // of the workload
    std::vector<std::pair<QString, qint64>> params;
    std::vector<DraftTensor> tensors;
    std::vector<DraftArg> args;
    QStringList lets;     // "OH = (H + 2*pad - K) / stride + 1", for `result`
    QString result;       // shape of the result in parameters; empty = only known once it is built
    int channelAxis = -1; // dimension a bias runs along; -1 = the last
    QStringList epilogue; // names of elementwise operators, in order
};

/// Families with their operators, in the order they are offered.
std::vector<std::pair<QString, std::vector<const OperatorSpec *>>> operatorFamilies();

Draft defaultDraft(const OperatorSpec &spec);
/// Operators that may follow: with what they need beyond the value itself.
QStringList epilogueOperators();
/// The `.te` text. Where an epilogue needs the shape of the result and the row does not tell it, the operator is built
/// to find out; when that fails the text ends with the operator, and its own error is what shows.
QString draftText(const Draft &draft);

} // namespace loopscope
