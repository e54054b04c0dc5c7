#include "views/search_progress/start_strip.h"

#include "views/actions/flow_layout.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr int kLongest = 48; // characters of a button

QString shortened(const QString &text) {
    return text.size() > kLongest ? text.left(kLongest - 1) + QChar(0x2026) : text;
}

/// Beside the arrow of its menu, which some styles draw over the text.
void setText(QToolButton &button, const QString &text) {
    const QFontMetrics metrics = button.fontMetrics();
    button.setText(shortened(text));
    button.setMinimumWidth(metrics.horizontalAdvance(button.text()) + 5 * metrics.averageCharWidth());
}

QToolButton *choice(FlowLayout &row, const QString &name, QMenu *menu, const char *object) {
    auto *group = new QWidget; // name and button stay together where the strip needs two lines
    auto *line = new QHBoxLayout(group);
    line->setContentsMargins(0, 0, 0, 0);
    auto *label = new QLabel(name, group);
    auto *button = new QToolButton(group);
    button->setObjectName(QLatin1String(object));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(menu);
    button->setFocusPolicy(Qt::StrongFocus);
    label->setBuddy(button);
    line->addWidget(label);
    line->addWidget(button);
    row.addWidget(group);
    return button;
}

} // namespace

StartStrip::StartStrip(QWidget *parent)
    : QWidget(parent), m_beginsMenu(new QMenu(this)), m_searchedMenu(new QMenu(this)) {
    setObjectName(QStringLiteral("startStrip"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto *row = new QWidget;
    auto *flow = new FlowLayout(row, 12, 6);
    m_begins = choice(*flow, tr("Begins with"), m_beginsMenu, "searchBegins");
    m_searched = choice(*flow, tr("Searches"), m_searchedMenu, "searchGroup");
    m_beginsMenu->setToolTipsVisible(true);
    m_searchedMenu->setToolTipsVisible(true);
    column->addWidget(row);
    connect(m_beginsMenu, &QMenu::aboutToShow, this, &StartStrip::fillBegins);
    connect(m_searchedMenu, &QMenu::aboutToShow, this, [this] {
        Q_EMIT groupsWanted();
        fillSearched();
    });
    show({});
}

void StartStrip::show(const Shown &shown) {
    m_shown = shown;
    const QString begins = shown.begins.isEmpty() ? tr("sampled schedules") : shown.begins;
    setText(*m_begins, begins);
    m_begins->setToolTip(shown.begins.isEmpty()
                             ? tr("The next search begins with schedules drawn from its sketches")
                             : tr("The next search measures %1 first and breeds from it").arg(shown.begins));
    m_begins->setAccessibleName(tr("The search begins with %1").arg(begins));
    const QString searched = !shown.group.isEmpty() ? tr("the group %1").arg(shown.group)
                             : shown.locked         ? tr("what is not locked")
                                                    : tr("all stages");
    setText(*m_searched, searched);
    m_searched->setToolTip(shown.group.isEmpty()
                               ? tr("Which stages the next search changes")
                               : tr("The next search changes the group that ends in %1; every other stage keeps the "
                                    "steps of the grouped schedule, as the locks say")
                                     .arg(shown.group));
    m_searched->setAccessibleName(tr("The search changes %1").arg(searched));
    if (m_beginsMenu->isVisible()) fillBegins();
}

void StartStrip::setGroups(const std::vector<NamedGroup> &groups, const QString &whyNone) {
    if (groups == m_groups && whyNone == m_whyNone) return;
    m_groups = groups;
    m_whyNone = whyNone;
    if (m_searchedMenu->isVisible()) fillSearched();
}

void StartStrip::fillBegins() {
    m_beginsMenu->clear();
    const auto add = [this](const QString &text, const QString &tip, bool chosen, auto signal) {
        QAction *action = m_beginsMenu->addAction(text, this, signal);
        action->setToolTip(tip);
        action->setCheckable(true);
        action->setChecked(chosen);
    };
    add(tr("Sampled schedules"), tr("Drawn from the sketches"), m_shown.begins.isEmpty(), &StartStrip::sampledChosen);
    add(tr("The grouped schedule"), tr("As Schedule > By grouping makes it"),
        m_shown.begins == tr("the grouped schedule"), &StartStrip::groupingChosen);
    if (!m_shown.schedule.isEmpty())
        add(tr("The schedule shown: %1").arg(m_shown.schedule), tr("Measured first, and bred from"),
            m_shown.begins == m_shown.schedule, &StartStrip::shownChosen);
}

void StartStrip::fillSearched() {
    m_searchedMenu->clear();
    QAction *all = m_searchedMenu->addAction(tr("All stages"), this, &StartStrip::allChosen);
    all->setCheckable(true);
    all->setChecked(m_shown.group.isEmpty());
    m_searchedMenu->addSeparator();
    for (const NamedGroup &group : m_groups) {
        QString text = shortened(group.text);
        QAction *action = m_searchedMenu->addAction(tr("Only %1").arg(text.replace(u'&', QLatin1String("&&"))), this,
                                                    [this, output = group.output] { Q_EMIT groupChosen(output); });
        action->setToolTip(group.text);
        action->setCheckable(true);
        action->setChecked(group.output == m_shown.group);
    }
    if (!m_groups.empty()) return;
    QAction *none = m_searchedMenu->addAction(m_whyNone.isEmpty() ? tr("Grouping the stages \u2026")
                                                                  : tr("No groups: %1").arg(m_whyNone));
    none->setEnabled(false);
}

} // namespace loopscope
