#pragma once
// Two schedules side by side: their loops, their steps, their C, LLVM IR and assembly, and what is known of their code
// and of what the cost model makes of them, aligned, with what differs marked.
// Two trials selected together come here by the action compare.trials; any schedule can be chosen or dropped.

#include "views/actions/view_roles.h"
#include "views/compare/compared_side.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

class QBoxLayout;
class QComboBox;
class QLabel;
class QSplitter;
class QStackedWidget;

namespace loopscope {

class CompareFilters;
class CompareTabs;
class DiffText;
class ElidedLabel;
class FindLine;
class NoticePage;
class PairPanel;
class SideCard;

class CompareView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    explicit CompareView(const ViewContext &context, QWidget *parent = nullptr);
    ~CompareView() override;

    void compare(const ScheduleRef &left, const ScheduleRef &right);
    void setTab(CompareTab tab);
    [[nodiscard]] const std::optional<ScheduleRef> &side(AlignedText::Side side) const { return m_sides[side]; }
    [[nodiscard]] DiffText &diff() { return *m_diff; }
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
    void choose(AlignedText::Side side, const ScheduleRef &ref);
    void documentShown();
    void refresh();                           // what both sides are, from the session; starts what is not there yet
    [[nodiscard]] bool showsPrograms() const; // on both sides
    [[nodiscard]] bool showsLastPass() const; // or what is made from it
    void offerPasses();
    void showStep(int left, int right);
    void showVerdict();
    [[nodiscard]] ComparedSide shownSide(const ScheduleRef &ref);
    void startDiff(std::function<std::pair<SideText, SideText>()> make);
    void showDiff();
    void say(const QString &title, const QString &sentence);
    void showCount();
    void followSelection();
    void lineChosen(AlignedText::Side side, int number);
    void find();

    ViewContext m_context;
    std::optional<ScheduleRef> m_sides[2];
    ComparedSide m_shown[2]; // keep what m_made points to
    CompareTab m_tab = CompareTab::Loops;
    QString m_wantedPass; // as the user chose it; empty = the last one
    int m_job = 0;
    /// What the texts on screen, or being compared, are made from: the same again needs no work.
    struct Made {
        CompareTab tab;
        DiffFilter filter;
        QString pass;
        std::pair<const void *, const void *> sources[2];
        bool operator==(const Made &) const = default;
    };
    std::optional<Made> m_made;
    std::shared_ptr<const AlignedText> m_aligned;

    SideCard *m_cards[2] = {};
    ElidedLabel *m_verdict = nullptr;
    PairPanel *m_pair = nullptr;
    QSplitter *m_halves = nullptr; // what is known of the pair above their texts
    bool m_low = false;
    QBoxLayout *m_said = nullptr; // the verdict, beside the buttons or, in a narrow dock, below them
    CompareTabs *m_tabs = nullptr;
    QComboBox *m_pass = nullptr;
    CompareFilters *m_filters = nullptr;
    QLabel *m_count = nullptr;
    QStackedWidget *m_stack = nullptr;
    DiffText *m_diff = nullptr;
    NoticePage *m_notice = nullptr;
    FindLine *m_find = nullptr;
};

} // namespace loopscope
