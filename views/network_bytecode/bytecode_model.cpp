#include "views/network_bytecode/bytecode_model.h"

#include "deploy/vm/assembly.h"
#include "views/session/network_contents.h"
#include "views/session/text.h"

#include <QPainter>
#include <QPixmap>
#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

QString headText(const BytecodeFunction &function) {
    QStringList parameters;
    for (size_t i = 0; i < function.parameters.size(); ++i)
        parameters << QStringLiteral("t%1 = %2: %3")
                          .arg(i)
                          .arg(qt(function.parameters[i].name), qt(typeText(function.parameters[i].type)));
    return QStringLiteral("%1(%2)").arg(qt(function.name), parameters.join(QStringLiteral(", ")));
}

/// A dot where it stops, an arrow at what is next.
QPixmap markPicture(bool stops, bool next, bool waits, const Theme &theme) {
    constexpr int kSize = 32; // drawn at twice the size it is shown in
    QPixmap picture(kSize, kSize);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    if (stops) {
        painter.setBrush(theme.color(Role::Bad));
        painter.drawEllipse(QRectF(5, 5, 22, 22));
    }
    if (next || waits) {
        // Seen on the row that is selected, too, and on the dot.
        const QColor arrow = theme.color(stops && next ? Role::AccentText : Role::Warning);
        painter.setBrush(next ? QBrush(arrow) : QBrush(Qt::NoBrush));
        painter.setPen(QPen(arrow, 2));
        painter.drawPolygon(QPolygonF{QPointF(9, 8), QPointF(24, 16), QPointF(9, 24)});
    }
    painter.end();
    picture.setDevicePixelRatio(2);
    return picture;
}

} // namespace

QString opcodeText(Opcode opcode) {
    switch (opcode) {
    case Opcode::Kernel:
        return QObject::tr("An operator of the network");
    case Opcode::Call:
        return QObject::tr("A function of the program");
    case Opcode::Const:
        return QObject::tr("A constant of the network");
    case Opcode::Eval:
        return QObject::tr("Integers, in postfix order");
    case Opcode::Item:
        return QObject::tr("The one element of a tensor");
    case Opcode::Box:
        return QObject::tr("An integer as a tensor of one element");
    case Opcode::Match:
        return QObject::tr("The same value, when it has that type; gives new symbols their numbers");
    case Opcode::Alias:
        return QObject::tr("The same value once more");
    case Opcode::Free:
        return QObject::tr("Nobody reads the value any more");
    case Opcode::Stack:
        return QObject::tr("An empty stack for the pieces of an output");
    case Opcode::Push:
        return QObject::tr("A piece of an output that is put together");
    case Opcode::Seal:
        return QObject::tr("The pieces along a new first axis");
    case Opcode::Branch:
        return QObject::tr("Goes on at the first place when the integer is not 0, at the second one otherwise");
    case Opcode::Jump:
        return QObject::tr("Goes on elsewhere");
    case Opcode::Ret:
        return QObject::tr("The results, to the caller");
    }
    return {};
}

BytecodeModel::BytecodeModel(const Theme &theme, QObject *parent)
    : TableModel(tableColumns({QString(), tr("No."), tr("Instruction"), tr("Node")}, {NumberColumn}), parent),
      m_theme(theme) {}

void BytecodeModel::show(std::shared_ptr<const Program> program) {
    if (program == m_program) return;
    beginResetModel();
    m_program = std::move(program);
    m_rows.clear();
    m_heads.clear();
    m_calls.clear();
    for (size_t i = 0; m_program && i < m_program->functions.size(); ++i) {
        m_heads.push_back(static_cast<int>(m_rows.size()));
        m_rows.push_back({i, -1});
        for (size_t at = 0; at < m_program->functions[i].code.size(); ++at) m_rows.push_back({i, static_cast<int>(at)});
    }
    endResetModel();
}

void BytecodeModel::repaint() {
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void BytecodeModel::setStops(const std::set<CodePlace> &stops) {
    m_stops = stops;
    repaint();
}

void BytecodeModel::setCalls(std::vector<CodePlace> calls) {
    m_calls = std::move(calls);
    repaint();
}

std::optional<CodePlace> BytecodeModel::placeOf(int row) const {
    if (row < 0 || row >= rowCount()) return std::nullopt;
    const Row &of = m_rows[static_cast<size_t>(row)];
    if (of.at < 0) return std::nullopt;
    return CodePlace{of.function, static_cast<size_t>(of.at)};
}

int BytecodeModel::rowOf(CodePlace place) const {
    return place.function < m_heads.size() ? m_heads[place.function] + 1 + static_cast<int>(place.at) : -1;
}

const Node *BytecodeModel::nodeOf(const Row &row) const {
    if (row.at < 0) return nullptr;
    const BytecodeFunction &code = m_program->functions[row.function];
    const NodeId node = code.code[static_cast<size_t>(row.at)].node;
    const FunctionPtr of = m_program->network.find(code.name);
    return node.value < 0 || !of ? nullptr : &of->node(node);
}

std::set<std::string> BytecodeModel::sourcesOf(int row) const {
    if (row < 0 || row >= rowCount()) return {};
    const Node *node = nodeOf(m_rows[static_cast<size_t>(row)]);
    if (node == nullptr) return {};
    const std::vector<std::string> sources = loopscope::sourcesOf(*node);
    return {sources.begin(), sources.end()};
}

QString BytecodeModel::placeText(CodePlace place) const {
    if (!m_program || place.function >= m_program->functions.size()) return {};
    const BytecodeFunction &function = m_program->functions[place.function];
    const QString number = tr("%1:%2").arg(qt(function.name)).arg(place.at);
    const Instruction &of = function.code[place.at];
    return of.node.value < 0 ? number
                             : tr("%1, %2").arg(number, qt(loopscope::placeText(*m_program, function, place.at)));
}

int BytecodeModel::rowsShown() const { return static_cast<int>(m_rows.size()); }

QString BytecodeModel::text(const Row &row, int column) const {
    const BytecodeFunction &code = m_program->functions[row.function];
    if (row.at < 0) return column == InstructionColumn ? headText(code) : QString();
    if (column == NumberColumn) return QString::number(row.at);
    if (column == InstructionColumn) {
        // Which node it is for stands in the next column.
        Instruction instruction = code.code[static_cast<size_t>(row.at)];
        instruction.node = {};
        return qt(instructionText(instruction, nullptr));
    }
    const Node *node = column == NodeColumn ? nodeOf(row) : nullptr;
    return node != nullptr ? qt(node->name) : QString();
}

QVariant BytecodeModel::markOf(const Row &row) const {
    if (row.at < 0) return {};
    const CodePlace place{row.function, static_cast<size_t>(row.at)};
    const bool next = !m_calls.empty() && m_calls.back() == place;
    const bool waits = std::ranges::find(m_calls, place) != m_calls.end();
    const bool stops = m_stops.contains(place);
    if (!next && !waits && !stops) return {};
    return markPicture(stops, next, waits, m_theme);
}

QVariant BytecodeModel::data(const QModelIndex &index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row &row = m_rows[static_cast<size_t>(index.row())];
    const bool head = row.at < 0;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::DecorationRole:
        return index.column() == StopColumn ? markOf(row) : QVariant();
    case Qt::FontRole: {
        if (index.column() != InstructionColumn && !head) return {};
        QFont font = m_theme.codeFont();
        font.setBold(head);
        return font;
    }
    case Qt::ForegroundRole:
        return index.column() == NumberColumn || index.column() == NodeColumn ? QVariant(m_theme.color(Role::QuietText))
                                                                              : QVariant();
    case Qt::BackgroundRole:
        if (head) return m_theme.color(Role::Raised);
        if (!m_calls.empty() && placeOf(index.row()) == m_calls.back()) return m_theme.tint(Role::Accent);
        return {};
    case Qt::TextAlignmentRole:
        return index.column() == NumberColumn ? QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole: {
        if (head) return tr("A function of the network; registers that its arguments come in");
        if (index.column() == StopColumn) return tr("Click to stop before this instruction, or no longer to");
        const Instruction &of = m_program->functions[row.function].code[static_cast<size_t>(row.at)];
        return QStringLiteral("%1: %2").arg(qt(shapeOf(of.opcode).name), opcodeText(of.opcode));
    }
    case Qt::AccessibleTextRole: {
        if (index.column() != StopColumn || head) return {};
        const CodePlace place{row.function, static_cast<size_t>(row.at)};
        if (!m_calls.empty() && m_calls.back() == place) return tr("next");
        return m_stops.contains(place) ? tr("stops here") : QString();
    }
    default:
        return {};
    }
}

} // namespace loopscope
