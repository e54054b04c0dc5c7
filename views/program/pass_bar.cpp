#include "views/program/pass_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>

namespace loopscope {

namespace {

/// A dot for a pass that changed the program, a ring for one that did not.
QIcon changeMark(const Theme &theme, bool changed, int size) {
    QPixmap pixmap(size * 2, size * 2);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(changed ? Role::Accent : Role::Border), 1.2));
    if (changed) painter.setBrush(theme.color(Role::Accent));
    const double radius = changed ? size / 4.0 : size / 5.0;
    painter.drawEllipse(QPointF(size / 2.0, size / 2.0), radius, radius);
    return pixmap;
}

} // namespace

PassBar::PassBar(Theme &theme, QWidget *parent) : QWidget(parent), m_theme(theme) {
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 8, 2);
    row->setSpacing(4);
    m_combo = new QComboBox(this);
    m_combo->setAccessibleName(tr("Pass of the lowering"));
    m_combo->setToolTip(tr("The program after each pass of the lowering; a dot marks the passes that changed it"));
    m_combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_combo->setMaxVisibleItems(20);
    row->addWidget(m_combo);
    const auto arrow = [&](Qt::ArrowType type, const QString &tip, int direction) {
        auto *button = new QToolButton(this);
        button->setArrowType(type);
        button->setAutoRaise(true);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        connect(button, &QToolButton::clicked, this, [this, direction] { step(direction); });
        row->addWidget(button);
        return button;
    };
    m_previous = arrow(Qt::LeftArrow, tr("Previous pass that changed the program (Alt+PgUp)"), -1);
    m_next = arrow(Qt::RightArrow, tr("Next pass that changed the program (Alt+PgDown)"), 1);
    m_changes = new QToolButton(this);
    m_changes->setText(tr("Changes"));
    m_changes->setCheckable(true);
    m_changes->setAutoRaise(true);
    m_changes->setToolTip(tr("Mark the lines that this pass changed"));
    row->addWidget(m_changes);
    m_counts = new QLabel(this);
    row->addWidget(m_counts);
    row->addStretch(1);
    connect(m_combo, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index < 0) return;
        m_wanted = index + 1 == m_combo->count() ? QString() : m_entries[static_cast<size_t>(index)].name;
        Q_EMIT passChanged();
    });
    connect(m_changes, &QToolButton::toggled, this, &PassBar::showsChangesChanged);
    connect(&m_theme, &Theme::changed, this, [this] {
        fill();
        if (m_said) sayChanges(m_said->first, m_said->second);
    });
}

void PassBar::setPasses(const std::vector<PassForm> &passes) {
    m_entries.clear();
    for (const PassForm &pass : passes) m_entries.push_back({pass.name, pass.changed});
    fill();
}

void PassBar::fill() {
    const QSignalBlocker quiet(m_combo);
    m_combo->clear();
    const int size = fontMetrics().height();
    int chosen = static_cast<int>(m_entries.size()) - 1;
    for (size_t i = 0; i < m_entries.size(); ++i) {
        const Entry &entry = m_entries[i];
        m_combo->addItem(changeMark(m_theme, entry.changed, size), QStringLiteral("%1. %2").arg(i + 1).arg(entry.name));
        m_combo->setItemData(static_cast<int>(i),
                             entry.changed ? tr("changed the program") : tr("changed nothing here"), Qt::ToolTipRole);
        if (!entry.changed)
            m_combo->setItemData(static_cast<int>(i), m_theme.color(Role::QuietText), Qt::ForegroundRole);
        if (entry.name == m_wanted) chosen = static_cast<int>(i);
    }
    m_combo->setCurrentIndex(chosen);
    for (QWidget *each : {static_cast<QWidget *>(m_combo), static_cast<QWidget *>(m_previous),
                          static_cast<QWidget *>(m_next), static_cast<QWidget *>(m_changes)})
        each->setEnabled(!m_entries.empty());
}

int PassBar::pass() const { return m_combo->currentIndex(); }
void PassBar::setPass(int pass) { m_combo->setCurrentIndex(pass); }

void PassBar::step(int direction) {
    for (int at = pass() + direction; at >= 0 && at < static_cast<int>(m_entries.size()); at += direction)
        if (m_entries[static_cast<size_t>(at)].changed) return m_combo->setCurrentIndex(at);
}

bool PassBar::showsChanges() const { return m_changes->isChecked(); }
void PassBar::setShowsChanges(bool shown) { m_changes->setChecked(shown); }

void PassBar::sayChanges(int added, int removed) {
    m_said = {added, removed};
    const auto colored = [this](Role role, const QString &text) {
        return QStringLiteral("<span style='color:%1'>%2</span>").arg(m_theme.color(role).name(), text);
    };
    if (added == 0 && removed == 0)
        m_counts->setText(colored(Role::QuietText, tr("changed nothing here")));
    else
        m_counts->setText(colored(Role::Good, QStringLiteral("+%1").arg(added)) + QStringLiteral(" ") +
                          colored(Role::Bad, QStringLiteral("%1%2").arg(QChar(0x2212)).arg(removed)));
    m_counts->setToolTip(tr("Lines new and gone against the pass before"));
}

void PassBar::sayNothing() {
    m_said.reset();
    m_counts->clear();
}

} // namespace loopscope
