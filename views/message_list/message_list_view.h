#pragma once
// The Messages dock: everything that went wrong or deserves a word, with its cause, filtered by severity and by typing.
// A click goes to the place a message is about.

#include "views/actions/view_roles.h"
#include "views/session/view_context.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QStackedLayout;
class QToolButton;
class QTreeView;

namespace loopscope {

class MessageFilter;
class MessageModel;

class MessageListView : public QWidget, public FindRole, public ExportRole {
    Q_OBJECT

  public:
    explicit MessageListView(const ViewContext &context, QWidget *parent = nullptr);

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override {
        return {QStringLiteral("csv"), QStringLiteral("tsv"), QStringLiteral("txt")};
    }
    QString exportTo(const QString &path) override;
    /// Rows shown, or those selected, as tab separated lines.
    [[nodiscard]] QString copyText(bool selectedOnly) const;
    void showMessage(int number);

  signals:
    /// A file is to be shown at a line (0 = none).
    void placeRequested(const QString &path, int line, int column);

  private:
    void buildBar();
    void goTo(int number);
    void spanDetails(int from, int to);
    void refreshCounts();
    [[nodiscard]] QList<int> rows(bool selectedOnly) const;

    ViewContext m_context;
    MessageModel *m_model;
    MessageFilter *m_filter;
    QTreeView *m_tree;
    QLineEdit *m_find;
    QLabel *m_empty;
    QWidget *m_bar;
    std::array<QToolButton *, 3> m_buttons{};
    QStackedLayout *m_stack;
};

} // namespace loopscope
