#include "views/network_bytecode/register_model.h"

#include "deploy/vm/debugger.h"
#include "views/session/text.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr size_t kNumbers = 8; // of a tensor, in its row

/// The value of the network that an instruction wrote there, or what it is for.
QString holdsText(const Program &program, const GraphFunction &of, const Instruction &writer, int number) {
    const auto output = static_cast<size_t>(std::ranges::find(writer.outputs, number) - writer.outputs.begin());
    if (writer.opcode == Opcode::Call) {
        const FunctionPtr called = program.network.find(writer.name);
        if (called && output < called->results().size())
            return RegisterModel::tr("%1 of %2")
                .arg(qt(called->value(called->results()[output]).name), qt(writer.name));
    }
    if (writer.node.value < 0 || writer.opcode == Opcode::Const || writer.opcode == Opcode::Item)
        return qt(writer.name);
    const Node &node = of.node(writer.node);
    return qt(writer.opcode == Opcode::Kernel && output < node.outputs.size() ? of.value(node.outputs[output]).name
                                                                              : node.name);
}

void setTensor(HeldRegister &row, const SharedTensor &tensor) {
    row.tensor = tensor;
    const std::string text = tensorContents(*tensor, kNumbers);
    const size_t space = text.find("] ");
    row.type = qt(typeText({tensor->dtype, asDims(tensor->dims)}));
    row.value = space == std::string::npos ? QString() : qt(text.substr(space + 2));
}

} // namespace

RegisterModel::RegisterModel(const Theme &theme, QObject *parent)
    : TableModel(tableColumns({tr("Register"), tr("Holds"), tr("Type"), tr("Value")}, {}), parent), m_theme(theme) {}

QString HeldRegister::name() const { return QStringLiteral("%1%2").arg(QLatin1Char(kind)).arg(number); }

std::vector<HeldRegister> registersOf(const Stepper &stepper, size_t call) {
    const CallStack &stack = stepper.machine().stack();
    const CallFrame &frame = stack.calls()[call];
    const FunctionPtr of = stepper.machine().program().network.find(frame.code->name);
    const auto writtenBy = [&](char kind, int number) -> const Instruction * {
        const auto at = stepper.writerOf(call, kind, number);
        return at ? &frame.code->code[*at] : nullptr;
    };
    std::vector<HeldRegister> all;
    for (int i = 0; i < frame.code->tensors; ++i) {
        const SharedTensor tensor = stack.tensorOf(frame, i);
        if (!tensor) continue;
        HeldRegister row{'t', i, {}, {}, {}, {}};
        if (const Instruction *writer = writtenBy('t', i))
            row.holds = holdsText(stepper.machine().program(), *of, *writer, i);
        else if (static_cast<size_t>(i) < frame.code->parameters.size())
            row.holds = qt(frame.code->parameters[static_cast<size_t>(i)].name);
        setTensor(row, tensor);
        all.push_back(std::move(row));
    }
    for (int i = 0; i < frame.code->integers; ++i) {
        const auto value = stack.integerOf(frame, i);
        if (!value) continue;
        HeldRegister row{'i', i, {}, QStringLiteral("int64"), QString::number(*value), {}};
        for (const auto &[symbol, number] : frame.code->symbols)
            if (number == i) row.holds = RegisterModel::tr("dim %1").arg(qt(symbol));
        if (const Instruction *writer = row.holds.isEmpty() ? writtenBy('i', i) : nullptr)
            row.holds = holdsText(stepper.machine().program(), *of, *writer, i);
        all.push_back(std::move(row));
    }
    for (int i = 0; i < frame.code->stacks; ++i) {
        const int64_t pieces = stack.piecesOf(frame, i);
        if (pieces == 0) continue;
        HeldRegister row{'s', i, {}, {}, countedText(static_cast<size_t>(pieces), "piece"), {}};
        if (const Instruction *writer = writtenBy('s', i)) row.holds = qt(writer->name);
        all.push_back(std::move(row));
    }
    return all;
}

std::vector<HeldRegister> resultsOf(const Stepper &stepper) {
    const GraphFunction &main = stepper.machine().program().network.main();
    const std::vector<SharedTensor> &results = stepper.machine().results();
    std::vector<HeldRegister> all;
    for (size_t i = 0; i < results.size(); ++i) {
        HeldRegister row{'r', static_cast<int>(i), {}, {}, {}, {}};
        if (i < main.results().size()) row.holds = qt(main.value(main.results()[i]).name);
        setTensor(row, results[i]);
        all.push_back(std::move(row));
    }
    return all;
}

void RegisterModel::show(std::vector<HeldRegister> registers) {
    std::vector<uint8_t> fresh;
    for (const HeldRegister &row : registers) {
        const int before = rowOf(row.name());
        fresh.push_back(before < 0 || m_registers[static_cast<size_t>(before)] != row ? 1 : 0);
    }
    if (m_registers.empty()) std::ranges::fill(fresh, uint8_t{0});
    beginResetModel();
    m_registers = std::move(registers);
    m_new = std::move(fresh);
    endResetModel();
}

const HeldRegister *RegisterModel::at(int row) const {
    return row >= 0 && row < rowCount() ? &m_registers[static_cast<size_t>(row)] : nullptr;
}

int RegisterModel::rowOf(const QString &name) const {
    for (int row = 0; row < rowCount(); ++row)
        if (m_registers[static_cast<size_t>(row)].name() == name) return row;
    return -1;
}

bool RegisterModel::isNew(int row) const {
    return row >= 0 && row < rowCount() && m_new[static_cast<size_t>(row)] != 0;
}

int RegisterModel::rowsShown() const { return static_cast<int>(m_registers.size()); }

QVariant RegisterModel::data(const QModelIndex &index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const HeldRegister &row = m_registers[static_cast<size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        switch (index.column()) {
        case RegisterColumn:
            return row.name();
        case HoldsColumn:
            return row.holds;
        case TypeColumn:
            return row.type;
        default:
            return row.value;
        }
    case Qt::FontRole: {
        if (index.column() == HoldsColumn && !isNew(index.row())) return {};
        QFont font = index.column() == HoldsColumn ? QFont() : m_theme.codeFont();
        font.setBold(isNew(index.row()));
        return font;
    }
    case Qt::ForegroundRole:
        return index.column() == TypeColumn ? QVariant(m_theme.color(Role::QuietText)) : QVariant();
    case Qt::AccessibleDescriptionRole:
        return isNew(index.row()) ? tr("changed") : QString();
    default:
        return {};
    }
}

} // namespace loopscope
