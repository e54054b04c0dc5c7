#include "views/message_list/message_list_view.h"

#include "views/message_list/message_model.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSaveFile>
#include <QScrollBar>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace loopscope {

namespace {

/// Details have several lines, which the tree shows in full.
class DetailDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        const int line = option.fontMetrics.height();
        if (!index.parent().isValid()) return {size.width(), std::max(size.height(), line + 8)};
        const QFontMetrics metrics(index.data(Qt::FontRole).value<QFont>());
        const QString text = index.data().toString();
        return {size.width(), static_cast<int>(text.count(u'\n') + 1) * metrics.lineSpacing() + 8};
    }
};

QString csvCell(QString text) {
    if (!text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n')) return text;
    return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

QString oneLine(QString text) { return text.replace(u'\n', QStringLiteral(" | ")).replace(u'\t', u' '); }

} // namespace

MessageListView::MessageListView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_model(new MessageModel(context.session.messages(), context.theme, this)),
      m_filter(new MessageFilter(this)), m_tree(new QTreeView(this)), m_find(new QLineEdit(this)),
      m_empty(new QLabel(this)), m_bar(new QWidget(this)), m_stack(new QStackedLayout) {
    setObjectName(QStringLiteral("MessageListView"));
    m_filter->setSourceModel(m_model);
    m_tree->setModel(m_filter);
    m_tree->setObjectName(QStringLiteral("messages"));
    m_tree->setAccessibleName(tr("Messages"));
    m_tree->setItemDelegate(new DetailDelegate(m_tree));
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setTextElideMode(Qt::ElideRight);
    m_tree->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(MessageModel::Text, QHeaderView::Stretch);
    const QFontMetrics metrics(font());
    m_tree->header()->resizeSection(MessageModel::Time, metrics.horizontalAdvance(QStringLiteral("00:00:00")) + 72);
    m_tree->header()->resizeSection(MessageModel::Place, metrics.averageCharWidth() * 26);

    buildBar();
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setMargin(16);
    m_empty->setEnabled(false);
    m_stack->addWidget(m_tree);
    setFocusProxy(m_tree);
    m_stack->addWidget(m_empty);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_bar);
    layout->addLayout(m_stack, 1);

    connect(m_tree, &QTreeView::clicked, this, [this](const QModelIndex &index) {
        if (index.column() == MessageModel::Place) goTo(MessageModel::messageOf(m_filter->mapToSource(index)));
    });
    connect(m_tree, &QTreeView::activated, this,
            [this](const QModelIndex &index) { goTo(MessageModel::messageOf(m_filter->mapToSource(index))); });
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex &above, int from, int to) {
        if (above.isValid()) return;
        // The newest is kept in sight unless the user has scrolled away from the end.
        const QScrollBar *bar = m_tree->verticalScrollBar();
        const bool atEnd = bar->value() >= bar->maximum() - m_tree->fontMetrics().height() * 2;
        spanDetails(from, to);
        if (atEnd) QMetaObject::invokeMethod(m_tree, &QTreeView::scrollToBottom, Qt::QueuedConnection);
        refreshCounts();
    });
    connect(m_filter, &QAbstractItemModel::rowsRemoved, this, &MessageListView::refreshCounts);
    connect(m_filter, &QAbstractItemModel::modelReset, this, &MessageListView::refreshCounts);
    spanDetails(0, m_filter->rowCount() - 1);
    refreshCounts();
}

void MessageListView::buildBar() {
    auto *layout = new QHBoxLayout(m_bar);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(4);
    const std::array<std::pair<Message::Severity, const char *>, 3> kinds{{{Message::Severity::Failure, "failure"},
                                                                           {Message::Severity::Warning, "warning"},
                                                                           {Message::Severity::Note, "note"}}};
    for (const auto &[severity, icon] : kinds) {
        auto *button = new QToolButton(m_bar);
        button->setObjectName(QStringLiteral("show_%1").arg(QLatin1String(icon)));
        button->setIcon(m_context.theme.icon(QLatin1String(icon)));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        button->setCheckable(true);
        button->setChecked(true);
        button->setToolTip(tr("Show or hide every %1").arg(severityName(severity)));
        connect(button, &QToolButton::toggled, this, [this, kind = severity](bool on) {
            m_filter->setShown(kind, on);
            spanDetails(0, m_filter->rowCount() - 1);
            refreshCounts();
        });
        m_buttons[static_cast<size_t>(severity)] = button;
        layout->addWidget(button);
    }
    m_find->setPlaceholderText(tr("Find in messages"));
    m_find->setObjectName(QStringLiteral("find"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(fontMetrics().averageCharWidth() * 50);
    connect(m_find, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_filter->setText(text);
        spanDetails(0, m_filter->rowCount() - 1);
        refreshCounts();
    });
    layout->addStretch(1);
    layout->addWidget(m_find, 2);

    Actions &actions = m_context.actions;
    QAction *copy =
        actions.add({QStringLiteral("messages.copy"), tr("Messages"), tr("Copy messages"), QKeySequence::Copy,
                     tr("Copy the selected messages as tab separated lines"), QStringLiteral("copy")},
                    this, [this] { QApplication::clipboard()->setText(copyText(true)); });
    QAction *clear = actions.add({QStringLiteral("messages.clear"),
                                  tr("Messages"),
                                  tr("Clear messages"),
                                  {},
                                  tr("Remove all messages from the list"),
                                  QStringLiteral("close")},
                                 this, [this] { m_context.session.messages().clear(); });
    for (QAction *action : {copy, clear}) {
        action->setIcon(m_context.theme.icon(actions.info(action).icon));
        auto *button = new QToolButton(m_bar);
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        layout->addWidget(button);
    }
}

void MessageListView::startFind() {
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

void MessageListView::spanDetails(int from, int to) {
    for (int row = from; row <= to; ++row) {
        const QModelIndex index = m_filter->index(row, 0);
        if (m_filter->rowCount(index) > 0) m_tree->setFirstColumnSpanned(0, index, true);
    }
}

void MessageListView::refreshCounts() {
    std::array<int, 3> counts{};
    for (const Message &message : m_context.session.messages().all()) ++counts[static_cast<size_t>(message.severity)];
    for (size_t kind = 0; kind < counts.size(); ++kind) {
        m_buttons[kind]->setText(QString::number(counts[kind]));
        const auto severity = static_cast<Message::Severity>(kind);
        m_buttons[kind]->setAccessibleName(tr("%1 messages of kind %2").arg(counts[kind]).arg(severityName(severity)));
    }
    const bool none = m_context.session.messages().all().empty();
    m_empty->setText(none ? tr("No messages. Warnings and failures are kept here, with their causes.")
                          : tr("No message fits the filter. Clear the find line, or switch a severity on."));
    m_stack->setCurrentIndex(m_filter->rowCount() > 0 ? 0 : 1);
    bool places = false; // a column of nothing takes room from the sentences
    for (int row = 0; row < m_filter->rowCount() && !places; ++row)
        places = !m_filter->index(row, MessageModel::Place).data().toString().isEmpty();
    m_tree->setColumnHidden(MessageModel::Place, !places);
}

void MessageListView::goTo(int number) {
    const auto &all = m_context.session.messages().all();
    if (number < 0 || static_cast<size_t>(number) >= all.size()) return;
    const Message &message = all[static_cast<size_t>(number)];
    if (!message.path.isEmpty()) Q_EMIT placeRequested(message.path, message.line, message.column);
    if (message.trial >= 0) m_context.session.selection().selectSchedule({ScheduleRef::Kind::Trial, message.trial});
}

void MessageListView::showMessage(int number) {
    const QModelIndex source = m_model->index(number, 0);
    if (!source.isValid()) return;
    const auto severity = static_cast<Message::Severity>(source.data(MessageModel::SeverityRole).toInt());
    m_buttons[static_cast<size_t>(severity)]->setChecked(true);
    m_find->clear();
    const QModelIndex index = m_filter->mapFromSource(source);
    m_tree->setCurrentIndex(index);
    m_tree->expand(index);
    m_tree->scrollTo(index);
    m_tree->setFocus();
}

QList<int> MessageListView::rows(bool selectedOnly) const {
    QList<int> numbers;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex index = m_filter->index(row, 0);
        if (!selectedOnly || m_tree->selectionModel()->isRowSelected(row, {}))
            numbers << MessageModel::messageOf(m_filter->mapToSource(index));
    }
    return numbers;
}

QString MessageListView::copyText(bool selectedOnly) const {
    QString text;
    for (const int number : rows(selectedOnly)) {
        const Message &message = m_context.session.messages().all()[static_cast<size_t>(number)];
        text += QStringList{message.when.toString(Qt::ISODate),
                            severityName(message.severity),
                            oneLine(message.text),
                            oneLine(message.detail),
                            message.path.isEmpty() ? placeText(message) : message.path,
                            message.line > 0 ? QString::number(message.line) : QString()}
                    .join(u'\t') +
                u'\n';
    }
    return text;
}

QString MessageListView::exportTo(const QString &path) {
    QString text = QStringLiteral("time\tseverity\tmessage\tdetail\tplace\tline\n") + copyText(false);
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
        QString csv = QStringLiteral("time,severity,message,detail,place,line\n");
        for (const int number : rows(false)) {
            const Message &message = m_context.session.messages().all()[static_cast<size_t>(number)];
            csv += QStringList{csvCell(message.when.toString(Qt::ISODate)),
                               severityName(message.severity),
                               csvCell(message.text),
                               csvCell(message.detail),
                               csvCell(message.path.isEmpty() ? placeText(message) : message.path),
                               message.line > 0 ? QString::number(message.line) : QString()}
                       .join(u',') +
                   u'\n';
        }
        text = csv;
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
        return tr("%1: cannot be written: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
