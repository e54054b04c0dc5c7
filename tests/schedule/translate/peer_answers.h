#pragma once
// Exported programs and their answers as files: inputs for a program of another system, and its outputs compared with
// the reference interpreter's.

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"

#include <QString>
#include <QTemporaryDir>

#include <string>
#include <vector>

namespace loopscope {

/// The interpreter of the virtual environment that packaging/test-peers makes; empty when there is none.
QString tvmPython();
/// Compiles a Halide program: the compiler's arguments in front of the file; empty without compiler, header or library.
QStringList halideCompiler();
/// What to say when a test is skipped for want of a peer.
inline const char *const kNoTvm = "TVM is not installed in build/peers/tvm; packaging/test-peers installs it";
inline const char *const kNoHalide = "libhalide14-0-dev or g++ is not installed; packaging/test-peers installs them";

/// Exported programs of several schedules, each in a folder of its own with its inputs.
class PeerFolder {
  public:
    /// Returns the number of the case. `file` is what the program is called.
    size_t add(const std::string &name, const DagPtr &dag, const std::string &program, const std::string &file,
               uint64_t seed);
    [[nodiscard]] size_t size() const { return m_cases.size(); }
    [[nodiscard]] QString root() const { return m_root.path(); }
    [[nodiscard]] QString path(size_t number) const { return m_root.filePath(QString::number(number)); }
    [[nodiscard]] const std::string &name(size_t number) const { return m_cases[number].name; }
    /// Empty when the outputs in the folder are right, else the first wrong element, or what the program said.
    [[nodiscard]] std::string problem(size_t number) const;
    /// A failed program is worth a look: the folder then stays.
    void keep() { m_root.setAutoRemove(false); }

  private:
    struct Case {
        std::string name;
        DagPtr dag;
        std::vector<TensorValue> outputs;
    };
    QTemporaryDir m_root;
    std::vector<Case> m_cases;
};

} // namespace loopscope
