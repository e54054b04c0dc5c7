#include "views/sketch_tree/sketch_tree_view.h"

#include "views/graph/view_overlays.h"
#include "views/session/text.h"
#include "views/sketch_tree/tree_find_bar.h"
#include "views/sketch_tree/tree_input.h"
#include "views/sketch_tree/tree_side.h"
#include "views/sketch_tree/tree_tools.h"

#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace loopscope {

SketchTreeView::SketchTreeView(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context),
      m_content(std::make_unique<TreeContent>(context.session, TreeTools::rememberedChoice(context.settings))),
      m_pane(std::make_unique<TreePane>(context, *m_content, this)),
      m_side(new TreeSide(context, *m_content, *m_pane, this)), m_summary(new QLabel(this)),
      m_tools(new TreeTools(context, *m_content, *m_pane, *m_side, *this)),
      m_findBar(new TreeFindBar(context, *m_content, *m_pane, this)),
      m_input(std::make_unique<TreeInput>(context, *m_content, *m_pane, *m_findBar, *m_side)) {
    setObjectName(QStringLiteral("SketchTreeView"));
    setAccessibleName(tr("Sketch tree"));
    setFocusProxy(graph());
    layOut();
    connect(m_input.get(), &TreeInput::filterChosen, m_tools, &TreeTools::setFilter);
    connect(m_content.get(), &TreeContent::readAgain, this, &SketchTreeView::showEmpty);
    connect(m_content.get(), &TreeContent::shownChanged, this, [this] {
        showEmpty();
        updateSummary();
    });
    connect(m_content.get(), &TreeContent::recounted, this, [this] {
        if (!shown().nodes.empty()) updateSummary();
    });
    connect(&context.session.documents(), &Documents::problemChanged, this, &SketchTreeView::showEmpty);
    m_content->readDocument();
}

SketchTreeView::~SketchTreeView() = default;

void SketchTreeView::layOut() {
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setContentsMargins(8, 2, 8, 4);
    m_summary->setWordWrap(true);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *tree = new QWidget(this);
    auto *column = new QVBoxLayout(tree);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_findBar);
    column->addWidget(graph(), 1);
    column->addWidget(m_summary);
    auto *splitter = new QSplitter(Qt::Horizontal, this);
    splitter->addWidget(tree);
    splitter->addWidget(m_side);
    splitter->setCollapsible(0, false);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({3 * m_side->wantedWidth(), m_side->wantedWidth()});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_tools);
    layout->addWidget(splitter, 1);
}

void SketchTreeView::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_input) m_pane->redraw();
}

void SketchTreeView::startFind() { m_findBar->start(); }

void SketchTreeView::showEmpty() {
    const Document *document = m_context.session.document();
    QString text;
    if (!document)
        text = tr("Open a workload to see how its sketches are derived.");
    else if (!document->task && document->problem)
        text = tr("No sketches: %1.").arg(document->problem->sentence);
    else if (!document->sketchProblem.isEmpty())
        text = tr("No sketches: %1").arg(document->sketchProblem);
    else if (document->analysing || !document->task || m_content->reading())
        text = tr("Deriving the sketches \u2026");
    else if (!document->sketches.empty())
        text =
            tr("%1 come of so many tries of rules that a tree of them would say nothing. Each is shown by its number "
               "above the loops.")
                .arg(countedText(document->sketches.size(), "sketch", "sketches"));
    else
        text = tr("The rules made no sketch of this workload.");
    graph()->notices().setEmptyText(text);
    const bool some = !shown().nodes.empty();
    m_tools->setEnabled(some);
    m_summary->setVisible(some);
    graph()->setDimmed(some && document && document->problem.has_value()); // of the last text that was good
}

void SketchTreeView::updateSummary() {
    const Document *document = m_context.session.document();
    if (!document) return;
    const DerivationTree &tree = m_content->tree();
    QStringList parts;
    parts << (countedText(document->sketches.size(), "sketch", "sketches"));
    parts << tr("%1 rules applied, %2 refused").arg(tree.applied).arg(tree.refused);
    if (shown().hiddenByFilter > 0)
        parts << tr("%1 hidden by the filter")
                     .arg(countedText(static_cast<size_t>(shown().hiddenByFilter), "sketch", "sketches"));
    if (document->trials.empty())
        parts << tr("not searched yet");
    else if (statistics().bestSketch() >= 0)
        parts << tr("%1, the best of sketch %2")
                     .arg(trialCountText(document->trials.size()))
                     .arg(statistics().bestSketch());
    else
        parts << trialCountText(document->trials.size());
    if (statistics().unknown() > 0) parts << tr("%1 of no sketch here").arg(statistics().unknown());
    m_summary->setText(parts.join(QStringLiteral("  \u00b7  ")));
    m_summary->setToolTip(m_summary->text());
    QPalette palette = m_summary->palette();
    palette.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
    m_summary->setPalette(palette);
}

QString SketchTreeView::text() const { return shownText(m_content->tree(), shown()); }

QStringList SketchTreeView::exportSuffixes() const { return graph()->exportSuffixes() << QStringLiteral("txt"); }

QString SketchTreeView::exportTo(const QString &path) {
    if (QFileInfo(path).suffix().compare(QLatin1String("txt"), Qt::CaseInsensitive) != 0)
        return graph()->exportTo(path);
    QFile file(path);
    const QByteArray bytes = text().toUtf8();
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(bytes) != bytes.size())
        return tr("%1 cannot be written: %2").arg(path, file.errorString());
    return {};
}

} // namespace loopscope
