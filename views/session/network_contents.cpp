#include "views/session/network_contents.h"

#include <QStringList>

#include <algorithm>
#include <set>

namespace loopscope {

QString NetworkProblem::place() const {
    if (node.isEmpty() && op.isEmpty()) return {};
    QString place = op.isEmpty() ? node : node.isEmpty() ? op : QStringLiteral("%1 '%2'").arg(op, node);
    if (opset > 0) place += QStringLiteral(" (opset %1)").arg(opset);
    return place;
}

QString NetworkProblem::sentence() const {
    const QString at = place();
    return at.isEmpty() ? reason : QStringLiteral("%1: %2").arg(at, reason);
}

NetworkContentsPtr networkOf(Module module, std::vector<NetworkProblem> problems, std::vector<std::string> symbols) {
    auto contents = std::make_shared<NetworkContents>();
    contents->main = module.find("main");
    contents->module = std::move(module);
    contents->problems = std::move(problems);
    contents->symbols = std::move(symbols);
    if (contents->main && contents->symbols.empty()) {
        std::set<std::string> found;
        for (const ValueId parameter : contents->main->parameters())
            for (const Dim &dim : contents->main->type(parameter).dims)
                for (std::string &symbol : dim.symbols()) found.insert(std::move(symbol));
        contents->symbols.assign(found.begin(), found.end());
    }
    return contents;
}

QString symbolsSentence(const std::vector<std::string> &symbols) {
    constexpr size_t kMost = 4; // names
    QStringList names;
    for (size_t i = 0; i < std::min(symbols.size(), kMost); ++i) names << QString::fromStdString(symbols[i]);
    const QString list =
        symbols.size() > kMost
            ? QStringLiteral("%1 and %2 more").arg(names.join(QStringLiteral(", "))).arg(symbols.size() - kMost)
            : names.join(QStringLiteral(", "));
    return symbols.size() == 1
               ? QStringLiteral("The dim %1 has no number; kernels are made where all have one.").arg(list)
               : QStringLiteral("The dims %1 have no number; kernels are made where all have one.").arg(list);
}

QString symbolsNote(const std::vector<std::string> &symbols) {
    return symbols.size() == 1 ? QStringLiteral("No number for %1").arg(QString::fromStdString(symbols.front()))
                               : QStringLiteral("No number for %1 dims").arg(symbols.size());
}

std::vector<std::string> sourcesOf(const Node &node) {
    return node.sources.empty() ? std::vector<std::string>{node.name} : node.sources;
}

} // namespace loopscope
