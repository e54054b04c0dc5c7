#include "views/compare/compare_view.h"

#include "views/actions/elided_label.h"
#include "views/actions/flow_layout.h"
#include "views/compare/compare_filters.h"
#include "views/compare/compare_tabs.h"
#include "views/compare/compared_pair.h"
#include "views/compare/compared_texts.h"
#include "views/compare/diff_text.h"
#include "views/compare/pair_panel.h"
#include "views/compare/pass_choice.h"
#include "views/compare/side_card.h"
#include "views/compare/side_texts.h"
#include "views/session/text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>

namespace loopscope {

namespace {

constexpr std::array kSides{AlignedText::Left, AlignedText::Right};

/// Times as the facts of both sides tell them: they change without their code.
QString toldTimes(const std::array<ComparedSide, 2> &sides) {
    QString text;
    for (const ComparedSide &side : sides)
        for (const ScheduleFact &fact : side.told) text += qt(fact.text) + u'\n';
    return text;
}

} // namespace

CompareView::CompareView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_pair(new ComparedPair(context.session, this)) {
    setObjectName(QStringLiteral("CompareView"));
    build();
    addActions();
    Session &session = context.session;
    connect(m_pair, &ComparedPair::changed, this, &CompareView::refresh);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        const auto left = m_pair->shownRef(AlignedText::Left);
        const bool other = !(now.schedule == before.schedule) && left != now.schedule;
        if (m_filters->follows() && other && m_pair->side(AlignedText::Left))
            m_pair->choose(AlignedText::Right, {0, now.schedule});
        followSelection();
    });
    connect(&session.search(), &SearchRunner::searchChanged, this, [this] { // of a task that is not shown: silent else
        if (m_pair->acrossTasks())
            for (SideCard *card : m_cards) card->refresh();
    });
    connect(&session.selection(), &Selection::comparisonAsked, this, &CompareView::compareOfTasks);
    refresh();
}

CompareView::~CompareView() = default;

void CompareView::build() {
    for (const auto side : kSides) {
        m_cards[side] = new SideCard(m_context, *m_pair, side, this);
        connect(m_cards[side], &SideCard::chosen, this,
                [this, side](const TaskSchedule &schedule) { m_pair->choose(side, schedule); });
        connect(m_cards[side], &SideCard::bothChosen, this, &CompareView::compareOfTasks);
    }
    m_verdict = new ElidedLabel(this);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_verdict->setAlignment(Qt::AlignCenter);
    QFont bold = font();
    bold.setBold(true);
    m_verdict->setFont(bold);

    m_timing = new PairPanel(m_context, this);
    connect(m_timing, &PairPanel::verdictChanged, this, &CompareView::showVerdict);
    connect(m_timing, &PairPanel::stepChosen, this, &CompareView::showStep);
    connect(m_timing, &PairPanel::detailsChanged, this, &CompareView::giveRoom);
    m_tabs = new CompareTabs(this);
    connect(m_tabs, &QTabBar::currentChanged, this, [this] {
        m_tab = m_tabs->tab();
        refresh();
    });
    m_pass = new PassChoice(this);
    connect(m_pass, &PassChoice::passChosen, this, &CompareView::refresh);
    m_count = new QLabel(this);
    auto *lower = new QWidget(this);
    m_texts = new ComparedTexts(m_context, lower);
    m_filters = new CompareFilters(m_context, this);
    connect(m_filters, &CompareFilters::filterChanged, this, &CompareView::refresh);
    connect(m_filters, &CompareFilters::onlyDifferencesChanged, this,
            [this] { m_texts->setOnlyDifferences(m_filters->onlyDifferences()); });
    m_texts->setOnlyDifferences(m_filters->onlyDifferences());
    connect(m_texts, &ComparedTexts::countChanged, this, &CompareView::showCount);
    connect(m_texts, &ComparedTexts::textsShown, this, &CompareView::followSelection);
    connect(m_texts, &ComparedTexts::lineChosen, this, &CompareView::lineChosen);
    connect(m_texts, &ComparedTexts::unfoldAsked, m_filters, &CompareFilters::showAll);

    m_heads = new QHBoxLayout;
    m_heads->setContentsMargins(8, 8, 8, 2);
    m_heads->setSpacing(6);
    for (SideCard *card : m_cards) m_heads->addWidget(card, 1);
    m_bar = new QWidget(lower);
    auto *flow = new FlowLayout(m_bar, 6, 2); // all is there to click in a narrow dock
    flow->setContentsMargins(8, 0, 8, 2);
    flow->addWidget(m_tabs);
    flow->addWidget(m_pass);
    auto *texts = new QVBoxLayout(lower);
    texts->setContentsMargins(0, 0, 0, 0);
    texts->setSpacing(0);
    texts->addWidget(m_bar);
    texts->addWidget(m_texts, 1);
    m_said = new QBoxLayout(QBoxLayout::LeftToRight);
    m_said->setContentsMargins(8, 2, 8, 2);
    m_said->setSpacing(8);
    m_said->addWidget(m_timing);
    auto *said = new QHBoxLayout;
    said->setSpacing(8);
    said->addWidget(m_verdict, 1);
    said->addWidget(m_count);
    m_said->addLayout(said, 1);
    m_halves = new QSplitter(Qt::Vertical, this);
    m_halves->addWidget(&m_timing->details());
    m_halves->addWidget(lower);
    m_halves->setStretchFactor(0, 0);
    m_halves->setStretchFactor(1, 1);
    m_halves->setCollapsible(1, false);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(m_heads);
    all->addLayout(m_said);
    all->addWidget(m_halves, 1);
    setFocusProxy(&diff());
    const auto dress = [this] {
        QPalette quiet = palette();
        quiet.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
        m_count->setPalette(quiet);
    };
    connect(&m_context.theme, &Theme::changed, this, dress);
    dress();
}

void CompareView::addActions() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &shortcut, const QString &tip,
                            const char *icon, QObject *owner, std::function<void()> run) {
        ActionInfo info{QLatin1String(id), tr("Compare"), text, shortcut, tip, QLatin1String(icon)};
        QAction *action = m_context.actions.add(info, owner, std::move(run));
        action->setIcon(m_context.theme.icon(info.icon));
        return action;
    };
    // Owned by an object that is no widget, so that they work from wherever trials are selected.
    auto *everywhere = new QObject(this);
    add(actionId(Capability::CompareTrials), tr("Compare two selected trials"), {},
        tr("The two trials selected together, side by side"), "compare", everywhere, [this] { compareSelected(); });
    add(actionId(Capability::CompareTargets), tr("Compare with another target"), {},
        tr("The schedule shown beside the best of the same computation on another target"), "compare", everywhere,
        [this] { compareTargets(); });
    QAction *swap = add(actionId(Capability::SwapCompared), tr("Swap sides"), {}, tr("Left to right and right to left"),
                        "swap", this, [this] { m_pair->swap(); });
    QAction *previous = add("compare.previous", tr("Previous difference"), QKeySequence(QStringLiteral("Shift+F8")),
                            tr("Previous difference"), "back", this, [this] { diff().stepDifference(-1); });
    QAction *next = add("compare.next", tr("Next difference"), QKeySequence(Qt::Key_F8), tr("Next difference"),
                        "forward", this, [this] { diff().stepDifference(1); });
    const auto button = [this](QAction *action) {
        auto *tool = new QToolButton(this);
        tool->setDefaultAction(action);
        tool->setAutoRaise(true);
        return tool;
    };
    m_heads->insertWidget(1, button(swap));
    auto *together = new QWidget(this);
    auto *row = new QHBoxLayout(together);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(button(previous));
    row->addWidget(button(next));
    row->addWidget(m_filters->button());
    m_bar->layout()->addWidget(together);
}

void CompareView::compareSelected() {
    const std::vector<int> trials = m_context.session.selection().now().trials;
    if (trials.size() != 2) {
        m_context.session.messages().note(
            tr("Comparing takes two trials selected together; %1 are selected").arg(trials.size()));
        return;
    }
    compare({ScheduleRef::Kind::Trial, trials[0]}, {ScheduleRef::Kind::Trial, trials[1]});
    // Asked for from elsewhere, it must be seen; in a window without docks it already is.
    if (QAction *show = m_context.actions.find(Capability::ShowComparison)) show->trigger();
}

/// The processor on the left, whichever of the two is shown.
void CompareView::compareTargets() {
    Session &session = m_context.session;
    const Document *shown = session.document();
    const auto other = m_pair->counterpart();
    if (shown == nullptr || !shown->task || !other) {
        session.messages().note(tr("No other target of this computation is open: choose one in Computation, where what "
                                   "was searched stays with this one, or open a log of it"));
        return;
    }
    const QVariant about = m_context.actions.find(Capability::CompareTargets)->data();
    const TaskSchedule own{shown->taskId, about.canConvert<ScheduleRef>() ? about.value<ScheduleRef>()
                                                                          : session.selection().now().schedule};
    if (shown->task->target.isGpu())
        compareOfTasks(*other, own);
    else
        compareOfTasks(own, *other);
    if (QAction *show = m_context.actions.find(Capability::ShowComparison)) show->trigger();
}

/// In a low dock the texts keep their room, and what is known of the sides becomes a tooltip.
void CompareView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const bool low = height() < fontMetrics().height() * 26;
    if (low != std::exchange(m_low, low)) {
        for (SideCard *card : m_cards) card->setLow(low);
        m_timing->setLow(low);
        giveRoom();
    }
    const bool narrow = width() < fontMetrics().averageCharWidth() * 90;
    m_said->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

/// What is known of the pair gets what it asks for, but no more than two fifths.
void CompareView::giveRoom() {
    const QWidget &details = m_timing->details();
    const int most = m_low ? details.maximumHeight() : height() * 2 / 5;
    const int room = std::min(details.sizeHint().height(), most);
    m_halves->setSizes({room, std::max(1, height() - room)});
}

void CompareView::compareOfTasks(const TaskSchedule &left, const TaskSchedule &right) { m_pair->set(left, right); }

void CompareView::setTab(CompareTab tab) { m_tabs->setTab(tab); }

std::optional<ScheduleRef> CompareView::side(AlignedText::Side side) const {
    return m_pair->side(side) ? std::optional(m_pair->side(side)->ref) : std::nullopt;
}

DiffText &CompareView::diff() { return m_texts->diff(); }

QString CompareView::notice() const { return m_texts->notice(); }

bool CompareView::showsLastPass() const { return m_tab != CompareTab::Loops || m_pass->atLast(); }

void CompareView::refresh() {
    const Document *document = m_context.session.document();
    for (SideCard *card : m_cards) card->refresh();
    const bool both = m_pair->complete();
    const auto timed = [&](AlignedText::Side side) { return both ? m_pair->side(side) : std::nullopt; };
    m_timing->setPair(timed(AlignedText::Left), timed(AlignedText::Right));
    showVerdict();
    const bool shownGpu = document != nullptr && document->task && document->task->target.isGpu();
    const auto gpu = [&](AlignedText::Side side) {
        return both ? m_pair->state(side)->task->target.isGpu() : shownGpu;
    };
    m_tabs->nameFor(gpu(AlignedText::Left), gpu(AlignedText::Right));
    m_pass->setVisible(m_tab == CompareTab::Loops && both);
    m_filters->offerFor(m_tab);
    if (both) {
        for (const auto side : kSides) m_shown[side] = m_pair->known(side, m_tab);
        return showTexts();
    }
    m_made.reset();
    m_texts->stop();
    for (ComparedSide &side : m_shown) side = {};
    const QString gone = m_pair->whyGone().isEmpty() ? QString() : m_pair->whyGone() + QStringLiteral("\n\n");
    if (document == nullptr)
        m_texts->say(tr("Nothing is open"), tr("Open a workload or a tuning log to compare its schedules."));
    else if (m_pair->side(AlignedText::Left) && m_pair->side(AlignedText::Right))
        m_texts->say(tr("One moment"), tr("The workload is being read \u2026"));
    else
        m_texts->say(tr("Two schedules side by side"),
                     gone + tr("Select two trials and press Compare (Ctrl+D), drop them on the fields above, or choose "
                               "any two schedules there: trials, sketches, the naive one, on another target too."));
}

/// Of both sides, as far as they are there.
void CompareView::showTexts() {
    if (m_shown[0].forms && m_shown[1].forms) m_pass->offer(m_shown[0], m_shown[1]);
    const QString pass = m_pass->pass();
    QString waiting;
    std::array<std::optional<SideText>, 2> texts;
    for (const auto side : kSides) {
        QString sentence;
        texts[side] = m_shown[side].text(m_tab, pass, sentence);
        if (!sentence.isEmpty()) waiting += (waiting.isEmpty() ? QString() : QStringLiteral("\n")) + sentence;
    }
    if (!texts[0] || !texts[1]) {
        m_made.reset();
        const bool refused = !waiting.contains(QChar(0x2026));
        return m_texts->say(refused ? tr("Nothing to compare here") : tr("One moment"), waiting);
    }
    const Made made{m_tab,
                    m_filters->filter(m_tab),
                    m_tab == CompareTab::Loops ? pass : QString(),
                    {m_shown[0].source(m_tab), m_shown[1].source(m_tab)},
                    m_tab == CompareTab::Facts ? toldTimes(m_shown) : QString()};
    if (m_made == made) return;
    m_made = made;
    ComparedTexts::Asked asked;
    asked.title = tr("Comparing %1 with %2").arg(m_shown[0].name, m_shown[1].name);
    asked.languages = {languageOf(m_tab, m_shown[0].gpu), languageOf(m_tab, m_shown[1].gpu)};
    using Cancel = const std::atomic<bool> *;
    const DiffFilter filter = made.filter;
    const ComparedSide left = m_shown[0];
    const ComparedSide right = m_shown[1];
    if (m_tab == CompareTab::Steps) {
        asked.make = [dag = m_pair->state(AlignedText::Left)->task->dag, left, right, filter](Cancel cancel) {
            auto [a, b] = alignedStepTexts(dag, left, right);
            return AlignedText::make(std::move(a), std::move(b), filter, cancel);
        };
    } else if (m_tab == CompareTab::Facts) {
        asked.make = [left, right, across = m_pair->acrossTasks(), filter](Cancel cancel) {
            auto [a, b] = factTexts(left, right, across);
            return AlignedText::make(std::move(a), std::move(b), filter, cancel);
        };
    } else if (m_pair->acrossKinds()) {
        asked.make = [left, right, a = std::move(*texts[0]), b = std::move(*texts[1]), tab = m_tab, pass,
                      filter](Cancel cancel) mutable {
            a.keys = left.landmarks(tab, pass, a.text);
            b.keys = right.landmarks(tab, pass, b.text);
            return AlignedText::beside(std::move(a), std::move(b), filter, cancel);
        };
    } else {
        asked.make = [a = std::move(*texts[0]), b = std::move(*texts[1]), filter](Cancel cancel) {
            return AlignedText::make(a, b, filter, cancel);
        };
    }
    m_texts->ask(asked);
}

void CompareView::showVerdict() {
    const QString timed =
        m_pair->complete() ? m_timing->verdict() : QString(); // says more than times of another moment
    m_verdict->setText(timed.isEmpty() ? m_pair->verdict() : timed);
    const QString shown = m_verdict->text();
    m_verdict->setToolTip(
        shown.isEmpty()         ? QString()
        : !timed.isEmpty()      ? timed + tr("\nTimed in turn; in brackets where the true value is in 99 of 100 cases")
        : m_pair->acrossTasks() ? shown + tr("\nEach time is of the machine named behind it")
                                : shown + tr("\nFrom the times shown; in brackets what the 10th to 90th percentiles of "
                                             "the samples allow"));
}

/// Of the steps aligned; -1: that side has none.
void CompareView::showStep(int left, int right) {
    const auto side = right >= 0 ? AlignedText::Right : AlignedText::Left;
    const auto ref = m_pair->shownRef(side);
    if (!ref) return;
    setTab(CompareTab::Steps);
    Selected next = m_context.session.selection().now();
    next.schedule = *ref;
    next.step = m_shown[side].rowOf(right >= 0 ? right : left);
    next.node = -1;
    m_context.session.selection().set(std::move(next));
}

void CompareView::showCount() {
    const bool some = m_texts->shown() && !diff().text()->differences().empty();
    for (const char *id : {"compare.next", "compare.previous"})
        if (QAction *action = m_context.actions.find(QLatin1String(id))) action->setEnabled(some);
    m_count->setText(m_texts->countText(width() > fontMetrics().averageCharWidth() * 110));
    m_count->setToolTip(m_texts->countTip());
}

// --- The selection of the window -----------------------------------------------------------------------------------

void CompareView::followSelection() {
    const Selected &now = m_context.session.selection().now();
    if (!m_texts->shown()) return;
    for (const auto side : kSides)
        diff().setMarked(side, m_shown[side].linesOf(m_tab, showsLastPass(), now), !diff().hasFocus());
}

void CompareView::lineChosen(AlignedText::Side side, int number) {
    Selection &selection = m_context.session.selection();
    if (auto next = m_shown[side].selectionAt(m_tab, showsLastPass(), number, selection.now()))
        selection.set(std::move(*next));
}

// --- Find and export -----------------------------------------------------------------------------------------------

void CompareView::startFind() { m_texts->startFind(); }

QString CompareView::exportTo(const QString &path) { return m_texts->exportTo(path, m_shown[0].name, m_shown[1].name); }

void CompareView::zoomIn() { diff().zoomIn(); }
void CompareView::zoomOut() { diff().zoomOut(); }
void CompareView::zoomToFit() { diff().zoomToFit(); }

} // namespace loopscope
