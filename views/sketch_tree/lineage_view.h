#pragma once
// The lineage of the selected trial as a vertical chain: its sketch at the top, then every mutation with what it
// changed, the trial at the foot. A parent that was measured, and the sketch, can be selected here.

#include "views/session/view_context.h"
#include "views/sketch_tree/lineage.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace loopscope {

class LineageView : public QWidget {
    Q_OBJECT

  public:
    explicit LineageView(const ViewContext &context, QWidget *parent = nullptr);
    [[nodiscard]] QString text() const { return lineageText(m_lineage); }
    [[nodiscard]] const LineageChain &lineage() const { return m_lineage; }
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

  private:
    void readSoon();
    void read();
    void showLineage();
    void addSlice();
    void showSentence(const QString &sentence);
    void addEntry(const LineageEntry &entry, bool first, bool last, int indent);
    void link(const QString &target);

    const ViewContext m_context;
    QLabel *m_title = nullptr;
    QScrollArea *m_scroll = nullptr;
    QWidget *m_page = nullptr;
    QVBoxLayout *m_rows = nullptr;
    QTimer m_soon;
    QTimer m_more;      // adds the entries that are not there yet
    size_t m_shown = 0; // entries that are
    int m_job = 0;
    LineageChain m_lineage;
};

} // namespace loopscope
