#pragma once
// What a network's file holds, as read: its functions, the types of their values as far as they can be told, and
// everything that is wrong with it.

#include "networks/graph/module.h"

#include <QString>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope {

/// Something in the file that Loopscope does not understand or that cannot be.
struct NetworkProblem {
    QString node; // as the file names it; empty: the file as a whole
    QString op;   // as the file names it
    int opset = 0;
    QString reason; // one sentence
    /// "Conv 'n1' (opset 9)"; empty: the file as a whole.
    [[nodiscard]] QString place() const;
    [[nodiscard]] QString sentence() const;
};

struct NetworkContents {
    Module module;
    FunctionPtr main; // with types; null where problems keep it from being made
    std::vector<NetworkProblem> problems;
    /// Symbols among the dims of its inputs that have no number, in alphabetical order.
    std::vector<std::string> symbols;
};
using NetworkContentsPtr = std::shared_ptr<const NetworkContents>;

/// Numbers for symbols among the dims of a network's inputs.
using NetworkDims = std::map<std::string, int64_t>;

/// For a job's thread. Throws Error where nothing of the file can be shown.
NetworkContentsPtr readNetwork(const QString &path, const NetworkDims &dims = {});
/// Of a module that was made rather than read.
NetworkContentsPtr networkOf(Module module, std::vector<NetworkProblem> problems = {},
                             std::vector<std::string> symbols = {});

/// "The dims batch, height have no number; kernels are made where all have one."
QString symbolsSentence(const std::vector<std::string> &symbols);
/// The same in few words: "No number for batch".
QString symbolsNote(const std::vector<std::string> &symbols);

/// How a node is found again in a function that passes made of this one: the names of the imported nodes it stands for,
/// or its own where it stands for none.
std::vector<std::string> sourcesOf(const Node &node);

} // namespace loopscope
