#pragma once
// Two schedules side by side: their loops, their steps, their C and their assembly, aligned, with what differs marked.
// Two trials selected together come here by the action compare.trials; any schedule can be chosen or dropped.

#include "views/actions/view_roles.h"
#include "views/compare/aligned_text.h"
#include "views/session/view_context.h"

#include <QWidget>

#include <memory>
#include <optional>

class QAction;
class QComboBox;
class QLabel;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace loopscope {

class DiffText;
class FindLine;
class SideCard;

class CompareView : public QWidget, public FindRole, public ExportRole, public ZoomRole {
    Q_OBJECT

  public:
    enum Tab : uint8_t { Loops, Steps, C, Assembly };

    explicit CompareView(const ViewContext &context, QWidget *parent = nullptr);
    ~CompareView() override;

    void compare(const ScheduleRef &left, const ScheduleRef &right);
    void setTab(Tab tab);
    [[nodiscard]] const std::optional<ScheduleRef> &side(AlignedText::Side side) const { return m_sides[side]; }
    [[nodiscard]] DiffText &diff() { return *m_diff; }
    [[nodiscard]] QString notice() const; // what is said instead of texts; empty when texts are shown

    void startFind() override;
    [[nodiscard]] QStringList exportSuffixes() const override { return {QStringLiteral("txt")}; }
    QString exportTo(const QString &path) override; // a unified list of what is shown
    void zoomIn() override;
    void zoomOut() override;
    void zoomToFit() override;

  private:
    void build();
    void addActions();
    void choose(AlignedText::Side side, const ScheduleRef &ref);
    void documentShown();
    void refresh(); // what both sides are, from the session; starts what is not there yet
    /// The text of a side for the tab; empty with a sentence while it is being made or when there is none.
    [[nodiscard]] std::optional<SideText> sideText(AlignedText::Side side, QString &sentence) const;
    void offerPasses();
    void startDiff(SideText left, SideText right);
    void showDiff();
    void say(const QString &title, const QString &sentence);
    void showCount();
    void followSelection();
    void lineChosen(AlignedText::Side side, int number);
    void find();
    [[nodiscard]] RepresentationsPtr representationsOf(AlignedText::Side side) const;
    [[nodiscard]] DiffFilter filter() const;

    ViewContext m_context;
    std::optional<ScheduleRef> m_sides[2];
    Tab m_tab = Loops;
    QString m_wantedPass; // as the user chose it; empty = the last one
    int m_job = 0;
    /// What the texts on screen, or being compared, are made from: the same again needs no work.
    struct Made {
        Tab tab;
        DiffFilter filter;
        QString pass;
        const void *sources[2];
        bool operator==(const Made &) const = default;
    };
    std::optional<Made> m_made;
    std::shared_ptr<const AlignedText> m_aligned;
    RepresentationsPtr m_representations[2]; // keep what m_made points to
    std::shared_ptr<const void> m_listings[2];

    SideCard *m_cards[2] = {};
    QLabel *m_verdict = nullptr;
    QTabBar *m_tabs = nullptr;
    QComboBox *m_pass = nullptr;
    QToolButton *m_filters = nullptr;
    QLabel *m_count = nullptr;
    QStackedWidget *m_stack = nullptr;
    DiffText *m_diff = nullptr;
    QLabel *m_noticeTitle = nullptr;
    QLabel *m_notice = nullptr;
    FindLine *m_find = nullptr;
    QAction *m_blanks = nullptr;
    QAction *m_registers = nullptr;
    QAction *m_directives = nullptr;
    QAction *m_only = nullptr;
    QAction *m_follow = nullptr;
};

} // namespace loopscope
