#include "views/limits/limits_view.h"

#include "views/actions/page_stack.h"
#include "views/limits/limit_delegate.h"
#include "views/limits/limits_model.h"
#include "views/session/session.h"
#include "views/session/text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QSaveFile>
#include <QShortcut>
#include <QTreeView>
#include <QVBoxLayout>

namespace loopscope {

namespace {

constexpr int kSpace = 8;
constexpr int kCompileDelay = 500; // ms without an edit

QString whyNoLimits(const Document *document) {
    if (document == nullptr) return QObject::tr("Open a workload: here stands what its kernels ask of a GPU.");
    if (document->logTask) return QObject::tr("The workload of this log is not known, so it has no kernels here.");
    if (!document->task)
        return document->problem
                   ? QObject::tr("The workload has an error: %1. What its kernels ask of a GPU stands here once it is "
                                 "repaired.")
                         .arg(document->problem->sentence)
                   : QObject::tr("Analysing the workload \u2026");
    if (!document->task->target.isGpu())
        return QObject::tr("The target is a processor. With a cuda target (in Computation) here stands what the "
                           "kernels ask of the GPU: threads, shared memory, registers, and how many of them run at "
                           "once.");
    return {};
}

} // namespace

LimitsView::LimitsView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("LimitsView"));
    build();
    m_compileTimer.setSingleShot(true);
    m_compileTimer.setInterval(kCompileDelay);
    connect(&m_compileTimer, &QTimer::timeout, this, &LimitsView::compile);
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &LimitsView::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &LimitsView::refresh);
    connect(&session.trials(), &TaskTrials::trialsReset, this, &LimitsView::refresh);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (!(now.schedule == before.schedule)) refresh();
        follow();
    });
    const auto mine = [this](const ScheduleRef &ref) {
        if (ref == m_shown) refresh();
    };
    connect(&session.representations(), &RepresentationCache::representationsReady, this, mine, Qt::QueuedConnection);
    connect(&session.representations(), &RepresentationCache::disassemblyReady, this, mine, Qt::QueuedConnection);
    connect(&context.theme, &Theme::changed, this, &LimitsView::restyle);
    restyle();
    refresh();
}

void LimitsView::build() {
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    m_pages = new PageStack(this);
    page->addWidget(m_pages);
    m_empty = addSentence(*m_pages, 4 * kSpace);
    auto *full = new QWidget(m_pages);
    m_pages->addWidget(full);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    const auto line = [&](const QString &name) {
        auto *label = new QLabel(full);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(kSpace, kSpace / 2, kSpace, kSpace / 2);
        label->setAccessibleName(name);
        return label;
    };
    m_machine = line(tr("GPU"));
    m_refusal = line(tr("Refusal"));
    m_advice = line(tr("What limits the kernel"));
    m_tree = new QTreeView(full);
    m_tree->setAccessibleName(tr("Limits of the kernels"));
    m_tree->setUniformRowHeights(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setIndentation(kSpace * 2);
    m_model = new LimitsModel(m_context.theme, m_tree);
    m_tree->setModel(m_model);
    m_tree->setItemDelegate(new LimitDelegate(m_context.theme, m_tree));
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(LimitsModel::WhatColumn, QHeaderView::Stretch);
    for (const int at : {LimitsModel::UsedColumn, LimitsModel::AllowedColumn, LimitsModel::FitColumn})
        m_tree->header()->setSectionResizeMode(at, QHeaderView::ResizeToContents);
    column->addWidget(m_machine);
    column->addWidget(m_refusal);
    column->addWidget(m_tree, 1);
    column->addWidget(m_advice);
    connect(m_tree, &QTreeView::clicked, this, &LimitsView::choose);
    connect(m_tree, &QTreeView::activated, this, &LimitsView::choose);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, &LimitsView::sayAdvice);
    connect(m_model, &QAbstractItemModel::modelReset, this, [this] {
        for (int kernel = 0; kernel < m_model->rowCount(); ++kernel) {
            m_tree->setFirstColumnSpanned(kernel, {}, true);
            m_tree->expand(m_model->index(kernel, 0));
        }
    });
    auto *copying = new QShortcut(QKeySequence::Copy, m_tree);
    copying->setContext(Qt::WidgetShortcut);
    connect(copying, &QShortcut::activated, this, &LimitsView::copy);
}

void LimitsView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    refresh(); // what is made for it is made only while somebody looks
}

void LimitsView::refresh() {
    const Document *document = m_context.session.document();
    const ScheduleRef before = std::exchange(m_shown, m_context.session.selection().now().schedule);
    if (!(before == m_shown)) m_compileTimer.stop();
    if (const QString why = whyNoLimits(document); !why.isEmpty()) return say(why);
    if (!document->has(m_shown)) return say(tr("There is no %1 any more.").arg(scheduleName(m_shown)));
    m_machine->setText(machineText(document->task->target));
    if (isVisible()) showKernels();
}

void LimitsView::showKernels() {
    RepresentationCache &cache = m_context.session.representations();
    const RepresentationsPtr forms = cache.of(m_shown);
    const Target &target = m_context.session.document()->task->target;
    if (!forms) { // what was shown before stays while it is lowered
        if (m_model->rowCount() == 0) say(tr("Lowering the %1 \u2026").arg(scheduleName(m_shown)));
        return;
    }
    const auto &program = forms->program ? forms->program : forms->beyondLimits;
    if (!program) return say(asSentence(forms->refusal));
    m_pages->setCurrentIndex(1);
    std::vector<KernelFacts> kernels = kernelFacts(*program, target);
    QString uncompiled = tr("compiling \u2026");
    QString refusal = forms->refusal;
    if (!forms->refusal.isEmpty()) {
        uncompiled = tr("not compiled");
    } else {
        const GpuCodePtr code = cache.gpuCode(m_shown);
        if (code && code->figuresProblem.isEmpty()) kernels = code->kernels;
        if (code && !code->figuresProblem.isEmpty()) {
            uncompiled = tr("not known");
            refusal = tr("Registers and spills are not known: %1").arg(code->figuresProblem);
        }
        if (!code) m_compileTimer.start();
    }
    if (kernels.empty()) return say(tr("No loop of the %1 is bound to blocks or threads.").arg(scheduleName(m_shown)));
    m_model->setKernels(limitRows(kernels, target, uncompiled));
    for (const KernelRows &kernel : m_model->kernels())
        if (refusal.isEmpty()) refusal = kernel.refusal;
    sayRefusal(refusal);
    follow();
    sayAdvice();
}

/// Nobody has changed anything for a moment: now the registers.
void LimitsView::compile() {
    RepresentationCache &cache = m_context.session.representations();
    const Document *document = m_context.session.document();
    if (!isVisible() || document == nullptr || !document->has(m_shown)) return;
    QString problem;
    if (!cache.disassembly(m_shown, &problem) && !problem.isEmpty()) {
        const RepresentationsPtr forms = cache.of(m_shown);
        if (!forms || !forms->program) return;
        m_model->setKernels(
            limitRows(kernelFacts(*forms->program, document->task->target), document->task->target, tr("not known")));
        sayRefusal(tr("Registers and spills are not known: %1").arg(problem));
    }
}

void LimitsView::say(const QString &sentence) {
    m_compileTimer.stop();
    m_model->setKernels({});
    m_empty->setText(sentence);
    m_pages->setCurrentIndex(0);
}

void LimitsView::sayRefusal(const QString &sentence) {
    m_refusal->setText(asSentence(sentence));
    m_refusal->setVisible(!sentence.isEmpty());
}

void LimitsView::sayAdvice() {
    const int chosen = std::max(0, LimitsModel::kernelOf(m_tree->currentIndex()));
    if (static_cast<size_t>(chosen) >= m_model->kernels().size()) return m_advice->clear();
    const KernelRows &kernel = m_model->kernels()[static_cast<size_t>(chosen)];
    QString text = tr("Occupancy %1").arg(kernel.occupancy);
    if (!kernel.advice.isEmpty()) text += QStringLiteral(": ") + kernel.advice;
    if (m_model->kernels().size() > 1) text = QStringLiteral("%1 \u2013 %2").arg(kernel.name, text);
    m_advice->setText(text);
}

/// The kernel that what is selected belongs to.
void LimitsView::follow() {
    if (m_tree->hasFocus() || m_model->rowCount() < 2) return;
    const Selected &now = m_context.session.selection().now();
    if (!(now.schedule == m_shown) || now.node < 0) return;
    int found = -1;
    for (int k = 0; k < m_model->rowCount(); ++k)
        if (m_model->kernels()[static_cast<size_t>(k)].node <= now.node) found = k; // in program order
    if (found >= 0 && found != LimitsModel::kernelOf(m_tree->currentIndex()))
        m_tree->setCurrentIndex(m_model->index(found, 0));
}

void LimitsView::choose(const QModelIndex &index) {
    const int kernel = LimitsModel::kernelOf(index);
    if (kernel < 0) return;
    const RepresentationsPtr forms = m_context.session.representations().of(m_shown);
    const int node = m_model->kernels()[static_cast<size_t>(kernel)].node;
    if (!forms || node < 0 || static_cast<size_t>(node) >= forms->nodes().size()) return;
    const ProgramNode &loop = forms->nodes()[static_cast<size_t>(node)];
    m_context.session.selection().selectNode(node, loop.stage, loop.iterator);
}

void LimitsView::copy() { QGuiApplication::clipboard()->setText(m_model->text(TableFormat::Tsv)); }

QStringList LimitsView::exportSuffixes() const { return {QStringLiteral("csv"), QStringLiteral("tsv")}; }

QString LimitsView::exportTo(const QString &path) {
    if (m_model->rowCount() == 0) return tr("There are no kernels to export yet");
    const bool tabs = path.endsWith(QLatin1String(".tsv"), Qt::CaseInsensitive);
    const QByteArray out = m_model->text(tabs ? TableFormat::Tsv : TableFormat::Csv).toUtf8();
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(out) == out.size() && file.commit()) return {};
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

void LimitsView::restyle() {
    const auto dress = [this](QLabel *label, Role role) {
        QPalette palette = label->palette();
        palette.setColor(QPalette::WindowText, m_context.theme.color(role));
        label->setPalette(palette);
    };
    dress(m_machine, Role::QuietText);
    dress(m_refusal, Role::Bad);
    dress(m_advice, Role::QuietText);
    dress(m_empty, Role::QuietText);
    m_tree->viewport()->update();
}

} // namespace loopscope
