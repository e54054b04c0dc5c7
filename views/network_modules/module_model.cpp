#include "views/network_modules/module_model.h"

#include "views/session/text.h"

#include <QFont>

#include <algorithm>
#include <array>

namespace loopscope {

namespace {

// The id of an index is 0 for a module, and the number of its module plus one for what is in it.
int moduleNumber(const QModelIndex &index) {
    return index.internalId() == 0 ? index.row() : static_cast<int>(index.internalId()) - 1;
}

QString kindText(const InspectedModule &module) {
    switch (module.kind) {
    case ModuleKind::Network:
        return ModuleModel::tr("network");
    case ModuleKind::Kernels:
        return ModuleModel::tr("machine code of the network");
    case ModuleKind::Constants:
        return ModuleModel::tr("weights as kernels read them");
    case ModuleKind::Library:
        return ModuleModel::tr("library");
    case ModuleKind::Wanted:
        return ModuleModel::tr("what the libraries have to bring");
    }
    return {};
}

} // namespace

void ModuleModel::show(InspectedProgramPtr program) {
    if (program == m_program) return;
    beginResetModel();
    m_program = std::move(program);
    endResetModel();
}

const InspectedModule *ModuleModel::moduleAt(const QModelIndex &index) const {
    if (!index.isValid() || !m_program) return nullptr;
    return &m_program->tree.modules[static_cast<size_t>(moduleNumber(index))];
}

const InspectedFunction *ModuleModel::functionAt(const QModelIndex &index) const {
    const InspectedModule *module = moduleAt(index);
    if (module == nullptr || index.internalId() == 0) return nullptr;
    const auto row = static_cast<size_t>(index.row());
    return row < module->functions.size() ? &module->functions[row] : nullptr;
}

const InspectedConstant *ModuleModel::constantAt(const QModelIndex &index) const {
    const InspectedModule *module = moduleAt(index);
    if (module == nullptr || index.internalId() == 0) return nullptr;
    const auto row = static_cast<size_t>(index.row());
    return row < module->functions.size() ? nullptr : &module->constants[row - module->functions.size()];
}

QModelIndex ModuleModel::kernelOf(const std::set<std::string> &sources) const {
    for (int module = 0; module < rowCount(); ++module) {
        const QModelIndex parent = index(module, 0);
        for (int row = 0; row < rowCount(parent); ++row) {
            const QModelIndex at = index(row, 0, parent);
            const InspectedFunction *function = functionAt(at);
            if (function != nullptr && function->kernel && meet(m_program->sources[*function->kernel], sources))
                return at;
        }
    }
    return {};
}

QModelIndex ModuleModel::index(int row, int column, const QModelIndex &parent) const {
    if (row < 0 || column < 0 || row >= rowCount(parent) || column >= columnCount(parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex ModuleModel::parent(const QModelIndex &index) const {
    return !index.isValid() || index.internalId() == 0 ? QModelIndex()
                                                       : createIndex(moduleNumber(index), 0, quintptr{0});
}

int ModuleModel::rowCount(const QModelIndex &parent) const {
    if (!m_program || parent.column() > 0) return 0;
    if (!parent.isValid()) return static_cast<int>(m_program->tree.modules.size());
    if (parent.internalId() != 0) return 0;
    const InspectedModule &module = *moduleAt(parent);
    return static_cast<int>(module.functions.size() + module.constants.size());
}

int ModuleModel::columnCount(const QModelIndex & /*parent*/) const { return ColumnCount; }

QString ModuleModel::moduleText(const InspectedModule &module, int column) const {
    switch (column) {
    case Name:
        return qt(module.name);
    case Bytes:
        return module.bytes() > 0 ? bytesText(static_cast<int64_t>(module.bytes())) : QString();
    case Origin:
        return kindText(module);
    case Signature: {
        QStringList imports;
        for (const size_t import : module.imports) imports << qt(m_program->tree.modules[import].name);
        return imports.isEmpty() ? QString() : tr("imports %1").arg(imports.join(QStringLiteral(", ")));
    }
    default:
        return {};
    }
}

QString ModuleModel::text(const QModelIndex &index) const {
    const InspectedFunction *function = functionAt(index);
    const InspectedConstant *constant = constantAt(index);
    if (function == nullptr && constant == nullptr) return moduleText(*moduleAt(index), index.column());
    const size_t bytes = function != nullptr ? function->bytes : constant->bytes;
    switch (index.column()) {
    case Name:
        return qt(function != nullptr ? function->name : constant->name);
    case Bytes:
        return bytes > 0 ? bytesText(static_cast<int64_t>(bytes)) : QString();
    case Calls:
        return function != nullptr && function->calls > 0 ? QString::number(function->calls) : QString();
    case Origin:
        return qt(function != nullptr ? function->origin : constant->notes);
    case Signature:
        return qt(function != nullptr ? function->signature : constant->type);
    default:
        return {};
    }
}

double ModuleModel::number(const QModelIndex &index) const {
    const InspectedFunction *function = functionAt(index);
    const InspectedConstant *constant = constantAt(index);
    if (index.column() == Bytes)
        return static_cast<double>(function != nullptr   ? function->bytes
                                   : constant != nullptr ? constant->bytes
                                                         : moduleAt(index)->bytes());
    if (index.column() == Calls) return function != nullptr ? static_cast<double>(function->calls) : 0;
    return -1;
}

QVariant ModuleModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || !m_program) return {};
    const bool module = index.internalId() == 0;
    switch (role) {
    case Qt::DisplayRole:
        return text(index);
    case SortRole:
        return number(index) >= 0 ? QVariant(number(index)) : QVariant(text(index));
    case Qt::ToolTipRole:
        return module && !moduleAt(index)->facts.empty() ? asSentence(qt(moduleAt(index)->facts)) : text(index);
    case Qt::TextAlignmentRole:
        return static_cast<int>((index.column() == Bytes || index.column() == Calls ? Qt::AlignRight : Qt::AlignLeft) |
                                Qt::AlignVCenter);
    case Qt::FontRole:
        if (module && index.column() == Name) {
            QFont font;
            font.setBold(true);
            return font;
        }
        return {};
    case Qt::ForegroundRole:
        return functionAt(index) == nullptr && !module ? m_theme.color(Role::QuietText) : QVariant();
    default:
        return {};
    }
}

QVariant ModuleModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    static const std::array<std::pair<QString, QString>, ColumnCount> heads{{
        {tr("Module, function"), tr("Modules with their functions, then their constants")},
        {tr("Bytes"), tr("Of machine code, or of constants as they are kept")},
        {tr("Calls"), tr("In one run of the network")},
        {tr("From"), tr("The record that a schedule is from, or what else there is to say of it")},
        {tr("Takes and gives"), tr("Types of arguments and results; \"packed\": kept in another order")},
    }};
    if (role == Qt::DisplayRole) return heads[static_cast<size_t>(section)].first;
    if (role == Qt::ToolTipRole) return heads[static_cast<size_t>(section)].second;
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == Bytes || section == Calls ? Qt::AlignRight : Qt::AlignLeft) |
                                Qt::AlignVCenter);
    return {};
}

} // namespace loopscope
