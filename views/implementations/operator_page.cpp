#include "views/implementations/operator_page.h"

#include "networks/strategy/usual_strategies.h"
#include "views/implementations/operator_text.h"
#include "views/session/text.h"

#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope {

namespace {

/// Every word somewhere in the name, in what it does, or in an attribute's name.
bool fits(const Operator &of, const QStringList &words) {
    QString all = qt(of.name) + u' ' + qt(of.doc);
    for (const AttributeSpec &attribute : of.attributes) all += u' ' + qt(attribute.name);
    return std::ranges::all_of(words, [&](const QString &word) { return all.contains(word, Qt::CaseInsensitive); });
}

} // namespace

OperatorPage::OperatorPage(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_table(usualStrategies()), m_filter(new QLineEdit(this)),
      m_list(new QListWidget(this)), m_page(new QTextBrowser(this)) {
    m_filter->setObjectName(QStringLiteral("operator_filter"));
    m_filter->setPlaceholderText(tr("Find by name, by what it does, by attribute"));
    m_filter->setAccessibleName(tr("Find an operator"));
    m_filter->setClearButtonEnabled(true);
    m_list->setObjectName(QStringLiteral("operators"));
    m_list->setAccessibleName(tr("Operators"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_page->setObjectName(QStringLiteral("operator_page"));
    m_page->setAccessibleName(tr("About the operator"));
    m_page->setFrameShape(QFrame::NoFrame);
    auto *left = new QWidget(this);
    auto *leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->addWidget(m_filter);
    leftColumn->addWidget(m_list, 1);
    auto *split = new QSplitter(this);
    split->setChildrenCollapsible(false);
    split->addWidget(left);
    split->addWidget(m_page);
    split->setStretchFactor(1, 1);
    const int letter = fontMetrics().averageCharWidth();
    split->setSizes({letter * 34, letter * 80});
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(split);
    connect(m_filter, &QLineEdit::textChanged, this, &OperatorPage::fill);
    connect(m_list, &QListWidget::currentRowChanged, this, &OperatorPage::showOperator);
    fill();
}

void OperatorPage::setTable(StrategyTable table) {
    m_table = std::move(table);
    showOperator();
}

/// What was chosen stays chosen where it still fits.
void OperatorPage::fill() {
    const QString before = m_list->currentItem() != nullptr ? m_list->currentItem()->text() : QString();
    const QStringList words = m_filter->text().split(u' ', Qt::SkipEmptyParts);
    m_list->clear();
    for (const Operator *one : allOperators())
        if (fits(*one, words)) m_list->addItem(qt(one->name));
    const auto found = m_list->findItems(before, Qt::MatchExactly);
    m_list->setCurrentRow(found.isEmpty() ? 0 : m_list->row(found.front()));
    showOperator();
}

void OperatorPage::choose(const QString &name) {
    if (m_list->findItems(name, Qt::MatchExactly).isEmpty()) m_filter->clear();
    const auto found = m_list->findItems(name, Qt::MatchExactly);
    if (!found.isEmpty()) m_list->setCurrentItem(found.front());
}

void OperatorPage::showOperator() {
    const QListWidgetItem *item = m_list->currentItem();
    const Operator *of = item != nullptr ? findOperator(std8(item->text())) : nullptr;
    m_page->setHtml(of != nullptr ? operatorPage(*of, m_table, strategyTarget("llvm"))
                                  : tr("<p>No operator has all of these words.</p>"));
}

} // namespace loopscope
