#include "views/computation/completion_words.h"

#include "language/te/language/expr_parser.h"
#include "views/computation/operators.h"
#include "views/session/text.h"

#include <map>

namespace loopscope {

std::vector<std::pair<QString, QString>> completionWords(const TextOutline &outline) {
    std::map<QString, QString> words;
    for (const QString &param : outline.params) words.emplace(param, QStringLiteral("parameter"));
    for (const QString &constant : outline.constants) words.emplace(constant, QStringLiteral("constant"));
    for (const Definition &definition : outline.definitions)
        words.emplace(definition.handle, QStringLiteral("tensor, line %1").arg(definition.firstLine));
    const std::pair<const char *, const char *> keywords[] = {
        {"workload", "NAME(parameter = default, ...)"},
        {"let", "NAME = constant"},
        {"placeholder", "[extents] type"},
        {"args", "order of the kernel's arguments"},
        {"output", "a tensor that is an output though others read it"},
        {"where", "condition of a reduction"},
        {"from", "identity of a reduction"},
    };
    for (const auto &[word, what] : keywords) words.emplace(QLatin1String(word), QLatin1String(what));
    for (const OperatorSpec *spec : operatorTable())
        words.emplace(qt(spec->name), qt(signatureText(*spec)).mid(static_cast<qsizetype>(spec->name.size())));
    for (const std::string &name : scalarFunctionNames())
        words.emplace(qt(name), dtypeFromName(name) ? QStringLiteral("type, or a cast to it")
                                                    : QStringLiteral("function of scalars"));
    return {words.begin(), words.end()};
}

} // namespace loopscope
