#include "views/network_passes/form_diff_page.h"

#include "views/actions/elided_label.h"
#include "views/actions/row_table.h"
#include "views/session/jobs.h"
#include "views/session/text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace loopscope {

FormDiffPage::FormDiffPage(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_model(new FormDiffModel(context.theme, this)), m_from(new QComboBox(this)),
      m_to(new QComboBox(this)), m_sentence(new ElidedLabel(this)), m_table(new QTableView(this)) {
    m_from->setObjectName(QStringLiteral("network_form_from"));
    m_from->setAccessibleName(tr("From"));
    m_to->setObjectName(QStringLiteral("network_form_to"));
    m_to->setAccessibleName(tr("To"));
    for (QComboBox *box : {m_from, m_to}) {
        box->setToolTip(tr("The network as its file has it, or as one of the passes left it"));
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(12);
        connect(box, &QComboBox::currentIndexChanged, this, &FormDiffPage::compare);
    }
    m_sentence->setObjectName(QStringLiteral("network_form_sentence"));
    m_sentence->setContentsMargins(8, 2, 8, 4);
    m_table->setObjectName(QStringLiteral("network_form_diff"));
    m_table->setAccessibleName(tr("In what the two forms differ"));
    m_table->setModel(m_model);
    makeRowTable(*m_table, RowSelection::Several);
    setColumnLetters(*m_table, {17, 24, 46});
    auto *row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 0);
    row->setSpacing(6);
    row->addWidget(new QLabel(tr("From"), this));
    row->addWidget(m_from, 1);
    row->addWidget(new QLabel(tr("to"), this));
    row->addWidget(m_to, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_sentence);
    column->addWidget(m_table, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        std::set<std::string> sources;
        for (const QModelIndex &chosen : m_table->selectionModel()->selectedRows())
            sources.merge(std::set(m_model->diff().changes[static_cast<size_t>(chosen.row())].sources));
        if (!sources.empty()) Q_EMIT nodesChosen(sources);
    });
    connect(&m_context.session.jobs(), &Jobs::cancelled, this, [this](int job) {
        if (m_job == 0 || job != m_job) return;
        m_job = 0;
        say(tr("The comparison was cancelled; choose the forms again."));
    });
    connect(&m_context.theme, &Theme::changed, this, [this] { m_table->viewport()->update(); });
    setFocusProxy(m_table);
}

FormDiffPage::~FormDiffPage() { m_context.session.jobs().cancel(std::exchange(m_job, 0)); }

void FormDiffPage::show(NetworkKernelsPtr kernels) {
    if (kernels == m_kernels) return;
    m_kernels = std::move(kernels);
    {
        const QSignalBlocker from(m_from), to(m_to);
        for (QComboBox *box : {m_from, m_to}) {
            box->clear();
            if (!m_kernels) continue;
            for (size_t form = 0; form < m_kernels->forms.size(); ++form)
                box->addItem(form == 0 ? tr("as in the file")
                                       : tr("%1. %2").arg(form).arg(m_kernels->forms[form].pass));
        }
    }
    compare();
}

void FormDiffPage::choose(int from, int to) {
    {
        const QSignalBlocker blockFrom(m_from), blockTo(m_to);
        m_from->setCurrentIndex(from);
        m_to->setCurrentIndex(to);
    }
    compare();
}

int FormDiffPage::from() const { return m_from->currentIndex(); }
int FormDiffPage::to() const { return m_to->currentIndex(); }

void FormDiffPage::setSeen(bool seen) {
    m_seen = seen;
    if (m_seen && m_stale) compare();
}

void FormDiffPage::say(const QString &sentence) { m_sentence->setText(sentence); }
QString FormDiffPage::sentence() const { return m_sentence->text(); }

void FormDiffPage::compare() {
    m_context.session.jobs().cancel(std::exchange(m_job, 0));
    m_stale = !m_seen;
    if (!m_kernels || from() < 0 || to() < 0) {
        m_model->show({});
        return say({});
    }
    if (!m_seen) return;
    const FunctionPtr before = m_kernels->forms[static_cast<size_t>(from())].function;
    const FunctionPtr after = m_kernels->forms[static_cast<size_t>(to())].function;
    if (before == after) {
        m_model->show({});
        return say(from() == to() ? tr("The same form twice: nothing differs. Choose two forms, or a pass that changed "
                                       "something.")
                                  : tr("Nothing differs."));
    }
    say(tr("Comparing \u2026"));
    m_job = m_context.session.jobs().start(
        tr("Comparing two forms of the network"), this,
        [before, after](JobControl &control) { return compareForms(*before, *after, control.cancelFlag()); },
        [this](std::optional<FormDiff> diff) {
            m_job = 0;
            if (!diff) return;
            say(tr("%1.").arg(formDiffSentence(*diff)));
            m_model->show(std::move(*diff));
        },
        [this](const QString &problem) {
            m_job = 0;
            m_model->show({});
            say(asSentence(problem));
        });
}

} // namespace loopscope
