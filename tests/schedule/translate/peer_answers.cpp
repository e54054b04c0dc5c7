#include "schedule/translate/peer_answers.h"

#include "language/expr/walk.h"
#include "measure/answer/answer_check.h"
#include "measure/answer/reference_data.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <cmath>
#include <stdexcept>

namespace loopscope {

namespace {

void writeFile(const QString &path, const QByteArray &bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
        throw std::runtime_error("cannot write " + path.toStdString());
}

QByteArray readFile(const QString &path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Other systems have functions of their own for exp and its like, which may be off by more than a rounding.
bool approximates(const ComputeDag &dag) {
    bool found = false;
    for (const OpPtr &op : dag.ops())
        for (const Expr body : op->body)
            postOrder(body, [&](Expr e) {
                found = found || (e->kind == ExprKind::Call && e->intrinsic >= Intrinsic::Exp &&
                                  e->intrinsic <= Intrinsic::Atan);
            });
    return found;
}

QString argumentFile(const QString &folder, size_t number) { return QString("%1/arg%2.bin").arg(folder).arg(number); }

} // namespace

QString tvmPython() {
    const QString path = QStringLiteral(LOOPSCOPE_SOURCE_DIR "/build/peers/tvm/bin/python");
    return QFileInfo::exists(path) && QFileInfo::exists(QStringLiteral(LOOPSCOPE_SOURCE_DIR "/build/peers/tvm/ready"))
               ? path
               : QString();
}

QStringList halideCompiler() {
    const QString compiler = QStandardPaths::findExecutable(QStringLiteral("g++"));
    const bool header = QFileInfo::exists(QStringLiteral("/usr/include/halide14/Halide.h"));
    if (compiler.isEmpty() || !header) return {};
    return {compiler, QStringLiteral("-std=c++17"), QStringLiteral("-O0"), QStringLiteral("-w"),
            QStringLiteral("-I/usr/include/halide14")};
}

size_t PeerFolder::add(const std::string &name, const DagPtr &dag, const std::string &program, const std::string &file,
                       uint64_t seed) {
    const size_t number = m_cases.size();
    const QString folder = path(number);
    QDir().mkpath(folder);
    const std::vector<TensorValue> inputs = randomInputs(*dag, seed);
    std::vector<TensorValue> outputs = interpret(*dag, inputs);
    for (TensorValue &output : outputs) openOverflows(output);
    size_t input = 0;
    for (size_t n = 0; n < dag->args().size(); ++n) {
        if (!dag->args()[n]->op->isPlaceholder()) continue;
        const TensorValue &value = inputs[input++];
        QByteArray bytes(static_cast<qsizetype>(value.size()) * dtypeBytes(value.dtype), '\0');
        storeElements(value, reinterpret_cast<std::byte *>(bytes.data()));
        writeFile(argumentFile(folder, n), bytes);
    }
    writeFile(folder + "/" + QString::fromStdString(file), QByteArray::fromStdString(program));
    m_cases.push_back({name, dag, std::move(outputs)});
    return number;
}

std::string PeerFolder::problem(size_t number) const {
    const Case &of = m_cases[number];
    const QByteArray said = readFile(path(number) + "/error.txt");
    if (!said.isEmpty()) return said.toStdString();
    size_t output = 0;
    for (size_t n = 0; n < of.dag->args().size(); ++n) {
        const Tensor &tensor = *of.dag->args()[n];
        if (tensor.op->isPlaceholder()) continue;
        const TensorValue &expected = of.outputs[output++];
        const QByteArray got = readFile(argumentFile(path(number) + "/out", n));
        if (got.size() != static_cast<qsizetype>(expected.size()) * dtypeBytes(expected.dtype))
            return "output " + tensor.name + " has " + std::to_string(got.size()) + " bytes";
        const ReferenceTensor reference{tensor.name, true, expected.dtype, expected.shape, {}};
        const void *values = isFloat(expected.dtype) ? static_cast<const void *>(expected.floats.data())
                                                     : static_cast<const void *>(expected.integers.data());
        std::vector<float> bounds = expected.bounds;
        if (approximates(*of.dag) && isFloat(expected.dtype)) {
            bounds.resize(expected.size(), 0);
            for (size_t i = 0; i < bounds.size(); ++i)
                bounds[i] += static_cast<float>(1e-5 * std::fabs(expected.floats[i]) + 1e-6);
        }
        const AnswerCheck check =
            checkAnswer(reference, static_cast<const std::byte *>(values), bounds.empty() ? nullptr : bounds.data(),
                        reinterpret_cast<const std::byte *>(got.constData()));
        if (!check.problem.empty()) return check.problem;
    }
    return {};
}

} // namespace loopscope
