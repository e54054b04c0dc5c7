#include "views/compare/side_card.h"

#include "views/actions/elided_label.h"
#include "views/compare/compare_facts.h"
#include "views/session/text.h"

#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
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

SideCard::SideCard(const ViewContext &context, const QString &name, QWidget *parent)
    : QFrame(parent), m_context(context) {
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
    m_choice->setAccessibleName(tr("%1 schedule").arg(name));
    m_choice->setToolTip(tr("Choose a schedule, type the number of a trial, or drop one from the table here"));
    m_choice->lineEdit()->setPlaceholderText(tr("Choose or type a trial \u2026"));
    m_facts = new ElidedLabel(this);
    m_facts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(8, 6, 8, 6);
    all->setSpacing(3);
    all->addWidget(m_choice);
    all->addWidget(m_facts);
    m_kernels = new ElidedLabel(this);
    m_kernels->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_kernels->setObjectName(QStringLiteral("kernels"));
    m_kernels->hide();
    all->addWidget(m_kernels);
    connect(m_choice, &QComboBox::activated, this, [this](int index) {
        const QVariant data = m_choice->itemData(index);
        if (data.canConvert<ScheduleRef>()) Q_EMIT chosen(data.value<ScheduleRef>());
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

void SideCard::setSchedule(const std::optional<ScheduleRef> &ref) {
    m_ref = ref;
    const Document *document = m_context.session.document();
    const QString name = !ref ? QString() : document != nullptr ? scheduleName(*document, *ref) : scheduleName(*ref);
    if (!m_choice->lineEdit()->hasFocus() || m_choice->currentText() != name) m_choice->setEditText(name);
    const QString facts = ref && document != nullptr ? scheduleFacts(*document, *ref) : QString();
    m_facts->setText(ref ? facts : tr("nothing chosen"));
    QString tip = facts;
    if (ref && document != nullptr && ref->kind == ScheduleRef::Kind::Trial && scheduleExists(*document, *ref)) {
        const TrialEntry &entry = document->trials[static_cast<size_t>(ref->number)];
        if (!entry.valid()) tip += QLatin1Char('\n') + QString::fromStdString(entry.trial.reason);
        if (!entry.later->note.isEmpty()) tip += QLatin1Char('\n') + entry.later->note;
    }
    m_facts->setToolTip(tip);
    setToolTip(tip);
    showKernels();
}

/// What was found out already: whoever shows the side asks for it.
void SideCard::showKernels() {
    const Document *document = m_context.session.document();
    QStringList lines;
    if (m_ref && document != nullptr && document->task && document->task->target.isGpu() &&
        scheduleExists(*document, *m_ref)) {
        RepresentationCache &cache = m_context.session.representations();
        const GpuCodePtr code = cache.gpuCode(*m_ref);
        const RepresentationsPtr forms = cache.of(*m_ref);
        std::vector<KernelFacts> kernels;
        if (code)
            kernels = code->kernels;
        else if (forms && forms->program)
            kernels = kernelFacts(*forms->program, document->task->target);
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
    const Document *document = m_context.session.document();
    const auto put = [this](const ScheduleRef &ref, const QString &text) {
        m_choice->addItem(text, QVariant::fromValue(ref));
    };
    if (document != nullptr && document->task) {
        const auto trial = [](int number) { return ScheduleRef{ScheduleRef::Kind::Trial, number}; };
        const auto named = [&](int number) {
            return QStringLiteral("%1   %2").arg(scheduleName(trial(number)), scheduleFacts(*document, trial(number)));
        };
        const ScheduleRef &selected = m_context.session.selection().now().schedule;
        if (scheduleExists(*document, selected))
            put(selected, tr("selected: %1").arg(scheduleName(*document, selected)));
        if (document->best >= 0)
            put(trial(document->best), tr("the best: %1").arg(scheduleName(trial(document->best))));
        put({}, scheduleName({}));
        for (size_t s = 0; s < document->sketches.size() && s < 30; ++s)
            put({ScheduleRef::Kind::Sketch, static_cast<int>(s)},
                scheduleName({ScheduleRef::Kind::Sketch, static_cast<int>(s)}));
        constexpr int kMost = 40;
        int listed = 0;
        for (size_t t = 0; t < document->trials.size() && listed < kMost; ++t)
            if (document->trials[t].pinned) {
                if (listed++ == 0) m_choice->insertSeparator(m_choice->count());
                put(trial(static_cast<int>(t)), tr("pinned: %1").arg(named(static_cast<int>(t))));
            }
        for (size_t n = document->edited.size(), others = 0; n-- > 0;) { // all with a name or pin, and the newest
            const EditNode &node = document->edited[n];
            const ScheduleRef ref{ScheduleRef::Kind::Edited, static_cast<int>(n)};
            const bool kept = node.pinned || !node.name.isEmpty();
            if (node.dropped || ref == selected || (!kept && others >= 12)) continue;
            if (others == 0) m_choice->insertSeparator(m_choice->count());
            ++others;
            put(ref, QStringLiteral("%1   %2").arg(scheduleName(*document, ref), node.did));
        }
        const std::vector<int> &together = m_context.session.selection().now().trials;
        for (size_t i = 0; i < together.size() && i < 20; ++i)
            if (scheduleExists(*document, trial(together[i]))) {
                if (i == 0) m_choice->insertSeparator(m_choice->count());
                put(trial(together[i]), named(together[i]));
            }
    }
    m_choice->setEditText(before);
}

void SideCard::typed() {
    const Document *document = m_context.session.document();
    if (document == nullptr) return;
    if (const auto ref = scheduleNamed(*document, m_choice->currentText())) {
        Q_EMIT chosen(*ref);
        return;
    }
    m_facts->setText(tr("there is no \u2018%1\u2019: type a trial from 1 to %2, \u2018best\u2019, \u2018naive\u2019, "
                        "\u2018sketch 0\u2019 or \u2018edited 1\u2019")
                         .arg(m_choice->currentText())
                         .arg(document->trials.size()));
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
    const auto ref = [&](size_t i) { return ScheduleRef{ScheduleRef::Kind::Trial, trials[i]}; };
    if (trials.size() == 2)
        Q_EMIT bothChosen(ref(0), ref(1));
    else
        Q_EMIT chosen(ref(0));
}

} // namespace loopscope
