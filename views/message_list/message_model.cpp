#include "views/message_list/message_model.h"

#include "views/session/selection.h"

#include <QFileInfo>

namespace loopscope {

namespace {

/// Rows carry 0; a detail carries the number of its message + 1.
constexpr quintptr kTop = 0;

QString iconName(Message::Severity severity) {
    return severity == Message::Severity::Failure   ? QStringLiteral("failure")
           : severity == Message::Severity::Warning ? QStringLiteral("warning")
                                                    : QStringLiteral("note");
}

Role roleOf(Message::Severity severity) {
    return severity == Message::Severity::Failure   ? Role::Bad
           : severity == Message::Severity::Warning ? Role::Warning
                                                    : Role::Text;
}

} // namespace

QString severityName(Message::Severity severity) {
    return severity == Message::Severity::Failure   ? QStringLiteral("failure")
           : severity == Message::Severity::Warning ? QStringLiteral("warning")
                                                    : QStringLiteral("note");
}

QString placeText(const Message &message) {
    if (message.path.isEmpty())
        return message.trial < 0 ? QString() : scheduleName({ScheduleRef::Kind::Trial, message.trial});
    QString place = QFileInfo(message.path).fileName();
    if (message.line > 0) place += QStringLiteral(":%1").arg(message.line);
    if (message.line > 0 && message.column > 0) place += QStringLiteral(":%1").arg(message.column);
    return place;
}

MessageModel::MessageModel(Messages &messages, Theme &theme, QObject *parent)
    : QAbstractItemModel(parent), m_messages(messages), m_theme(theme),
      m_rows(static_cast<int>(messages.all().size())) {
    connect(&messages, &Messages::added, this, [this](int index) {
        beginInsertRows({}, index, index);
        m_rows = index + 1;
        endInsertRows();
    });
    connect(&messages, &Messages::repeated, this,
            [this](int row) { Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1)); });
    connect(&messages, &Messages::cleared, this, [this] {
        beginResetModel();
        m_rows = 0;
        endResetModel();
    });
    connect(&theme, &Theme::changed, this, [this] {
        if (m_rows > 0) Q_EMIT dataChanged(index(0, 0), index(m_rows - 1, ColumnCount - 1));
    });
}

QModelIndex MessageModel::index(int row, int column, const QModelIndex &parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : kTop);
}

QModelIndex MessageModel::parent(const QModelIndex &index) const {
    if (!index.isValid() || index.internalId() == kTop) return {};
    return createIndex(static_cast<int>(index.internalId()) - 1, 0, kTop);
}

int MessageModel::rowCount(const QModelIndex &parent) const {
    if (!parent.isValid()) return m_rows;
    if (parent.internalId() != kTop || parent.column() != 0) return 0;
    return m_messages.all()[static_cast<size_t>(parent.row())].detail.isEmpty() ? 0 : 1;
}

int MessageModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() && parent.internalId() != kTop ? 0 : ColumnCount;
}

int MessageModel::messageOf(const QModelIndex &index) {
    if (!index.isValid()) return -1;
    return index.internalId() == kTop ? index.row() : static_cast<int>(index.internalId()) - 1;
}

QVariant MessageModel::data(const QModelIndex &index, int role) const {
    const int number = messageOf(index);
    if (number < 0 || number >= m_rows) return {};
    const Message &message = m_messages.all()[static_cast<size_t>(number)];
    if (role == SeverityRole) return static_cast<int>(message.severity);
    if (role == DetailRole) return message.detail;
    if (index.internalId() != kTop) {
        if (index.column() != 0) return {};
        if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return message.detail;
        if (role == Qt::FontRole) return m_theme.codeFont();
        if (role == Qt::ForegroundRole) return m_theme.color(Role::QuietText);
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Time) return message.when.toString(QStringLiteral("HH:mm:ss"));
        if (index.column() == Text && message.times > 1)
            return QStringLiteral("%1 (%2 times)").arg(message.text).arg(message.times);
        return index.column() == Text ? message.text : placeText(message);
    case Qt::ToolTipRole:
        if (index.column() == Time) return message.when.toString(Qt::ISODate);
        if (index.column() == Place) return message.path.isEmpty() ? placeText(message) : message.path;
        return message.detail.isEmpty() ? message.text : message.text + u'\n' + message.detail;
    case Qt::DecorationRole:
        return index.column() == Time ? QVariant(m_theme.icon(iconName(message.severity))) : QVariant();
    case Qt::ForegroundRole:
        if (index.column() == Text) return m_theme.color(roleOf(message.severity));
        return index.column() == Place && !placeText(message).isEmpty() ? m_theme.color(Role::Accent)
                                                                        : m_theme.color(Role::QuietText);
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(severityName(message.severity), message.text);
    default:
        return {};
    }
}

QVariant MessageModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case Time:
        return QStringLiteral("Time");
    case Text:
        return QStringLiteral("Message");
    case Place:
        return QStringLiteral("Place");
    default:
        return {};
    }
}

Qt::ItemFlags MessageModel::flags(const QModelIndex &index) const {
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

void MessageFilter::setShown(Message::Severity severity, bool shown) {
    m_shown[static_cast<size_t>(severity)] = shown;
    invalidateFilter();
}

void MessageFilter::setText(const QString &text) {
    m_text = text.trimmed();
    invalidateFilter();
}

bool MessageFilter::filterAcceptsRow(int row, const QModelIndex &parent) const {
    if (parent.isValid()) return true; // the detail of a message that is shown
    const auto *model = static_cast<const MessageModel *>(sourceModel());
    const Message &message = model->messages().all()[static_cast<size_t>(row)];
    if (!shown(message.severity)) return false;
    if (m_text.isEmpty()) return true;
    return message.text.contains(m_text, Qt::CaseInsensitive) || message.detail.contains(m_text, Qt::CaseInsensitive) ||
           message.path.contains(m_text, Qt::CaseInsensitive) ||
           placeText(message).contains(m_text, Qt::CaseInsensitive);
}

} // namespace loopscope
