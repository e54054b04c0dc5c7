#include "views/loops/schedule_bar.h"

#include "views/actions/actions.h"
#include "views/actions/flow_layout.h"
#include "views/loops/rule_words.h"
#include "views/session/text.h"

#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {
constexpr size_t kOffered = 12; // candidates and edited schedules in their menus
}

ScheduleBar::ScheduleBar(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_naive(new QToolButton(this)), m_sketch(new QToolButton(this)),
      m_candidate(new QToolButton(this)), m_edited(new QToolButton(this)), m_sketches(new QMenu(this)),
      m_candidates(new QMenu(this)), m_editedOnes(new QMenu(this)) {
    auto *row = new FlowLayout(this, 0, 2);
    for (QToolButton *button : {m_naive, m_sketch, m_candidate, m_edited}) {
        button->setCheckable(true);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    m_naive->setText(QStringLiteral("Naive"));
    m_sketch->setMenu(m_sketches);
    m_candidate->setMenu(m_candidates);
    m_edited->setMenu(m_editedOnes);
    for (QToolButton *button : {m_sketch, m_candidate, m_edited}) button->setPopupMode(QToolButton::MenuButtonPopup);
    connect(m_naive, &QToolButton::clicked, this, &ScheduleBar::chooseNaive);
    connect(m_sketch, &QToolButton::clicked, this, &ScheduleBar::chooseSketch);
    connect(m_candidate, &QToolButton::clicked, this, &ScheduleBar::chooseCandidate);
    connect(m_edited, &QToolButton::clicked, this, &ScheduleBar::chooseEdited);
    connect(m_editedOnes, &QMenu::aboutToShow, this, &ScheduleBar::fillEdited);
    connect(m_sketches, &QMenu::aboutToShow, this, &ScheduleBar::fillSketches);
    connect(m_candidates, &QMenu::aboutToShow, this, &ScheduleBar::fillCandidates);
    connect(&theme, &Theme::changed, this, &ScheduleBar::restyle);
    restyle();
    refresh();
}

void ScheduleBar::restyle() {
    const auto name = [&](Role role) { return m_theme.color(role).name(); };
    setStyleSheet(QStringLiteral("QToolButton { border: 1px solid %1; padding: 3px 8px; background: %2; color: %3; }"
                                 "QToolButton[popupMode=\"1\"] { padding-right: 22px; }"
                                 "QToolButton:hover { background: %4; }"
                                 "QToolButton:focus { border-color: %5; }"
                                 "QToolButton:checked { background: %5; color: %6; border-color: %5; }"
                                 "QToolButton:disabled { color: %7; }"
                                 "QToolButton::menu-button { border-left: 1px solid %1; width: 16px; }")
                      .arg(name(Role::Border), name(Role::Raised), name(Role::Text), name(Role::Hover),
                           name(Role::Accent), name(Role::AccentText), name(Role::QuietText)));
}

void ScheduleBar::setDocument(const Document *document) {
    const int task = document == nullptr ? -1 : document->taskId;
    if (task != m_task) {
        m_task = task;
        m_lastSketch = 0;
        m_lastTrial = -1;
        m_lastEdited = -1;
    }
    m_document = document;
    refresh();
}

void ScheduleBar::setSchedule(const ScheduleRef &schedule) {
    m_schedule = schedule;
    if (schedule.kind == ScheduleRef::Kind::Sketch) m_lastSketch = schedule.number;
    if (schedule.kind == ScheduleRef::Kind::Trial) m_lastTrial = schedule.number;
    if (schedule.kind == ScheduleRef::Kind::Edited) m_lastEdited = schedule.number;
    refresh();
}

void ScheduleBar::chooseNaive() {
    Q_EMIT chosen({ScheduleRef::Kind::Naive, 0});
    refresh();
}

void ScheduleBar::chooseSketch() {
    if (m_sketch->isEnabled()) Q_EMIT chosen({ScheduleRef::Kind::Sketch, m_lastSketch});
    refresh();
}

void ScheduleBar::chooseCandidate() {
    if (candidate() >= 0) Q_EMIT chosen({ScheduleRef::Kind::Trial, candidate()});
    refresh();
}

void ScheduleBar::chooseEdited() {
    if (edited() >= 0) Q_EMIT chosen({ScheduleRef::Kind::Edited, edited()});
    refresh();
}

int ScheduleBar::edited() const {
    if (m_document == nullptr) return -1;
    if (m_document->has({ScheduleRef::Kind::Edited, m_lastEdited})) return m_lastEdited;
    int newest = static_cast<int>(m_document->edited.size()) - 1;
    while (newest >= 0 && m_document->edited[static_cast<size_t>(newest)].dropped) --newest;
    return newest;
}

int ScheduleBar::candidate() const {
    if (m_document == nullptr) return -1;
    if (m_lastTrial >= 0 && static_cast<size_t>(m_lastTrial) < m_document->trials.size()) return m_lastTrial;
    if (m_document->best >= 0) return m_document->best;
    return m_document->trials.empty() ? -1 : 0;
}

void ScheduleBar::setShortcut(QToolButton *button, const QKeySequence &keys) {
    m_keys[button] = keys;
    refresh();
}

void ScheduleBar::setTip(QToolButton *button, const QString &tip) {
    const auto keys = m_keys.find(button);
    button->setToolTip(tipWithShortcut(tip, keys == m_keys.end() ? QKeySequence() : keys->second));
}

void ScheduleBar::refresh() {
    const size_t sketches = m_document == nullptr ? 0 : m_document->sketches.size();
    if (static_cast<size_t>(m_lastSketch) >= sketches) m_lastSketch = 0;
    m_naive->setEnabled(m_document != nullptr && m_document->task != nullptr);
    m_naive->setChecked(m_naive->isEnabled() && m_schedule.kind == ScheduleRef::Kind::Naive);
    setTip(m_naive, QStringLiteral("Every stage as one nest of serial loops"));
    m_sketch->setEnabled(sketches > 0);
    m_sketch->setChecked(sketches > 0 && m_schedule.kind == ScheduleRef::Kind::Sketch);
    m_sketch->setText(sketches > 0 ? QStringLiteral("Sketch %1").arg(m_lastSketch) : QStringLiteral("Sketch"));
    setTip(m_sketch, sketches > 0 ? QStringLiteral("A structure the search starts from; its tile lengths are open")
                                  : QStringLiteral("No sketches yet"));
    const int trial = candidate();
    m_candidate->setEnabled(trial >= 0);
    m_candidate->setChecked(trial >= 0 && m_schedule.kind == ScheduleRef::Kind::Trial);
    const bool best = trial >= 0 && trial == m_document->best;
    m_candidate->setText(
        trial < 0 ? QStringLiteral("Trial")
                  : QStringLiteral("Trial %1%2").arg(trial + 1).arg(best ? QStringLiteral(" (best)") : QString()));
    setTip(m_candidate, trial < 0 ? QStringLiteral("No trials yet: start a search or load a log")
                                  : QStringLiteral("A schedule that was tried"));
    const int made = edited();
    m_edited->setVisible(made >= 0); // who edits nothing needs no room for it
    m_edited->setChecked(made >= 0 && m_schedule.kind == ScheduleRef::Kind::Edited);
    m_edited->setText(QStringLiteral("Edited %1").arg(made + 1));
    setTip(m_edited, QStringLiteral("A schedule made by hand; Edits shows how they came about"));
}

/// The newest, and all that are pinned or have a name.
void ScheduleBar::fillEdited() {
    m_editedOnes->clear();
    if (m_document == nullptr) return;
    size_t others = 0;
    for (size_t n = m_document->edited.size(); n-- > 0;) {
        const EditNode &node = m_document->edited[n];
        if (node.dropped) continue;
        const bool kept = node.pinned || !node.name.isEmpty();
        if (!kept && others++ >= kOffered) continue;
        const int number = static_cast<int>(n);
        QString text = QStringLiteral("Edited %1  \u00b7  ").arg(number + 1);
        text += node.name.isEmpty() ? node.did : node.name;
        if (node.measured.seconds > 0) text += QStringLiteral("  \u00b7  ") + timeText(node.measured.seconds);
        if (node.pinned) text += QStringLiteral("  \u00b7  pinned");
        QAction *action = m_editedOnes->addAction(
            fontMetrics().elidedText(text, Qt::ElideRight, fontMetrics().averageCharWidth() * 90));
        connect(action, &QAction::triggered, this,
                [this, number] { Q_EMIT chosen({ScheduleRef::Kind::Edited, number}); });
    }
}

void ScheduleBar::fillSketches() {
    m_sketches->clear();
    if (m_document == nullptr) return;
    for (size_t k = 0; k < m_document->sketches.size(); ++k) {
        const std::vector<std::string> &rules = m_document->sketches[k].rules;
        const int number = static_cast<int>(k);
        QString text = QStringLiteral("Sketch %1").arg(number);
        if (!rules.empty()) text += QStringLiteral(":  ") + rulesInShort(rules);
        QAction *action = m_sketches->addAction(
            fontMetrics().elidedText(text, Qt::ElideRight, fontMetrics().averageCharWidth() * 90));
        action->setToolTip(rulesInFull(rules));
        connect(action, &QAction::triggered, this,
                [this, number] { Q_EMIT chosen({ScheduleRef::Kind::Sketch, number}); });
    }
}

void ScheduleBar::fillCandidates() {
    m_candidates->clear();
    if (m_document == nullptr) return;
    const std::vector<TrialEntry> &trials = m_document->trials;
    std::vector<int> order(trials.size());
    std::iota(order.begin(), order.end(), 0);
    const size_t shown = std::min(kOffered, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(), [&](int a, int b) {
            const auto key = [&](int t) { return std::pair(trials[static_cast<size_t>(t)].seconds(), t); };
            return key(a) < key(b);
        });
    order.resize(shown);
    for (size_t t = 0; t < trials.size(); ++t)
        if (trials[t].pinned && std::find(order.begin(), order.end(), static_cast<int>(t)) == order.end())
            order.push_back(static_cast<int>(t));
    for (const int t : order) {
        const TrialEntry &entry = trials[static_cast<size_t>(t)];
        QString text = QStringLiteral("Trial %1  \u00b7  ").arg(t + 1);
        text += entry.timeWords();
        if (t == m_document->best) text += QStringLiteral("  \u00b7  best");
        if (entry.pinned) text += QStringLiteral("  \u00b7  pinned");
        connect(m_candidates->addAction(text), &QAction::triggered, this,
                [this, t] { Q_EMIT chosen({ScheduleRef::Kind::Trial, t}); });
    }
}

} // namespace loopscope
