#include "views/compare/compare_filters.h"

#include <QAction>
#include <QMenu>
#include <QToolButton>

namespace loopscope {

CompareFilters::CompareFilters(const ViewContext &context, QWidget *view) : QObject(view), m_context(context) {
    m_button = new QToolButton(view);
    m_button->setText(tr("Filters"));
    m_button->setToolTip(tr("What counts as a difference, on both sides alike"));
    m_button->setPopupMode(QToolButton::InstantPopup);
    m_button->setAutoRaise(true);
    m_only = add("compare.onlyDifferences", "compare/only", tr("Only differences"),
                 tr("Fold long stretches that are equal on both sides"), "collapse");
    m_follow = add("compare.follow", "compare/follow", tr("Right side follows the selection"),
                   tr("What is selected anywhere is compared with the left side"), "pin");
    m_blanks = add("compare.ignoreBlanks", "compare/blanks", tr("Ignore blanks"),
                   tr("Lines that differ in blanks only are equal"), "");
    m_registers =
        add("compare.ignoreRegisters", "compare/registers", tr("Ignore register names"),
            tr("Lines of assembly and LLVM IR that differ in register names only are equal; widths still count"), "");
    m_directives = add("compare.hideDirectives", "compare/directives", tr("Hide directives"),
                       tr("Assembly and LLVM IR: leave out directives, comments and empty lines"), "");
    connect(m_only, &QAction::toggled, this, &CompareFilters::onlyDifferencesChanged);
    for (QAction *action : {m_blanks, m_registers, m_directives})
        connect(action, &QAction::toggled, this, &CompareFilters::filterChanged);
    auto *menu = new QMenu(m_button);
    menu->setToolTipsVisible(true);
    menu->addActions({m_only, m_blanks, m_registers, m_directives});
    menu->addSeparator();
    menu->addAction(m_follow);
    m_button->setMenu(menu);
    const auto dress = [this] { m_button->setIcon(m_context.theme.icon(QStringLiteral("filter"))); };
    connect(&m_context.theme, &Theme::changed, this, dress);
    dress();
}

QAction *CompareFilters::add(const char *id, const char *key, const QString &text, const QString &tip,
                             const char *icon) {
    const QString name = QLatin1String(key);
    const ActionInfo info{QLatin1String(id), tr("Compare"), text, {}, tip, QLatin1String(icon), true};
    QAction *action = m_context.actions.add(info, parent(), [] {});
    action->setIcon(m_context.theme.icon(info.icon));
    action->setChecked(m_context.settings.value(name, false).toBool());
    connect(action, &QAction::toggled, this, [this, name](bool on) { m_context.settings.setValue(name, on); });
    return action;
}

DiffFilter CompareFilters::filter(CompareTab tab) const {
    DiffFilter filter;
    filter.ignoreBlanks = m_blanks->isChecked();
    const bool code = takesCode(tab) && tab != CompareTab::Facts;
    filter.ignoreRegisters = code && m_registers->isChecked();
    filter.hideDirectives = code && m_directives->isChecked();
    return filter;
}

bool CompareFilters::onlyDifferences() const { return m_only->isChecked(); }
void CompareFilters::showAll() { m_only->setChecked(false); }
bool CompareFilters::follows() const { return m_follow->isChecked(); }

void CompareFilters::offerFor(CompareTab tab) {
    const bool code = takesCode(tab) && tab != CompareTab::Facts;
    m_registers->setEnabled(code);
    m_directives->setEnabled(code);
}

} // namespace loopscope
