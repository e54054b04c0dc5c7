#include "views/session/network_contents.h"

namespace loopscope {

QString NetworkProblem::sentence() const {
    if (node.isEmpty() && op.isEmpty()) return reason;
    QString place = op.isEmpty() ? node : node.isEmpty() ? op : QStringLiteral("%1 '%2'").arg(op, node);
    if (opset > 0) place += QStringLiteral(" (opset %1)").arg(opset);
    return QStringLiteral("%1: %2").arg(place, reason);
}

NetworkContentsPtr networkOf(Module module, std::vector<NetworkProblem> problems) {
    auto contents = std::make_shared<NetworkContents>();
    contents->main = module.find("main");
    contents->module = std::move(module);
    contents->problems = std::move(problems);
    return contents;
}

std::vector<std::string> sourcesOf(const Node &node) {
    return node.sources.empty() ? std::vector<std::string>{node.name} : node.sources;
}

} // namespace loopscope
