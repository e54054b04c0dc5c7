#pragma once
// Which lines of a `.te` text define what: between the caret and the stage selected, and for the names that completion
// offers. Works on tokens, so that it also holds for a text that does not parse (yet).

#include "language/te/workload.h"

#include <QString>
#include <QStringList>

#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct Definition {
    QString handle;    // name the text uses
    QString name;      // of the op; differs where the text says so: `data "placeholder" = ...`
    int firstLine = 0; // from 1
    int lastLine = 0;
    bool call = false;  // of an operator of the library, which names its ops itself
    bool input = false; // a placeholder
    size_t begin = 0;   // bytes of the text
    size_t end = 0;
    std::set<std::string> reads; // every name in it
    QStringList ops;             // all it makes, its result last; of a call not known before attachOps
};

struct TextOutline {
    std::vector<Definition> definitions;
    QStringList params;    // of the workload statement
    QStringList constants; // `let`

    /// Lines of the definition that makes the stage; stages made by steps count for the one they come from
    /// ("conv.local"). Empty when the text has none.
    [[nodiscard]] std::vector<int> linesOf(const QString &stage) const;
    /// The stage a line is about; empty between definitions.
    [[nodiscard]] QString stageAt(int line) const;
    [[nodiscard]] const Definition *definitionAt(int line) const;
};

/// Empty for a text that has a character or number that is none of the language.
TextOutline outlineText(const QString &text);
/// Fills Definition::ops of calls by parsing the text, which is free of errors, from its beginning to each call. Takes
/// some milliseconds for a long text: for a job's thread.
void attachOps(TextOutline &outline, const std::string &text, const ParamOverrides &params = {});

} // namespace loopscope
