#pragma once
// The messages of the session as an item model: one row a message, newest last, with its detail as a child that is
// read when the row is expanded. Follows Messages; owns nothing of it.

#include "views/session/messages.h"
#include "views/settings/theme.h"

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>

namespace loopscope {

class MessageModel : public QAbstractItemModel {
    Q_OBJECT

  public:
    enum Column { Time, Text, Place, ColumnCount };
    enum ModelRole { SeverityRole = Qt::UserRole, DetailRole };

    MessageModel(Messages &messages, Theme &theme, QObject *parent = nullptr);

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex &index) const override;
    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;

    /// Number of the message that the row, or the row above the detail, stands for; -1 for none.
    [[nodiscard]] static int messageOf(const QModelIndex &index);
    [[nodiscard]] const Messages &messages() const { return m_messages; }

  private:
    Messages &m_messages;
    Theme &m_theme;
    int m_rows = 0; // what views were told of
};

QString severityName(Message::Severity severity); // "failure"
QString placeText(const Message &message);        // "conv.te:12:5", "trial 17"; empty for none

/// Keeps the severities that are switched on and the messages that contain the text.
class MessageFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setShown(Message::Severity severity, bool shown);
    [[nodiscard]] bool shown(Message::Severity severity) const { return m_shown[static_cast<size_t>(severity)]; }
    void setText(const QString &text);

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;

  private:
    std::array<bool, 3> m_shown{true, true, true};
    QString m_text;
};

} // namespace loopscope
