#pragma once
// The code of the schedule that is selected, in all its representations: the loop program after every pass of the
// lowering, C, LLVM IR, assembly. One form, or two side by side; what is selected anywhere is marked in all of them,
// and a click in any of them selects.

#include "views/actions/view_roles.h"
#include "views/program/representation_pane.h"
#include "views/session/view_context.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QSplitter;

namespace loopscope {

class ProgramView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit ProgramView(const ViewContext &context, QWidget *parent = nullptr);

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override;
    QString exportTo(const QString &path) override;
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

    /// The half that was used last.
    [[nodiscard]] RepresentationPane &active() const { return *m_active; }
    [[nodiscard]] bool isSplit() const;
    void setSplit(bool split);

  protected:
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

  private:
    enum class SplitChoice : uint8_t { Auto, On, Off };
    RepresentationPane *makePane(const QString &name);
    void addActions();
    void restore();
    void read(); // everything anew from the session
    void askSoon();
    void applySplit();
    void follow(const Selected &now, bool reveal);
    void choose(RepresentationPane *from, int node, const QString &stage, const QString &iterator);
    void sayHeader();
    void saveAs();
    void nextBlock(int direction);
    [[nodiscard]] bool wantsDisassembly() const;

    ViewContext m_context;
    QLabel *m_header = nullptr;
    QSplitter *m_splitter = nullptr;
    RepresentationPane *m_first = nullptr;
    RepresentationPane *m_second = nullptr;
    RepresentationPane *m_active = nullptr;
    SplitChoice m_splitChoice = SplitChoice::Auto;
    ScheduleTexts m_texts;
    QTimer m_readTimer;
    QTimer m_chooseTimer; // the caret may still be moving
    struct Choice {
        RepresentationPane *from = nullptr;
        int node = -1;
        QString stage;
        QString iterator;
    };
    Choice m_choice;
    RepresentationPane *m_origin = nullptr; // pane whose click is being followed: it does not scroll
};

} // namespace loopscope
