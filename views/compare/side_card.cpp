#include "views/compare/side_card.h"

#include "views/actions/elided_label.h"
#include "views/compare/compare_facts.h"
#include "views/compare/side_choices.h"
#include "views/session/text.h"

#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <functional>

namespace loopscope {

namespace {

/// Its list is made when it is opened: with thousands of trials coming in nothing else would keep it true cheaply.
class ChoiceBox : public QComboBox {
  public:
    using QComboBox::QComboBox;
    std::function<void()> fill;

    void showPopup() override {
        fill();
        QComboBox::showPopup();
    }
};

std::vector<int> droppedTrials(const QMimeData *data) {
    std::vector<int> trials;
    for (const QByteArray &number : data->data(QLatin1String(kTrialsMimeType)).split(' ')) {
        bool good = false;
        const int trial = number.toInt(&good);
        if (good) trials.push_back(trial);
    }
    return trials;
}

} // namespace

SideCard::SideCard(const ViewContext &context, ComparedPair &pair, AlignedText::Side side, QWidget *parent)
    : QFrame(parent), m_context(context), m_pair(pair), m_side(side) {
    setAcceptDrops(true);
    setAutoFillBackground(true);
    auto *choice = new ChoiceBox(this);
    choice->fill = [this] { fill(); };
    m_choice = choice;
    m_choice->setEditable(true);
    m_choice->setInsertPolicy(QComboBox::NoInsert);
    m_choice->setCompleter(nullptr);
    m_choice->setMaxVisibleItems(20);
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(14);
    m_choice->setAccessibleName(side == AlignedText::Left ? tr("Left schedule") : tr("Right schedule"));
    m_choice->setToolTip(
        tr("Choose a schedule, of another target too; type the number of a trial (\u201c12 on cuda\u201d), or drop one "
           "from the table here"));
    m_choice->lineEdit()->setPlaceholderText(tr("Choose or type a trial \u2026"));
    m_facts = new ElidedLabel(this);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(8, 6, 8, 6);
    all->setSpacing(3);
    m_show = new QToolButton(this);
    m_show->setObjectName(QStringLiteral("show_task"));
    m_show->setText(tr("Show"));
    m_show->setToolTip(tr("Show this schedule and its target in all views; the comparison stays"));
    m_show->setAutoRaise(true);
    m_show->hide();
    connect(m_show, &QToolButton::clicked, this, [this] {
        if (!m_pair.side(m_side)) return;
        const TaskSchedule schedule = *m_pair.side(m_side);
        m_context.session.documents().showTask(schedule.task);
        m_context.session.selection().selectSchedule(schedule.ref);
    });
    auto *head = new QHBoxLayout;
    head->setSpacing(4);
    head->addWidget(m_choice, 1);
    head->addWidget(m_show);
    all->addLayout(head);
    all->addWidget(m_facts);
    m_kernels = new ElidedLabel(this);
    m_kernels->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_kernels->setObjectName(QStringLiteral("kernels"));
    m_kernels->hide();
    all->addWidget(m_kernels);
    connect(m_choice, &QComboBox::activated, this, [this](int index) {
        const QVariant data = m_choice->itemData(index);
        if (data.canConvert<TaskSchedule>()) Q_EMIT chosen(data.value<TaskSchedule>());
    });
    connect(m_choice->lineEdit(), &QLineEdit::returnPressed, this, &SideCard::typed);
    connect(&context.theme, &Theme::changed, this, [this] { applyTheme(); });
    applyTheme();
}

void SideCard::applyTheme(bool over) {
    QPalette palette = this->palette();
    palette.setColor(QPalette::Window, over ? m_context.theme.color(Role::Hover) : m_context.theme.color(Role::Raised));
    setPalette(palette);
    palette.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
    m_facts->setPalette(palette);
    m_kernels->setPalette(palette);
}

void SideCard::refresh() {
    const auto &side = m_pair.side(m_side);
    const TaskState *state = m_pair.state(m_side);
    const QString name = m_pair.name(m_side);
    if (!m_choice->lineEdit()->hasFocus() || m_choice->currentText() != name) {
        m_choice->setEditText(name);
        m_choice->lineEdit()->setCursorPosition(0); // of a long one the beginning is seen
    }
    const QString facts = state != nullptr ? scheduleFacts(*state, side->ref) : QString();
    m_facts->setText(side ? facts : tr("nothing chosen"));
    QString tip = facts;
    if (state != nullptr && side->ref.kind == ScheduleRef::Kind::Trial && scheduleExists(*state, side->ref)) {
        const TrialEntry &entry = state->trials[static_cast<size_t>(side->ref.number)];
        if (!entry.valid()) tip += QLatin1Char('\n') + QString::fromStdString(entry.trial.reason);
        if (!entry.later->note.isEmpty()) tip += QLatin1Char('\n') + entry.later->note;
    }
    setToolTip(tip);
    m_show->setVisible(state != nullptr && !m_pair.shownRef(m_side));
    showKernels();
}

/// What was found out already: whoever shows the side asks for it.
void SideCard::showKernels() {
    const TaskState *state = m_pair.state(m_side);
    QStringList lines;
    if (state != nullptr && state->task && state->task->target.isGpu()) {
        const TaskSchedule &side = *m_pair.side(m_side);
        RepresentationCache &cache = m_context.session.representations();
        const GpuCodePtr code = cache.gpuCode(side.task, side.ref);
        const RepresentationsPtr forms = cache.of(side.task, side.ref);
        std::vector<KernelFacts> kernels;
        if (code)
            kernels = code->kernels;
        else if (forms && forms->program)
            kernels = kernelFacts(*forms->program, state->task->target);
        for (const KernelFacts &kernel : kernels)
            lines << (kernels.size() > 1 ? QStringLiteral("%1: %2").arg(qt(kernel.limits.kernel), kernelText(kernel))
                                         : kernelText(kernel));
    }
    m_kernels->setText(lines.join(QStringLiteral("; ")));
    m_kernels->setToolTip(lines.join(u'\n'));
    m_kernels->setVisible(!m_low && !lines.isEmpty());
}

void SideCard::setLow(bool low) {
    m_low = low;
    m_facts->setVisible(!low);
    m_kernels->setVisible(!low && !m_kernels->text().isEmpty());
    layout()->setContentsMargins(8, low ? 2 : 6, 8, low ? 2 : 6);
}

void SideCard::fill() {
    const QString before = m_choice->currentText();
    m_choice->clear();
    Session &session = m_context.session;
    for (const SideChoice &choice : sideChoices(session.documents(), session.selection().now())) {
        if (choice.text.isEmpty()) {
            m_choice->insertSeparator(m_choice->count());
            continue;
        }
        m_choice->addItem(choice.text, choice.schedule ? QVariant::fromValue(*choice.schedule) : QVariant());
        if (choice.schedule) continue;
        const QModelIndex heading = m_choice->model()->index(m_choice->count() - 1, 0);
        if (auto *items = qobject_cast<QStandardItemModel *>(m_choice->model()))
            items->itemFromIndex(heading)->setEnabled(false);
    }
    m_choice->setEditText(before);
}

void SideCard::typed() {
    const NamedSide named = sideNamed(m_context.session.documents(), m_choice->currentText());
    if (named.schedule) return Q_EMIT chosen(*named.schedule);
    m_facts->setText(named.problem);
    m_facts->setToolTip(m_facts->text());
}

void SideCard::dragEnterEvent(QDragEnterEvent *event) {
    if (!event->mimeData()->hasFormat(QLatin1String(kTrialsMimeType))) return;
    event->acceptProposedAction();
    applyTheme(true);
}

void SideCard::dragLeaveEvent(QDragLeaveEvent * /*event*/) { applyTheme(); }

void SideCard::dropEvent(QDropEvent *event) {
    applyTheme();
    const std::vector<int> trials = droppedTrials(event->mimeData());
    if (trials.empty()) return;
    event->acceptProposedAction();
    const auto ref = [&](size_t i) { return TaskSchedule{0, {ScheduleRef::Kind::Trial, trials[i]}}; };
    if (trials.size() == 2)
        Q_EMIT bothChosen(ref(0), ref(1));
    else
        Q_EMIT chosen(ref(0));
}

} // namespace loopscope
