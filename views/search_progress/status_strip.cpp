#include "views/search_progress/status_strip.h"

#include "views/actions/flow_layout.h"
#include "views/search_progress/phase_track.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopscope {

StatusStrip::StatusStrip(Theme &theme, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_headline(new QLabel), m_detail(new QLabel), m_progress(new QProgressBar),
      m_track(new PhaseTrack(theme)), m_facts(new QWidget), m_open(new QWidget), m_openness(new QLabel),
      m_again(new QPushButton(QStringLiteral("Measure again"))) {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto *words = new QHBoxLayout;
    words->setSpacing(12);
    QFont bold = font();
    bold.setBold(true);
    m_headline->setFont(bold);
    m_headline->setWordWrap(true);
    m_headline->setObjectName(QStringLiteral("searchHeadline"));
    words->addWidget(m_headline, 1);
    words->addWidget(m_detail, 0);
    column->addLayout(words);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(6);
    m_progress->setAccessibleName(QStringLiteral("Trials measured"));
    column->addWidget(m_progress);
    column->addWidget(m_track);
    new FlowLayout(m_facts, 20, 4);
    column->addWidget(m_facts);
    auto *open = new QHBoxLayout(m_open);
    open->setContentsMargins(0, 0, 0, 0);
    open->setSpacing(12);
    m_openness->setWordWrap(true);
    m_again->setObjectName(QStringLiteral("compareAgain"));
    open->addWidget(m_openness, 1);
    open->addWidget(m_again);
    column->addWidget(m_open);
    m_open->hide();
    connect(m_again, &QPushButton::clicked, this, &StatusStrip::againClicked);
    m_best =
        addFact(QStringLiteral("Best"),
                QStringLiteral(
                    "Time of one run of the best trial; once compared, in brackets where it lies in 95 of 100 cases"));
    m_speed = addFact(QStringLiteral("Speed"), QStringLiteral("Operations of the best trial per second"));
    m_speedUp = addFact(QStringLiteral("Speed-up"), QStringLiteral("Over the naive schedule, both timed in turn"));
    m_against = addFact(QStringLiteral("Change"), QStringLiteral("Of the time: the best trial against the baseline"));
    m_trials = addFact(QStringLiteral("Trials"), QStringLiteral("Candidates built, checked and timed"));
    m_failures = addFact(QStringLiteral("Failures"), QStringLiteral("Trials that gave no valid time, by kind"));
    m_round = addFact(QStringLiteral("Round"), QStringLiteral("The model learns after every round"));
    m_elapsed = addFact(QStringLiteral("Elapsed"), QStringLiteral("Search time of this run, pauses left out"));
    m_remaining = addFact(QStringLiteral("Left"), QStringLiteral("Estimated from the trials measured in this run"));
    m_budget = addFact(QStringLiteral("Budget left"), QStringLiteral("Of the time budget set for this run"));
    connect(&theme, &Theme::changed, this, &StatusStrip::applyTheme);
    applyTheme();
}

StatusStrip::Fact StatusStrip::addFact(const QString &name, const QString &tip) {
    auto *box = new QWidget;
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    auto *caption = new QLabel(name);
    auto *value = new QLabel;
    QFont strong = value->font();
    strong.setWeight(QFont::DemiBold);
    value->setFont(strong);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setAccessibleName(name);
    row->addWidget(caption);
    row->addWidget(value);
    box->setToolTip(tip);
    m_facts->layout()->addWidget(box);
    m_names.push_back(caption);
    return {box, value};
}

void StatusStrip::setFact(const Fact &fact, const QString &text) {
    if (fact.value->text() != text) fact.value->setText(text);
    fact.box->setVisible(!text.isEmpty());
}

void StatusStrip::show(const SearchFacts &facts, const SearchStatus &status) {
    if (m_headline->text() != facts.headline) m_headline->setText(facts.headline);
    m_detail->setText(facts.detail);
    m_detail->setVisible(!facts.detail.isEmpty());
    const auto station = stationOf(status);
    m_track->setVisible(station.has_value());
    m_track->setStation(station, status.state == SearchState::Paused);
    m_progress->setVisible(facts.share >= 0 && status.state != SearchState::Idle);
    m_progress->setRange(0, 1000);
    m_progress->setValue(static_cast<int>(std::max(0., facts.share) * 1000));
    m_openness->setText(facts.openness);
    m_open->setVisible(!facts.openness.isEmpty());
    setFact(m_best, facts.best);
    setFact(m_speed, facts.bestSpeed);
    setFact(m_speedUp, facts.speedUp);
    setFact(m_against, facts.against);
    setFact(m_trials, facts.trials);
    setFact(m_failures, facts.failures);
    setFact(m_round, facts.round);
    setFact(m_elapsed, facts.elapsed);
    setFact(m_remaining, facts.remaining);
    setFact(m_budget, facts.budget);
    if (m_failed == facts.problem && m_state == status.state) return;
    m_failed = facts.problem;
    m_state = status.state;
    applyTheme();
}

void StatusStrip::setWhyNotAgain(const QString &why) {
    m_again->setEnabled(why.isEmpty());
    m_again->setToolTip(why.isEmpty() ? QStringLiteral("Times what was compared once more, in turn") : why);
}

void StatusStrip::applyTheme() {
    const auto paint = [](QWidget *widget, const QColor &color) {
        QPalette palette = widget->palette();
        palette.setColor(QPalette::WindowText, color);
        widget->setPalette(palette);
    };
    for (QLabel *name : m_names) paint(name, m_theme.color(Role::QuietText));
    paint(m_detail, m_theme.color(Role::QuietText));
    paint(m_openness, m_theme.color(Role::Warning));
    const bool complete = m_state == SearchState::Finished && m_headline->text().startsWith(QLatin1String("Finished"));
    paint(m_headline, m_theme.color(m_failed                         ? Role::Bad
                                    : complete                       ? Role::Good
                                    : m_state == SearchState::Paused ? Role::Warning
                                                                     : Role::Text));
}

} // namespace loopscope
