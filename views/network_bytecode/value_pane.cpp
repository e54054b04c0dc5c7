#include "views/network_bytecode/value_pane.h"

#include "views/network_bytecode/number_grid.h"
#include "views/pictures/picture_canvas.h"
#include "views/pictures/stage_strip_model.h"
#include "views/session/jobs.h"

#include <QComboBox>
#include <QHeaderView>
#include <QTableView>

#include <utility>

namespace loopscope {

ShownStage stageOf(const WideTensor &tensor, const QString &name) {
    ShownStage stage;
    stage.name = name;
    stage.value = {tensor.dtype, tensor.dims, tensor.floats, tensor.integers};
    while (stage.value.shape.size() < 2) stage.value.shape.insert(stage.value.shape.begin(), 1);
    const size_t added = stage.value.shape.size() - tensor.dims.size();
    for (size_t i = 0; i < stage.value.shape.size(); ++i)
        stage.axes.push_back(i < added ? QString() : QObject::tr("axis %1").arg(i - added));
    stage.origins.assign(stage.value.shape.size(), 0);
    stage.facts = factsOf(stage.value);
    if (stage.value.size() > 0) stage.pixels = pixelAxesOf(stage.value.shape);
    if (stage.pixels) stage.pixels->channels = -1; // numbers of a network are no colours
    return stage;
}

ValuePane::ValuePane(const ViewContext &context, QWidget *parent)
    : QTabWidget(parent), m_context(context), m_stages(new StageStripModel(this)),
      m_picture(new StagePane(context.theme, m_viewpoint, *m_stages, this)), m_grid(new NumberGrid(this)),
      m_numbers(new QTableView(this)) {
    setObjectName(QStringLiteral("bytecode_value"));
    setDocumentMode(true);
    m_picture->stageChoice().hide(); // there is one
    addTab(m_picture, tr("Picture"));
    m_numbers->setModel(m_grid);
    m_numbers->setObjectName(QStringLiteral("bytecode_numbers"));
    m_numbers->setAccessibleName(tr("Numbers of the tensor"));
    m_numbers->setFont(context.theme.codeFont());
    m_numbers->setTabKeyNavigation(false);
    m_numbers->setFrameShape(QFrame::NoFrame);
    m_numbers->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_numbers->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_numbers->horizontalHeader()->setDefaultSectionSize(m_numbers->fontMetrics().averageCharWidth() * 13);
    m_numbers->verticalHeader()->setDefaultSectionSize(m_numbers->fontMetrics().height() + 4);
    addTab(m_numbers, tr("Numbers"));
    connect(m_picture, &StagePane::shown, this, &ValuePane::lookedAt);
    connect(&m_picture->canvas(), &PictureCanvas::resized, this, &ValuePane::fit);
    connect(&context.theme, &Theme::changed, this, [this] { m_numbers->setFont(m_context.theme.codeFont()); });
}

ValuePane::~ValuePane() { m_context.session.jobs().cancel(std::exchange(m_job, 0)); }

void ValuePane::lookedAt() {
    m_grid->show(m_stages->run(), m_picture->stage(), m_picture->look());
    fit();
}

void ValuePane::fit() { m_viewpoint.setContent(m_picture->canvas().place(), m_picture->canvas().size()); }

void ValuePane::take(PictureRunPtr run) {
    m_grid->show({}, nullptr, {});
    m_stages->setRun(std::move(run));
    m_picture->show(m_stages->stage(0) != nullptr ? 0 : -1);
}

/// Tensors may be large, and what one is like takes a look at every element.
void ValuePane::show(const HeldRegister *value) {
    const SharedTensor tensor = value != nullptr ? value->tensor : nullptr;
    const QString name = tensor == nullptr        ? QString()
                         : value->holds.isEmpty() ? value->name()
                                                  : QStringLiteral("%1 (%2)").arg(value->name(), value->holds);
    if (tensor == m_shown && name == m_name) return;
    m_context.session.jobs().cancel(std::exchange(m_job, 0));
    m_shown = tensor;
    m_name = name;
    if (!tensor) return take({});
    m_job = m_context.session.jobs().start(
        tr("Looking at %1").arg(name), this,
        [tensor, name](JobControl &) {
            auto run = std::make_shared<PictureRun>();
            run->stages.push_back(stageOf(*tensor, name));
            return run;
        },
        [this](const std::shared_ptr<PictureRun> &run) {
            m_job = 0;
            take(run);
        },
        nullptr, Jobs::Lane::WaitedFor);
}

} // namespace loopscope
