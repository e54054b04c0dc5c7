#pragma once
// Two schedules side by side: their loops, their steps, their C, LLVM IR and assembly, and what is known of their code
// and of what the cost model makes of them, aligned, with what differs marked. Code of a processor beside that of a GPU
// is not compared line by line: what is of one stage stands beside each other.
// Two trials selected together come here by the action compare.trials; any schedule can be chosen or dropped.

#include "views/actions/view_roles.h"
#include "views/compare/compared_side.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <array>
#include <optional>
#include <utility>

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QSplitter;

namespace loopscope {

class CompareFilters;
class CompareTabs;
class ComparedPair;
class ComparedTexts;
class DiffText;
class ElidedLabel;
class PairPanel;
class PassChoice;
class SideCard;

class CompareView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit CompareView(const ViewContext &context, QWidget *parent = nullptr);
    ~CompareView() override;

    /// Of the task shown.
    void compare(const ScheduleRef &left, const ScheduleRef &right) { compareOfTasks({0, left}, {0, right}); }
    void compareOfTasks(const TaskSchedule &left, const TaskSchedule &right);
    void setTab(CompareTab tab);
    [[nodiscard]] ComparedPair &pair() { return *m_pair; }
    [[nodiscard]] std::optional<ScheduleRef> side(AlignedText::Side side) const;
    [[nodiscard]] DiffText &diff();
    [[nodiscard]] QString notice() const; // what is said instead of texts; empty when texts are shown

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override { return {QStringLiteral("txt")}; }
    QString exportTo(const QString &path) override; // a unified list of what is shown
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    void build();
    void giveRoom();
    void addActions();
    void compareSelected();
    void compareTargets();
    void refresh(); // what both sides are, from the session; asks for what is not there yet
    void showTexts();
    [[nodiscard]] bool showsLastPass() const; // or what is made from it
    void showStep(int left, int right);
    void showVerdict();
    void showCount();
    void followSelection();
    void lineChosen(AlignedText::Side side, int number);

    ViewContext m_context;
    ComparedPair *m_pair = nullptr;
    std::array<ComparedSide, 2> m_shown; // keep what m_made points to
    CompareTab m_tab = CompareTab::Loops;
    /// What the texts on screen, or being compared, are made from: the same again needs no work.
    struct Made {
        CompareTab tab;
        DiffFilter filter;
        QString pass;
        std::pair<const void *, const void *> sources[2];
        QString told; // times
        bool operator==(const Made &) const = default;
    };
    std::optional<Made> m_made;

    SideCard *m_cards[2] = {};
    ElidedLabel *m_verdict = nullptr;
    PairPanel *m_timing = nullptr;
    QSplitter *m_halves = nullptr; // what is known of the pair above their texts
    bool m_low = false;
    QHBoxLayout *m_heads = nullptr;
    QBoxLayout *m_said = nullptr; // the verdict, beside the buttons or, in a narrow dock, below them
    QWidget *m_bar = nullptr;
    CompareTabs *m_tabs = nullptr;
    PassChoice *m_pass = nullptr;
    CompareFilters *m_filters = nullptr;
    QLabel *m_count = nullptr;
    ComparedTexts *m_texts = nullptr;
};

} // namespace loopscope
