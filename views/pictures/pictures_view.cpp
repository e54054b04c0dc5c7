#include "views/pictures/pictures_view.h"

#include "language/picture/array_file.h"
#include "views/actions/page_stack.h"
#include "views/pictures/picture_canvas.h"
#include "views/pictures/stage_pane.h"
#include "views/session/text.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopscope {

namespace {

constexpr int kPageSpace = 6;
constexpr size_t kLeft = 0;
constexpr size_t kRight = 1;
constexpr double kClearly = 1.2; // larger, so that it is worth another arrangement

/// Why there are no pictures, before anything is computed; empty: there may be some.
QString whyNoPictures(const Document *document) {
    if (document == nullptr)
        return QObject::tr("Open a workload to see its inputs, its outputs and every stage between them as pictures.");
    if (document->logTask)
        return QObject::tr("The workload of this log is not known, so there is nothing to compute pictures from.");
    if (!document->task)
        return document->problem ? QObject::tr("There are no pictures: %1").arg(document->problem->sentence)
                                 : QObject::tr("Analysing %1 \u2026").arg(document->name);
    QStringList shapes;
    for (const Tensor *arg : document->task->dag->args()) {
        if (pixelAxesOf(arg->shape)) return {};
        shapes << QObject::tr("%1 is %2")
                      .arg(qt(tensorText(*arg)),
                           arg->shape.empty() ? QObject::tr("one number") : shapeText(arg->shape));
    }
    return QObject::tr(
               "None of the inputs and outputs of %1 is a picture: %2. A picture has two axes at least: height and "
               "width, with colours before or behind them.")
        .arg(document->name, shapes.join(QStringLiteral(", ")));
}

QRectF reach(const StagePane &pane) { return pane.canvas().image().isNull() ? QRectF() : pane.canvas().place(); }

} // namespace

PicturesView::PicturesView(const ViewContext &context, QWidget *parent) : QWidget(parent), m_context(context) {
    setObjectName(QStringLiteral("PicturesView"));
    build();
    addActions();
    Session &session = context.session;
    connect(&session.documents(), &Documents::documentChanged, this, &PicturesView::refresh);
    connect(&session.documents(), &Documents::problemChanged, this, &PicturesView::refresh);
    connect(&session.selection(), &Selection::changed, this, [this](const Selected &now, const Selected &before) {
        if (now.stage != before.stage) follow();
    });
    connect(&session.jobs(), &Jobs::cancelled, this, [this](int job) {
        if (job == 0 || job != m_job) return;
        m_job = 0;
        m_asked = {};
        const auto again = [this] { ask(); };
        m_notice->say(tr("Computing the stages was cancelled."), {{tr("Compute them"), again}});
        if (!m_stages.run()) m_pages->setCurrentIndex(1);
    });
    connect(&context.theme, &Theme::changed, this, &PicturesView::restyle);
    restyle();
    refresh();
}

PicturesView::~PicturesView() {
    const int job = std::exchange(m_job, 0);
    if (job != 0) m_context.session.jobs().cancel(job);
}

void PicturesView::build() {
    auto *page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    m_pages = new PageStack(this);
    page->addWidget(m_pages);
    m_empty = addSentence(*m_pages, 4 * kPageSpace);
    auto *full = new QWidget(m_pages);
    m_pages->addWidget(full);
    auto *column = new QVBoxLayout(full);
    column->setContentsMargins(kPageSpace, kPageSpace / 2, kPageSpace, kPageSpace / 2);
    column->setSpacing(kPageSpace / 2);
    m_inputs = new InputBar(full);
    column->addWidget(m_inputs);
    m_notice = new NoticeLine(full);
    column->addWidget(m_notice);
    m_splitter = new QSplitter(Qt::Horizontal, full);
    m_splitter->setChildrenCollapsible(false);
    column->addWidget(m_splitter, 1);
    m_strip = new QListView(full);
    column->addWidget(m_strip);
    buildPanes();

    connect(m_inputs, &InputBar::sizeChosen, this, [this](int size) {
        if (PictureRequests *mine = requests()) mine->setSize(static_cast<PictureSize>(size));
        ask();
    });
    connect(m_inputs, &InputBar::choiceMade, this, [this](const QString &input, const InputChoice &choice) {
        if (PictureRequests *mine = requests()) mine->setInput(input, choice);
        ask();
    });
    connect(m_inputs, &InputBar::otherRandomWanted, this, [this] {
        if (PictureRequests *mine = requests()) mine->otherRandom();
        ask();
    });
    connect(m_inputs, &InputBar::fileWanted, this, &PicturesView::openDialog);
}

void PicturesView::buildPanes() {
    for (size_t side = 0; side < m_panes.size(); ++side) {
        auto *pane = new StagePane(m_context.theme, m_viewpoint, m_stages, m_splitter);
        m_panes.at(side) = pane;
        m_splitter->setStretchFactor(static_cast<int>(side), 1);
        connect(pane, &StagePane::entered, this, [this, side] { activate(side); });
        connect(pane, &StagePane::stageChosen, this, &PicturesView::choose);
        connect(pane, &StagePane::stageStepped, this,
                [this](int by) { choose(std::clamp(m_panes.at(m_active)->row() + by, 0, m_stages.rowCount() - 1)); });
        connect(pane, &StagePane::shown, this, &PicturesView::place);
        connect(&pane->canvas(), &PictureCanvas::resized, this, &PicturesView::place);
        connect(pane, &StagePane::menuRequested, this, [this](QPoint where) {
            auto *menu = new QMenu(this);
            menu->setAttribute(Qt::WA_DeleteOnClose);
            for (const char *id : {"pictures.copy", "pictures.save", "pictures.open"})
                menu->addAction(m_context.actions.find(QLatin1String(id)));
            menu->popup(where);
        });
    }
    m_strip->setModel(&m_stages);
    m_strip->setAccessibleName(tr("All stages"));
    m_strip->setViewMode(QListView::IconMode);
    m_strip->setFlow(QListView::LeftToRight);
    m_strip->setWrapping(false);
    m_strip->setMovement(QListView::Static);
    m_strip->setUniformItemSizes(true);
    m_strip->setTextElideMode(Qt::ElideMiddle);
    m_strip->setIconSize({96, 72});
    m_strip->setFrameShape(QFrame::NoFrame);
    m_strip->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_strip->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex &now) {
        if (now.isValid() && now.row() != m_panes.at(m_active)->row()) choose(now.row());
    });
    connect(m_strip, &QListView::clicked, this, [this](const QModelIndex &index) { choose(index.row()); });
}

void PicturesView::addActions() {
    const auto add = [this](const char *id, const QString &text, const QKeySequence &key, const char *icon,
                            const QString &tip, std::function<void()> run) {
        m_context.actions.add({QLatin1String(id), tr("Pictures"), text, key, tip, QLatin1String(icon)}, this,
                              std::move(run));
    };
    add("pictures.open", tr("Open as input \u2026"), {}, "open",
        tr("Compute the stages on a picture (.png) or an array (.npy)"), [this] { openDialog({}); });
    add("pictures.save", tr("Save picture as \u2026"), {}, "save",
        tr("Write the stage that is looked at: .png as it is seen, .npy all its values"), [this] { saveDialog(); });
    add("pictures.copy", tr("Copy picture"), QKeySequence(QKeySequence::Copy), "copy",
        tr("The stage that is looked at, as it is seen"), [this] { copy(); });
}

// --- What is computed
// ------------------------------------------------------------------------------------------------

PictureRequests *PicturesView::requests() {
    const auto found = m_requests.find(m_document);
    return found == m_requests.end() ? nullptr : &found->second;
}

void PicturesView::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    refresh(); // what is made for it is made only while somebody looks
    arrange();
}

void PicturesView::refresh() {
    const Document *document = m_context.session.document();
    std::erase_if(m_requests, [this](const auto &entry) {
        return std::ranges::none_of(m_context.session.documents().all(),
                                    [&](const Document *open) { return open->id == entry.first; });
    });
    if (const QString why = whyNoPictures(document); !why.isEmpty()) return showEmpty(why);
    if (!isVisible()) return;
    if (m_document != document->id || m_read != document->task) {
        if (m_document != document->id) {
            m_stages.setRun(nullptr);
            m_asked = {};
        }
        m_document = document->id;
        m_read = document->task;
        m_requests[m_document].read(*document);
    }
    ask();
}

void PicturesView::ask() {
    PictureRequests *mine = requests();
    if (mine == nullptr) return;
    m_inputs->setSizes(mine->sizes(), static_cast<int>(mine->size()));
    m_inputs->setInputs(mine->inputs());
    PictureQuestion question = mine->question();
    if (question == m_asked) {
        if (m_stages.run() && m_job == 0) m_pages->setCurrentIndex(1);
        return;
    }
    m_asked = question;
    if (const int job = std::exchange(m_job, 0); job != 0) m_context.session.jobs().cancel(job);
    if (!m_stages.run()) {
        m_empty->setText(tr("Computing the stages of %1 \u2026").arg(m_context.session.document()->name));
        m_pages->setCurrentIndex(0);
    }
    m_job = m_context.session.jobs().start(
        tr("computing the stages as pictures"), this,
        [question = std::move(question)](JobControl &control) {
            return answerPicture(
                question, {[&](double share) { control.progress(share); }, [&] { return !control.cancelled(); }});
        },
        [this](const PictureAnswer &answer) { take(answer); },
        [this](const QString &problem) { take({nullptr, problem}); });
}

void PicturesView::take(const PictureAnswer &answer) {
    m_job = 0;
    PictureRequests *mine = requests();
    if (mine == nullptr) return;
    m_pages->setCurrentIndex(1);
    if (hasFocus()) m_panes.at(m_active)->setFocus(); // the keys were to come here while there was nothing
    if (!answer.run) {
        NoticeLine::Answers buttons;
        const auto offer = [&](const QString &text, std::function<void(PictureRequests &)> change) {
            buttons.emplace_back(text, [this, change = std::move(change)] {
                if (PictureRequests *now = requests()) change(*now);
                ask();
            });
        };
        if (answer.misfit) {
            const QString input = answer.misfit->input;
            if (answer.misfit->canCrop)
                offer(tr("Take its middle"), [input](PictureRequests &now) { now.setFit(input, PictureFit::Crop); });
            if (answer.misfit->canScale)
                offer(tr("Scale it"), [input](PictureRequests &now) { now.setFit(input, PictureFit::Scale); });
            offer(tr("Random values"), [input](PictureRequests &now) { now.setInput(input, {}); });
        }
        if (answer.tooLong) {
            offer(tr("Compute them all the same"), [](PictureRequests &now) { now.computeEvenIfLong(); });
            if (mine->hasSmall())
                offer(tr("Compute the small size"), [](PictureRequests &now) { now.setSize(PictureSize::Small); });
        }
        const QString before = m_stages.run()
                                   ? tr(" The pictures are still those for %1.").arg(paramsText(m_stages.run()->params))
                                   : QString();
        return m_notice->say(asSentence(answer.problem) + before, buttons);
    }
    mine->made(answer.run->params);
    m_inputs->setSizes(mine->sizes(), static_cast<int>(mine->size()));
    if (mine->shrunk())
        m_notice->say(tr("These are the stages for %1; those for the parameters in Computation would take long.")
                          .arg(paramsText(answer.run->params)),
                      {{tr("Compute those"), [this] {
                            if (PictureRequests *now = requests()) {
                                now->setSize(PictureSize::Document);
                                now->computeEvenIfLong();
                            }
                            ask();
                        }}});
    else
        m_notice->say({});
    m_stages.setRun(answer.run);
    const std::vector<ShownStage> &stages = answer.run->stages;
    const auto picture = [](const ShownStage &stage) { return stage.isPicture(); };
    const auto first = std::ranges::find_if(stages, picture);
    const auto last = std::find_if(stages.rbegin(), stages.rend(), [&](const ShownStage &stage) {
        return stage.part == ShownStage::Part::Output && picture(stage);
    });
    const QString input = first == stages.end() ? QString() : first->name;
    const QString output = last == stages.rend() ? input : last->name;
    const auto whole = std::ranges::find(stages, input, &ShownStage::name);
    if (whole != stages.end() && whole->isPicture())
        for (StagePane *pane : m_panes)
            pane->setReference({static_cast<int>(whole->value.shape[static_cast<size_t>(whole->pixels->columns)]),
                                static_cast<int>(whole->value.shape[static_cast<size_t>(whole->pixels->rows)])});
    m_panes[kLeft]->renew(input);
    m_panes[kRight]->renew(output);
    const int height = m_strip->fontMetrics().height() + m_strip->iconSize().height() + kPageSpace;
    m_strip->setGridSize({m_strip->iconSize().width() + kPageSpace, height});
    m_strip->setFixedHeight(height + m_strip->style()->pixelMetric(QStyle::PM_ScrollBarExtent) + 2);
    follow();
    activate(m_active);
    arrange();
    place();
    // The strip knows its places only after the event that fills it.
    QTimer::singleShot(0, m_strip, [this] { m_strip->scrollTo(m_strip->currentIndex()); });
}

void PicturesView::showEmpty(const QString &why) {
    if (const int job = std::exchange(m_job, 0); job != 0) m_context.session.jobs().cancel(job);
    m_document = 0;
    m_read.reset();
    m_asked = {};
    m_stages.setRun(nullptr);
    for (StagePane *pane : m_panes) pane->show(-1);
    m_empty->setText(why);
    m_pages->setCurrentIndex(0);
}

QString PicturesView::emptyText() const { return m_pages->currentIndex() == 0 ? m_empty->text() : QString(); }

// --- What is looked at
// -----------------------------------------------------------------------------------------------

void PicturesView::follow() {
    const int row = m_stages.rowOf(m_context.session.selection().now().stage);
    StagePane &pane = *m_panes.at(m_active);
    // A stage of several outputs may be shown by another of them.
    const ShownStage *stage = pane.stage();
    if (row >= 0 && !(stage != nullptr && stage->op == m_stages.stage(row)->op)) pane.show(row);
    activate(m_active);
}

void PicturesView::choose(int row) {
    const ShownStage *stage = m_stages.stage(row);
    if (stage == nullptr) return;
    if (m_panes.at(m_active)->row() != row) m_panes.at(m_active)->show(row);
    m_context.session.selection().selectStage(stage->op);
    activate(m_active);
}

void PicturesView::activate(size_t side) {
    m_active = side;
    for (size_t s = 0; s < m_panes.size(); ++s) m_panes.at(s)->setActive(s == side);
    const QModelIndex index = m_stages.index(m_panes.at(side)->row(), 0);
    if (index.isValid() && index != m_strip->currentIndex()) m_strip->setCurrentIndex(index);
}

void PicturesView::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    arrange();
}

/// Beside each other, unless they are clearly larger one above the other.
void PicturesView::arrange() {
    const QSizeF picture = reach(*m_panes[kLeft]).united(reach(*m_panes[kRight])).size();
    if (picture.isEmpty()) return;
    const int others = m_panes[kLeft]->height() - m_panes[kLeft]->canvas().height();
    const auto zoom = [&](double width, double height) {
        return std::min(width / picture.width(), (height - others) / picture.height());
    };
    const double beside = zoom(m_splitter->width() / 2.0, m_splitter->height());
    const double above = zoom(m_splitter->width(), m_splitter->height() / 2.0);
    const Qt::Orientation wanted = above > kClearly * beside ? Qt::Vertical : Qt::Horizontal;
    if (m_splitter->orientation() == wanted) return;
    m_splitter->setOrientation(wanted);
    const int half = (wanted == Qt::Horizontal ? m_splitter->width() : m_splitter->height()) / 2;
    m_splitter->setSizes({half, half});
}

/// Both pictures fit into the smaller window.
void PicturesView::place() {
    const QRectF content = reach(*m_panes[kLeft]).united(reach(*m_panes[kRight]));
    const QSize window = m_panes[kLeft]->canvas().size().boundedTo(m_panes[kRight]->canvas().size());
    m_viewpoint.setContent(content, window);
}

// --- Files
// -----------------------------------------------------------------------------------------------------------

void PicturesView::openFiles(const QStringList &files) {
    refresh();
    PictureRequests *mine = requests();
    const Document *document = m_context.session.document();
    if (mine == nullptr || document == nullptr) {
        m_context.session.messages().fail(
            document == nullptr ? tr("A picture is an input of a workload; open that first.")
                                : tr("%1 has no input that a picture could be: %2").arg(document->name, emptyText()));
        return;
    }
    const auto given = mine->inputsFor(files);
    if (given.empty()) {
        m_context.session.messages().fail(tr("%1 has no inputs that could be read from a file.").arg(document->name));
        return;
    }
    for (const auto &[input, file] : given) mine->setInput(input, {file, {}});
    ask();
}

void PicturesView::openDialog(const QString &input) {
    auto *dialog = new QFileDialog(this, input.isEmpty() ? tr("Open as input") : tr("Open as %1").arg(input));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(input.isEmpty() ? QFileDialog::ExistingFiles : QFileDialog::ExistingFile);
    dialog->setNameFilter(tr("Pictures and arrays (*.png *.npy)"));
    connect(dialog, &QFileDialog::filesSelected, this, [this, input](const QStringList &files) {
        if (input.isEmpty()) return openFiles(files);
        if (PictureRequests *mine = requests()) mine->setInput(input, {files.value(0), {}});
        ask();
    });
    dialog->open();
}

QStringList PicturesView::exportSuffixes() const { return {QStringLiteral("png"), QStringLiteral("npy")}; }

QString PicturesView::exportTo(const QString &path) {
    const StagePane &pane = *m_panes.at(m_active);
    const ShownStage *stage = pane.stage();
    if (stage == nullptr) return tr("%1: there is no picture to write yet").arg(path);
    if (path.endsWith(QLatin1String(".npy"), Qt::CaseInsensitive)) {
        try {
            writeArray(std8(path), stage->value);
        } catch (const Error &error) {
            return qt(error.what());
        }
        return {};
    }
    if (pane.canvas().image().isNull()) return tr("%1: %2 is no picture").arg(path, stage->name);
    if (pane.canvas().image().save(path, "PNG")) return {};
    return tr("%1: the picture cannot be written").arg(path);
}

void PicturesView::saveDialog() {
    const ShownStage *stage = m_panes.at(m_active)->stage();
    const Document *document = m_context.session.document();
    if (stage == nullptr || document == nullptr) return;
    auto *dialog = new QFileDialog(this, tr("Save %1").arg(stage->name));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    dialog->setNameFilters({tr("As it is seen (*.png)"), tr("All values (*.npy)")});
    dialog->selectFile(QStringLiteral("%1-%2.png").arg(document->name, stage->name));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        if (const QString problem = exportTo(path); problem.isEmpty())
            m_context.session.messages().note(tr("The picture is in %1").arg(path));
        else
            m_context.session.messages().fail(problem);
    });
    dialog->open();
}

void PicturesView::copy() {
    const QImage &image = m_panes.at(m_active)->canvas().image();
    if (!image.isNull()) QGuiApplication::clipboard()->setImage(image);
}

void PicturesView::zoomIn() { m_viewpoint.zoomBy(1.25); }
void PicturesView::zoomOut() { m_viewpoint.zoomBy(0.8); }
void PicturesView::zoomToFit() { m_viewpoint.fit(); }

void PicturesView::restyle() {
    QPalette quiet = m_empty->palette();
    quiet.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
    m_empty->setPalette(quiet);
}

} // namespace loopscope
