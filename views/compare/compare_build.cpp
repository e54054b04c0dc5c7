// The widgets and actions of the side-by-side; see compare_view.h.

#include "views/compare/compare_view.h"
#include "views/compare/diff_text.h"
#include "views/compare/side_card.h"
#include "views/text/find_line.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

CompareView::CompareView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("CompareView"));
    build();
    addActions();
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &CompareView::documentShown);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &CompareView::documentShown);
    const auto mine = [this](const ScheduleRef &ref) {
        if (m_sides[0] == ref || m_sides[1] == ref) refresh();
    };
    connect(&session.representations(), &RepresentationCache::representationsReady, this, mine, Qt::QueuedConnection);
    connect(&session.representations(), &RepresentationCache::disassemblyReady, this, mine, Qt::QueuedConnection);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, [this, mine](const std::vector<int> &trials) {
        for (const int t : trials) mine({ScheduleRef::Kind::Trial, t}); // pinned, measured again
    });
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        const bool other = !(now.schedule == before.schedule) && m_sides[AlignedText::Left] != now.schedule;
        if (m_follow->isChecked() && other && m_sides[AlignedText::Left]) choose(AlignedText::Right, now.schedule);
        followSelection();
    });
    refresh();
}

CompareView::~CompareView() = default;

void CompareView::build() {
    Theme &theme = m_context.theme;
    m_cards[AlignedText::Left] = new SideCard(m_context, tr("Left"), this);
    m_cards[AlignedText::Right] = new SideCard(m_context, tr("Right"), this);
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        connect(m_cards[side], &SideCard::chosen, this, [this, side](const ScheduleRef &ref) { choose(side, ref); });
        connect(m_cards[side], &SideCard::bothChosen, this, &CompareView::compare);
    }
    m_verdict = new QLabel(this);
    m_verdict->setAlignment(Qt::AlignCenter);
    m_verdict->setWordWrap(true);
    m_verdict->setContentsMargins(8, 2, 8, 2);
    m_verdict->setToolTip(
        tr("From the times shown; in brackets what the 10th to 90th percentiles of the samples allow"));
    QFont bold = font();
    bold.setBold(true);
    m_verdict->setFont(bold);

    m_tabs = new QTabBar(this);
    for (const QString &name : {tr("Loops"), tr("Steps"), tr("C"), tr("Assembly")}) m_tabs->addTab(name);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(false);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_tab = static_cast<Tab>(index);
        refresh();
    });
    m_pass = new QComboBox(this);
    m_pass->setToolTip(tr("After which pass of the lowering, on both sides"));
    m_pass->setAccessibleName(tr("Pass"));
    m_pass->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_pass->setMinimumContentsLength(8);
    connect(m_pass, &QComboBox::activated, this, [this] {
        m_wantedPass = m_pass->currentText();
        refresh();
    });
    m_count = new QLabel(this);
    m_filters = new QToolButton(this);
    m_filters->setText(tr("Filters"));
    m_filters->setToolTip(tr("What counts as a difference, on both sides alike"));
    m_filters->setPopupMode(QToolButton::InstantPopup);
    m_filters->setAutoRaise(true);

    m_diff = new DiffText(theme, this);
    connect(m_diff, &DiffText::currentChanged, this, &CompareView::showCount);
    connect(m_diff, &DiffText::lineChosen, this, &CompareView::lineChosen);
    connect(m_diff, &DiffText::unfoldAsked, this, [this] {
        m_only->setChecked(false);
        showDiff();
    });
    auto *page = new QWidget(this);
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    m_noticeTitle = new QLabel(page);
    QFont large = bold;
    large.setPointSizeF(large.pointSizeF() * 1.25);
    m_noticeTitle->setFont(large);
    m_notice = new QLabel(page);
    m_notice->setWordWrap(true);
    for (QLabel *label : {m_noticeTitle, m_notice}) label->setAlignment(Qt::AlignCenter);
    auto *middle = new QVBoxLayout(page);
    middle->setContentsMargins(32, 24, 32, 24);
    middle->setSpacing(10);
    middle->addStretch(2);
    middle->addWidget(m_noticeTitle);
    middle->addWidget(m_notice);
    middle->addStretch(3);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_diff);
    m_stack->addWidget(page);
    m_find = new FindLine(theme, this);
    m_find->hide();
    connect(m_find, &FindLine::queryChanged, this, &CompareView::find);
    connect(m_find, &FindLine::stepAsked, this, [this](int direction) {
        m_diff->stepMatch(direction);
        m_find->setResult(m_diff->matchText(), false);
    });
    connect(m_find, &FindLine::closed, this, [this] {
        m_find->hide();
        m_diff->setMatches({}, {});
        m_diff->setFocus(Qt::OtherFocusReason);
    });

    auto *cards = new QHBoxLayout;
    cards->setObjectName(QStringLiteral("cards"));
    cards->setContentsMargins(8, 8, 8, 2);
    cards->setSpacing(6);
    cards->addWidget(m_cards[AlignedText::Left], 1);
    cards->addWidget(m_cards[AlignedText::Right], 1);
    auto *bar = new QHBoxLayout;
    bar->setObjectName(QStringLiteral("bar"));
    bar->setContentsMargins(8, 2, 8, 4);
    bar->setSpacing(6);
    bar->addWidget(m_tabs);
    bar->addWidget(m_pass);
    bar->addStretch(1);
    bar->addWidget(m_count);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(cards);
    all->addWidget(m_verdict);
    all->addLayout(bar);
    all->addWidget(m_stack, 1);
    all->addWidget(m_find);
    setFocusProxy(m_diff);
    const auto dress = [this] {
        QPalette quiet = palette();
        quiet.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
        m_count->setPalette(quiet);
        m_notice->setPalette(quiet);
        m_filters->setIcon(m_context.theme.icon(QStringLiteral("filter")));
    };
    connect(&theme, &Theme::changed, this, dress);
    dress();
}

void CompareView::addActions() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &shortcut, const QString &tip,
                            const char *icon, QObject *owner, std::function<void()> run, bool checkable = false) {
        ActionInfo info{QLatin1String(id), tr("Compare"), text, shortcut, tip, QLatin1String(icon), checkable};
        QAction *action = m_context.actions.add(info, owner, std::move(run));
        action->setIcon(m_context.theme.icon(info.icon));
        return action;
    };
    // Owned by an object that is no widget, so that it works from wherever trials are selected.
    auto *everywhere = new QObject(this);
    add(actionId(Capability::CompareTrials), tr("Compare two selected trials"), {},
        tr("The two trials selected together, side by side"), "compare", everywhere, [this] {
            const std::vector<int> trials = m_context.session.selection().now().trials;
            if (trials.size() != 2) {
                m_context.session.messages().note(
                    tr("Comparing takes two trials selected together; %1 are selected").arg(trials.size()));
                return;
            }
            compare({ScheduleRef::Kind::Trial, trials[0]}, {ScheduleRef::Kind::Trial, trials[1]});
            // Asked for from elsewhere, it must be seen; in a window without docks it already is.
            if (QAction *show = m_context.actions.find(Capability::ShowComparison)) show->trigger();
        });
    QAction *swap = add(actionId(Capability::SwapCompared), tr("Swap sides"), {}, tr("Left to right and right to left"),
                        "swap", this, [this] {
                            std::swap(m_sides[0], m_sides[1]);
                            refresh();
                        });
    QAction *previous = add("compare.previous", tr("Previous difference"), QKeySequence(QStringLiteral("Shift+F8")),
                            tr("Previous difference"), "back", this, [this] { m_diff->stepDifference(-1); });
    QAction *next = add("compare.next", tr("Next difference"), QKeySequence(Qt::Key_F8), tr("Next difference"),
                        "forward", this, [this] { m_diff->stepDifference(1); });
    Settings &settings = m_context.settings;
    const auto kept = [&](const char *id, const char *key, const QString &text, const QString &tip, const char *icon,
                          std::function<void()> run) {
        const QString name = QLatin1String(key);
        QAction *action = add(
            id, text, {}, tip, icon, this, [] {}, true);
        action->setChecked(settings.value(name, false).toBool());
        connect(action, &QAction::toggled, this, [this, name, run = std::move(run)](bool on) {
            m_context.settings.setValue(name, on);
            run();
        });
        return action;
    };
    m_only = kept("compare.onlyDifferences", "compare/only", tr("Only differences"),
                  tr("Fold long stretches that are equal on both sides"), "collapse", [this] { showDiff(); });
    m_follow = kept("compare.follow", "compare/follow", tr("Right side follows the selection"),
                    tr("What is selected anywhere is compared with the left side"), "pin", [] {});
    m_blanks = kept("compare.ignoreBlanks", "compare/blanks", tr("Ignore blanks"),
                    tr("Lines that differ in blanks only are equal"), "", [this] { refresh(); });
    m_registers = kept("compare.ignoreRegisters", "compare/registers", tr("Ignore register names"),
                       tr("Assembly lines that differ in register names only are equal; widths still count"), "",
                       [this] { refresh(); });
    m_directives = kept("compare.hideDirectives", "compare/directives", tr("Hide directives"),
                        tr("Assembly: leave out directives, comments and empty lines"), "", [this] { refresh(); });
    auto *menu = new QMenu(m_filters);
    menu->setToolTipsVisible(true);
    menu->addActions({m_only, m_blanks, m_registers, m_directives});
    menu->addSeparator();
    menu->addAction(m_follow);
    m_filters->setMenu(menu);

    const auto button = [this](QAction *action) {
        auto *tool = new QToolButton(this);
        tool->setDefaultAction(action);
        tool->setAutoRaise(true);
        return tool;
    };
    findChild<QHBoxLayout *>(QStringLiteral("cards"))->insertWidget(1, button(swap));
    auto *bar = findChild<QHBoxLayout *>(QStringLiteral("bar"));
    bar->addWidget(button(previous));
    bar->addWidget(button(next));
    bar->addWidget(m_filters);
}

} // namespace loopscope
