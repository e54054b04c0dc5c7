#include "views/sketch_tree/tree_find_bar.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>

#include <algorithm>
#include <map>

namespace loopscope {

TreeFindBar::TreeFindBar(const ViewContext &context, const TreeContent &content, TreePane &pane, QWidget *parent)
    : QWidget(parent), m_content(content), m_pane(pane), m_text(new QLineEdit(this)), m_count(new QLabel(this)) {
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    m_text->setPlaceholderText(tr("Rule, stage, reason or sketch"));
    m_text->setClearButtonEnabled(true);
    m_text->setAccessibleName(tr("Find in the sketch tree"));
    auto *close = new QToolButton(this);
    close->setIcon(context.theme.icon(QStringLiteral("close")));
    close->setText(tr("Close"));
    close->setToolTip(tipWithShortcut(tr("Close the find line"), QKeySequence(Qt::Key_Escape)));
    close->setAutoRaise(true);
    row->addWidget(m_text, 1);
    row->addWidget(m_count);
    row->addWidget(close);
    hide();
    connect(m_text, &QLineEdit::textChanged, this, &TreeFindBar::find);
    connect(m_text, &QLineEdit::returnPressed, this,
            [this] { showFound(QApplication::keyboardModifiers().testFlag(Qt::ShiftModifier) ? -1 : 1); });
    connect(close, &QToolButton::clicked, this, &TreeFindBar::close);
    auto *escape = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    escape->setContext(Qt::WidgetWithChildrenShortcut);
    connect(escape, &QShortcut::activated, this, &TreeFindBar::close);
    connect(&content, &TreeContent::replacing, this, &TreeFindBar::close);
}

void TreeFindBar::start() {
    show();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
    find(m_text->text());
}

void TreeFindBar::close() {
    const bool had = m_text->hasFocus();
    hide();
    m_now = -1;
    if (had) m_pane.graph()->setFocus();
    m_pane.setFound({});
}

bool TreeFindBar::step(int direction) {
    if (!isVisible() || m_pane.foundCount() == 0) return false;
    showFound(direction);
    return true;
}

void TreeFindBar::find(const QString &text) {
    std::vector<FoundNode> found;
    m_now = -1;
    const QString wanted = text.trimmed();
    // Few texts are different ones, and each is searched once.
    const QStringList words = wanted.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::map<const QChar *, unsigned> known; // text -> bit set of the words in it
    const auto bits = [&](const QString &where) {
        const auto [place, isNew] = known.try_emplace(where.constData(), 0U);
        for (qsizetype i = 0; isNew && i < std::min<qsizetype>(words.size(), 32); ++i)
            if (where.contains(words[i], Qt::CaseInsensitive)) place->second |= 1U << i;
        return place->second;
    };
    const unsigned all = words.size() >= 32 ? ~0U : (1U << words.size()) - 1;
    const auto has = [&](const RuleTried &tried) {
        return (bits(tried.rule) | bits(tried.stage) | bits(tried.reason)) == all;
    };
    if (!wanted.isEmpty())
        for (const auto &node : m_content.tree().nodes) {
            const bool card =
                node.sketch >= 0 && QStringLiteral("sketch %1").arg(node.sketch).contains(wanted, Qt::CaseInsensitive);
            const bool skip =
                node.skipped() && QStringLiteral("skip %1").arg(node.by.stage).contains(wanted, Qt::CaseInsensitive);
            if (card || skip || (node.parent >= 0 && has(node.by)))
                found.push_back({node.number, false});
            else if (m_content.choice().refused && std::any_of(node.refused.begin(), node.refused.end(), has))
                found.push_back({node.number, true});
        }
    m_count->setText(wanted.isEmpty() ? QString()
                     : found.empty()  ? tr("nothing found")
                                      : tr("%1 found").arg(found.size()));
    m_pane.setFound(std::move(found));
    showFound(1);
}

void TreeFindBar::showFound(int direction) {
    const int count = m_pane.foundCount();
    if (count == 0) return;
    m_now = m_now < 0 ? (direction > 0 ? 0 : count - 1) : (m_now + direction + count) % count;
    m_count->setText(tr("%1 of %2").arg(m_now + 1).arg(count));
    m_pane.showFound(m_now);
}

} // namespace loopscope
