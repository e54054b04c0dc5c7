#include "views/compare/compare_view.h"

#include "views/actions/elided_label.h"
#include "views/actions/flow_layout.h"
#include "views/compare/compare_facts.h"
#include "views/compare/compare_filters.h"
#include "views/compare/compare_tabs.h"
#include "views/compare/diff_text.h"
#include "views/compare/notice_page.h"
#include "views/compare/pair_panel.h"
#include "views/compare/side_card.h"
#include "views/compare/side_texts.h"
#include "views/session/text.h"
#include "views/text/find_line.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSaveFile>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

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
    connect(&session.explanations(), &Explanations::explained, this, mine, Qt::QueuedConnection);
    connect(&session.trials(), &TaskTrials::trialsChanged, this, [mine](const std::vector<int> &trials) {
        for (const int t : trials) mine({ScheduleRef::Kind::Trial, t}); // pinned, measured again
    });
    connect(&session.trials(), &TaskTrials::baselineChanged, this, &CompareView::refresh);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        const bool other = !(now.schedule == before.schedule) && m_sides[AlignedText::Left] != now.schedule;
        if (m_filters->follows() && other && m_sides[AlignedText::Left]) choose(AlignedText::Right, now.schedule);
        followSelection();
    });
    connect(&session.edits(), &EditedSchedules::nodesChanged, this, [this] { // named, measured, dropped
        for (const auto &side : m_sides)
            if (side && side->kind == ScheduleRef::Kind::Edited) return refresh();
    });
    connect(&session.selection(), &Selection::comparisonAsked, this, &CompareView::compare);
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
    m_verdict = new ElidedLabel(this);
    m_verdict->setAlignment(Qt::AlignCenter);
    QFont bold = font();
    bold.setBold(true);
    m_verdict->setFont(bold);

    m_pair = new PairPanel(m_context, this);
    connect(m_pair, &PairPanel::verdictChanged, this, &CompareView::showVerdict);
    connect(m_pair, &PairPanel::stepChosen, this, &CompareView::showStep);
    connect(m_pair, &PairPanel::detailsChanged, this, &CompareView::giveRoom);
    m_tabs = new CompareTabs(this);
    connect(m_tabs, &QTabBar::currentChanged, this, [this] {
        m_tab = m_tabs->tab();
        refresh();
    });
    m_pass = new QComboBox(this);
    m_pass->setToolTip(tr("After which pass of the lowering, on both sides"));
    m_pass->setAccessibleName(tr("Pass"));
    m_pass->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_pass->setMinimumContentsLength(5); // its list has the whole names
    m_pass->setMaximumWidth(fontMetrics().averageCharWidth() * 26);
    connect(m_pass, &QComboBox::activated, this, [this] {
        m_wantedPass = m_pass->currentText();
        refresh();
    });
    m_count = new QLabel(this);
    m_filters = new CompareFilters(m_context, this);
    connect(m_filters, &CompareFilters::filterChanged, this, &CompareView::refresh);
    connect(m_filters, &CompareFilters::onlyDifferencesChanged, this, &CompareView::showDiff);

    m_diff = new DiffText(theme, this);
    connect(m_diff, &DiffText::currentChanged, this, &CompareView::showCount);
    connect(m_diff, &DiffText::lineChosen, this, &CompareView::lineChosen);
    connect(m_diff, &DiffText::unfoldAsked, m_filters, &CompareFilters::showAll);
    m_notice = new NoticePage(theme, this);
    m_stack = new QStackedWidget(this);
    m_stack->addWidget(m_diff);
    m_stack->addWidget(m_notice);
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
    auto *lower = new QWidget(this);
    auto *bar = new QWidget(lower);
    bar->setObjectName(QStringLiteral("bar"));
    auto *flow = new FlowLayout(bar, 6, 2); // all is there to click in a narrow dock
    flow->setContentsMargins(8, 0, 8, 2);
    flow->addWidget(m_tabs);
    flow->addWidget(m_pass);
    auto *texts = new QVBoxLayout(lower);
    texts->setContentsMargins(0, 0, 0, 0);
    texts->setSpacing(0);
    texts->addWidget(bar);
    texts->addWidget(m_stack, 1);
    texts->addWidget(m_find);
    m_said = new QBoxLayout(QBoxLayout::LeftToRight);
    m_said->setContentsMargins(8, 2, 8, 2);
    m_said->setSpacing(8);
    m_said->addWidget(m_pair);
    auto *said = new QHBoxLayout;
    said->setSpacing(8);
    said->addWidget(m_verdict, 1);
    said->addWidget(m_count);
    m_said->addLayout(said, 1);
    m_halves = new QSplitter(Qt::Vertical, this);
    m_halves->addWidget(&m_pair->details());
    m_halves->addWidget(lower);
    m_halves->setStretchFactor(0, 0);
    m_halves->setStretchFactor(1, 1);
    m_halves->setCollapsible(1, false);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(cards);
    all->addLayout(m_said);
    all->addWidget(m_halves, 1);
    setFocusProxy(m_diff);
    const auto dress = [this] {
        QPalette quiet = palette();
        quiet.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
        m_count->setPalette(quiet);
    };
    connect(&theme, &Theme::changed, this, dress);
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
    const auto button = [this](QAction *action) {
        auto *tool = new QToolButton(this);
        tool->setDefaultAction(action);
        tool->setAutoRaise(true);
        return tool;
    };
    findChild<QHBoxLayout *>(QStringLiteral("cards"))->insertWidget(1, button(swap));
    auto *together = new QWidget(this);
    auto *row = new QHBoxLayout(together);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(button(previous));
    row->addWidget(button(next));
    row->addWidget(m_filters->button());
    findChild<QWidget *>(QStringLiteral("bar"))->layout()->addWidget(together);
}

/// In a low dock the texts keep their room, and what is known of the sides becomes a tooltip.
void CompareView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const bool low = height() < fontMetrics().height() * 26;
    if (low != std::exchange(m_low, low)) {
        for (SideCard *card : m_cards) card->setLow(low);
        m_pair->setLow(low);
        giveRoom();
    }
    const bool narrow = width() < fontMetrics().averageCharWidth() * 90;
    m_said->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

/// What is known of the pair gets what it asks for, but no more than two fifths.
void CompareView::giveRoom() {
    const QWidget &details = m_pair->details();
    const int most = m_low ? details.maximumHeight() : height() * 2 / 5;
    const int room = std::min(details.sizeHint().height(), most);
    m_halves->setSizes({room, std::max(1, height() - room)});
}

void CompareView::compare(const ScheduleRef &left, const ScheduleRef &right) {
    m_sides[AlignedText::Left] = left;
    m_sides[AlignedText::Right] = right;
    refresh();
}

void CompareView::choose(AlignedText::Side side, const ScheduleRef &ref) {
    m_sides[side] = ref;
    refresh();
}

void CompareView::setTab(CompareTab tab) { m_tabs->setTab(tab); }

void CompareView::documentShown() {
    const Document *document = m_context.session.document();
    for (auto &side : m_sides)
        if (side && (document == nullptr || !scheduleExists(*document, *side))) side.reset();
    m_made.reset();
    refresh();
}

bool CompareView::showsPrograms() const { return m_shown[0].hasProgram() && m_shown[1].hasProgram(); }

bool CompareView::showsLastPass() const {
    return m_tab != CompareTab::Loops || (showsPrograms() && m_pass->currentIndex() == m_pass->count() - 1);
}

void CompareView::refresh() {
    const Document *document = m_context.session.document();
    for (const auto side : {AlignedText::Left, AlignedText::Right}) m_cards[side]->setSchedule(m_sides[side]);
    const bool both = m_sides[0] && m_sides[1] && document != nullptr && document->task;
    m_pair->setPair(both ? m_sides[0] : std::nullopt, both ? m_sides[1] : std::nullopt);
    showVerdict();
    if (document != nullptr && document->task) m_tabs->nameFor(document->task->target.isGpu());
    m_pass->setVisible(m_tab == CompareTab::Loops && both);
    m_filters->offerFor(m_tab);
    if (!both) {
        m_made.reset();
        if (m_job != 0) m_context.session.jobs().cancel(std::exchange(m_job, 0));
        for (ComparedSide &side : m_shown) side = {};
        if (document == nullptr)
            say(tr("Nothing is open"), tr("Open a workload or a tuning log to compare its schedules."));
        else
            say(tr("Two schedules side by side"),
                tr("Select two trials in the table and press Compare (Ctrl+D), drop them on the fields above, or "
                   "choose any two schedules there: trials, sketches, the naive one."));
        return;
    }
    for (const auto side : {AlignedText::Left, AlignedText::Right}) m_shown[side] = shownSide(*m_sides[side]);
    if (m_shown[0].forms && m_shown[1].forms) offerPasses();
    const QString pass = showsPrograms() ? m_pass->currentText() : kStatePass;
    QString waiting;
    std::optional<SideText> texts[2];
    for (const auto side : {AlignedText::Left, AlignedText::Right}) {
        QString sentence;
        texts[side] = m_shown[side].text(m_tab, pass, sentence);
        if (!sentence.isEmpty()) waiting += (waiting.isEmpty() ? QString() : QStringLiteral("\n")) + sentence;
    }
    if (!texts[0] || !texts[1]) {
        m_made.reset();
        const bool refused = !waiting.contains(QChar(0x2026));
        say(refused ? tr("Nothing to compare here") : tr("One moment"), waiting);
        return;
    }
    const Made made{m_tab,
                    m_filters->filter(m_tab),
                    m_tab == CompareTab::Loops ? pass : QString(),
                    {m_shown[0].source(m_tab), m_shown[1].source(m_tab)}};
    if (m_made == made) return;
    m_made = made;
    if (m_tab == CompareTab::Steps)
        startDiff([dag = document->task->dag, left = m_shown[0], right = m_shown[1]] {
            return alignedStepTexts(dag, left, right);
        });
    else if (m_tab == CompareTab::Facts)
        startDiff([left = m_shown[0], right = m_shown[1]] { return factTexts(left, right); });
    else
        startDiff([both = SideTexts(std::move(*texts[0]), std::move(*texts[1]))] { return both; });
}

/// What there is of it for the tab; the rest is asked for, and refresh() called when it is there.
ComparedSide CompareView::shownSide(const ScheduleRef &ref) {
    RepresentationCache &cache = m_context.session.representations();
    ComparedSide side{ref, cache.of(ref), nullptr, nullptr, {}, nullptr, {}};
    if (takesCode(m_tab)) {
        side.disassembly = cache.disassembly(ref, &side.disassemblyProblem);
        side.gpuCode = cache.gpuCode(ref);
    }
    if (m_tab == CompareTab::Facts) side.explained = m_context.session.explanations().of(ref);
    const EditNode *edited =
        ref.kind == ScheduleRef::Kind::Edited ? m_context.session.edits().node(ref.number) : nullptr;
    for (size_t step = 0; edited != nullptr && step < edited->steps.size(); ++step)
        if (!edited->steps.refused(step)) side.rows.push_back(static_cast<int>(step));
    return side;
}

void CompareView::showVerdict() {
    const Document *document = m_context.session.document();
    const bool both = m_sides[0] && m_sides[1] && document != nullptr && document->task;
    const QString timed = both ? m_pair->verdict() : QString(); // says more than times of another moment
    m_verdict->setText(!timed.isEmpty() ? timed : both ? speedVerdict(*document, *m_sides[0], *m_sides[1]) : QString());
    m_verdict->setToolTip(m_verdict->text().isEmpty() ? QString()
                          : timed.isEmpty()
                              ? m_verdict->text() + tr("\nFrom the times shown; in brackets what the 10th to 90th "
                                                       "percentiles of the samples allow")
                              : timed + tr("\nTimed in turn; in brackets where the true value is in 99 of 100 cases"));
}

/// Of the steps aligned; -1: that side has none.
void CompareView::showStep(int left, int right) {
    const auto side = right >= 0 ? AlignedText::Right : AlignedText::Left;
    if (!m_sides[side]) return;
    setTab(CompareTab::Steps);
    Selected next = m_context.session.selection().now();
    next.schedule = *m_sides[side];
    next.step = m_shown[side].rowOf(right >= 0 ? right : left);
    next.node = -1;
    m_context.session.selection().set(std::move(next));
}

void CompareView::offerPasses() {
    // A sketch has no program, but loops all the same: both sides then show the state.
    const bool programs = showsPrograms();
    QStringList passes{kStatePass};
    if (programs)
        for (const PassForm &pass :
             m_shown[m_shown[0].forms->passes.size() >= m_shown[1].forms->passes.size() ? 0 : 1].forms->passes)
            passes << pass.name;
    const QSignalBlocker quiet(m_pass);
    QStringList shown;
    for (int i = 0; i < m_pass->count(); ++i) shown << m_pass->itemText(i);
    if (passes != shown) {
        m_pass->clear();
        m_pass->addItems(passes);
    }
    const bool wanted = passes.contains(m_wantedPass);
    m_pass->setCurrentIndex(static_cast<int>(wanted ? passes.indexOf(m_wantedPass) : passes.size() - 1));
    m_pass->setEnabled(programs);
}

void CompareView::startDiff(std::function<SideTexts()> make) {
    if (m_job != 0) m_context.session.jobs().cancel(m_job);
    const QString title = tr("Comparing %1 with %2").arg(scheduleName(*m_sides[0]), scheduleName(*m_sides[1]));
    if (!m_aligned || m_stack->currentWidget() != m_diff) say(tr("One moment"), title + QStringLiteral(" \u2026"));
    const DiffFilter filter = m_filters->filter(m_tab);
    m_job = m_context.session.jobs().start(
        title, this,
        [make = std::move(make), filter](JobControl &control) {
            auto [left, right] = make();
            return AlignedText::make(std::move(left), std::move(right), filter, &control.cancelFlag());
        },
        [this](std::shared_ptr<const AlignedText> aligned) {
            m_job = 0;
            if (!aligned) return;
            m_aligned = std::move(aligned);
            showDiff();
        });
}

void CompareView::showDiff() {
    if (!m_aligned) return;
    constexpr int kContext = 3;
    m_diff->setText(m_filters->onlyDifferences() ? m_aligned->folded(kContext) : m_aligned,
                    languageOf(m_tab, m_tabs->forGpu()));
    m_stack->setCurrentWidget(m_diff);
    if (m_find->isVisible()) find();
    followSelection();
    showCount();
}

void CompareView::say(const QString &title, const QString &sentence) {
    m_notice->say(title, sentence);
    m_stack->setCurrentWidget(m_notice);
    showCount();
}

QString CompareView::notice() const { return m_stack->currentWidget() == m_diff ? QString() : m_notice->sentence(); }

void CompareView::showCount() {
    const bool some = m_stack->currentWidget() == m_diff && m_diff->text() && !m_diff->text()->differences().empty();
    for (const char *id : {"compare.next", "compare.previous"})
        if (QAction *action = m_context.actions.find(QLatin1String(id))) action->setEnabled(some);
    if (m_stack->currentWidget() != m_diff || !m_diff->text()) {
        m_count->clear();
        return;
    }
    const auto total = m_diff->text()->differences().size();
    if (total == 0) {
        const bool same = m_aligned->text(AlignedText::Left) == m_aligned->text(AlignedText::Right);
        m_count->setText(same ? tr("identical") : tr("no difference with these filters"));
        return;
    }
    const QString lines = tr("~%1  +%2  \u2212%3")
                              .arg(m_aligned->count(DiffKind::Changed))
                              .arg(m_aligned->count(DiffKind::Added))
                              .arg(m_aligned->count(DiffKind::Removed));
    const int current = m_diff->currentDifference();
    m_count->setText((current < 0 ? (total == 1 ? tr("1 difference") : tr("%1 differences").arg(total))
                                  : tr("%1 of %2").arg(current + 1).arg(total)) +
                     (width() > fontMetrics().averageCharWidth() * 110 ? QStringLiteral("   ") + lines : QString()));
    m_count->setToolTip(tr("%1: lines changed, only on the right, only on the left").arg(lines));
}

// --- The selection of the window -----------------------------------------------------------------------------------

void CompareView::followSelection() {
    const Selected &now = m_context.session.selection().now();
    if (m_stack->currentWidget() != m_diff || !m_diff->text()) return;
    for (const auto side : {AlignedText::Left, AlignedText::Right})
        m_diff->setMarked(side, m_shown[side].linesOf(m_tab, showsLastPass(), now), !m_diff->hasFocus());
}

void CompareView::lineChosen(AlignedText::Side side, int number) {
    if (!m_sides[side]) return;
    Selection &selection = m_context.session.selection();
    if (auto next = m_shown[side].selectionAt(m_tab, showsLastPass(), number, selection.now()))
        selection.set(std::move(*next));
}

// --- Find and export -----------------------------------------------------------------------------------------------

void CompareView::startFind() {
    m_find->begin({});
    find();
}

void CompareView::find() {
    std::vector<FindMatch> matches[2];
    QString problem;
    const AlignedText *text = m_diff->text().get();
    if (text != nullptr && m_stack->currentWidget() == m_diff)
        for (const auto side : {AlignedText::Left, AlignedText::Right}) {
            MatchFinder finder(m_find->query());
            problem = finder.problem();
            if (finder.empty()) continue;
            while (!finder.advance(text->text(side), int64_t(1) << 24)) {
            }
            matches[side] = finder.matches();
        }
    m_diff->setMatches(matches[0], matches[1]);
    if (!problem.isEmpty())
        m_find->setResult(problem, true);
    else
        m_find->setResult(m_find->query().text.isEmpty() ? QString() : m_diff->matchText(), false);
}

QString CompareView::exportTo(const QString &path) {
    if (m_stack->currentWidget() != m_diff || !m_aligned) return tr("There is nothing to export yet");
    const QByteArray out =
        QStringLiteral("--- %1\n+++ %2\n").arg(scheduleName(*m_sides[0]), scheduleName(*m_sides[1])).toUtf8() +
        QByteArray::fromStdString(m_aligned->unified());
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(out) == out.size() && file.commit()) return {};
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

void CompareView::zoomIn() { m_diff->zoomIn(); }
void CompareView::zoomOut() { m_diff->zoomOut(); }
void CompareView::zoomToFit() { m_diff->zoomToFit(); }

} // namespace loopscope
