#pragma once
// The catalogue of operators: found by name, by what they do, by attributes; each with everything about it.

#include "networks/strategy/strategy_table.h"
#include "views/session/view_context.h"

#include <QWidget>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace loopscope {

class OperatorPage : public QWidget {
    Q_OBJECT

  public:
    explicit OperatorPage(const ViewContext &context, QWidget *parent = nullptr);

    /// From which table its implementations are told.
    void setTable(StrategyTable table);
    void choose(const QString &name);

    [[nodiscard]] QLineEdit &filter() { return *m_filter; }
    [[nodiscard]] QListWidget &list() { return *m_list; }
    [[nodiscard]] QTextBrowser &page() { return *m_page; }

  private:
    void fill();
    void showOperator();

    ViewContext m_context;
    StrategyTable m_table;
    QLineEdit *m_filter;
    QListWidget *m_list;
    QTextBrowser *m_page;
};

} // namespace loopscope
