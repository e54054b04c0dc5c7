#include "views/dag_graph/dag_find.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QToolButton>

#include <algorithm>

namespace loopscope {

namespace {

QString haystack(const StageFact &stage) {
    QStringList words{stage.name, stage.shape, stage.dtype, stage.expression};
    for (const AxisFact &axis : stage.axes) words << QStringLiteral("%1 %2").arg(axis.name).arg(axis.extent);
    for (const Badge badge : stage.badges) words << badgeText(badge);
    words << stage.attributes;
    if (stage.kind == StageKind::Placeholder) words << QStringLiteral("placeholder input");
    return words.join(u'\n');
}

} // namespace

std::vector<int> findStages(const DagFacts &facts, const QString &words) {
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    std::vector<int> byName, others;
    if (wanted.isEmpty()) return byName;
    for (size_t i = 0; i < facts.stages.size(); ++i) {
        const StageFact &stage = facts.stages[i];
        const auto allIn = [&wanted](const QString &text) {
            return std::all_of(wanted.begin(), wanted.end(),
                               [&text](const QString &word) { return text.contains(word, Qt::CaseInsensitive); });
        };
        if (allIn(stage.name))
            byName.push_back(static_cast<int>(i));
        else if (allIn(haystack(stage)))
            others.push_back(static_cast<int>(i));
    }
    byName.insert(byName.end(), others.begin(), others.end());
    return byName;
}

DagFindBar::DagFindBar(const Theme &theme, QWidget *parent)
    : QWidget(parent), m_line(new QLineEdit(this)), m_count(new QLabel(this)) {
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    m_line->setPlaceholderText(tr("Find a stage by name, axis, attribute or expression"));
    m_line->setAccessibleName(tr("Find in the ComputeDAG"));
    m_line->setClearButtonEnabled(true);
    m_line->installEventFilter(this);
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(QStringLiteral("0000 of 0000")));
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addWidget(m_line, 1);
    layout->addWidget(m_count);
    const auto button = [&](const QString &text, const QString &icon, const QString &tip, auto &&run) {
        auto *tool = new QToolButton(this);
        tool->setAutoRaise(true);
        tool->setText(text);
        tool->setIcon(theme.icon(icon));
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        layout->addWidget(tool);
        connect(tool, &QToolButton::clicked, this, run);
    };
    button(QStringLiteral("<"), QStringLiteral("back"), tr("Previous match (Shift+Enter)"),
           [this] { Q_EMIT stepRequested(-1); });
    button(QStringLiteral(">"), QStringLiteral("forward"), tr("Next match (Enter)"),
           [this] { Q_EMIT stepRequested(1); });
    button(QStringLiteral("x"), QStringLiteral("close"), tr("Close (Esc)"), [this] { finish(); });
    connect(m_line, &QLineEdit::textChanged, this, &DagFindBar::wordsChanged);
    hide();
}

void DagFindBar::open() {
    const bool was = isVisible();
    show();
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
    if (!was) Q_EMIT wordsChanged(m_line->text());
}

void DagFindBar::setFound(int current, int count) {
    if (m_line->text().trimmed().isEmpty())
        m_count->clear();
    else if (count == 0)
        m_count->setText(tr("nothing found"));
    else if (current < 0)
        m_count->setText(tr("%1 found").arg(count));
    else
        m_count->setText(tr("%1 of %2").arg(current + 1).arg(count));
}

void DagFindBar::finish() {
    hide();
    Q_EMIT closed();
}

void DagFindBar::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Escape)
        finish();
    else
        QWidget::keyPressEvent(event);
}

bool DagFindBar::eventFilter(QObject *object, QEvent *event) {
    if (object == m_line && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool back = (key->modifiers() & Qt::ShiftModifier) != 0;
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            Q_EMIT stepRequested(back ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
            Q_EMIT stepRequested(key->key() == Qt::Key_Up ? -1 : 1);
            return true;
        }
    }
    return QWidget::eventFilter(object, event);
}

} // namespace loopscope
