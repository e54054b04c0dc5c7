#include "onnx/import.h"
#include "outcome.h"
#include "views/session/network_contents.h"
#include "views/session/text.h"

#include <QFileInfo>

namespace loopscope {

NetworkContentsPtr readNetwork(const QString &path) {
    const auto asProblems = [](const std::vector<OnnxProblem> &list) {
        std::vector<NetworkProblem> problems;
        for (const OnnxProblem &one : list)
            problems.push_back({qt(one.node), qt(one.op), static_cast<int>(one.opset), qt(one.reason)});
        return problems;
    };
    ImportResult read = importOnnx(std8(path));
    if (read.module) return networkOf(std::move(*read.module), asProblems(read.notes));
    return networkOf({}, asProblems(read.problems));
}

} // namespace loopscope
