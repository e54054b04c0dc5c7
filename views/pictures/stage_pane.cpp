#include "views/pictures/stage_pane.h"

#include "views/pictures/picture_canvas.h"
#include "views/pictures/stage_legend.h"
#include "views/pictures/stage_strip_model.h"
#include "views/session/text.h"

#include <QActionGroup>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr int kPaneSpace = 6;

QString mappingName(ValueMapping mapping) {
    switch (mapping) {
    case ValueMapping::Stretched:
        return QObject::tr("Stretched");
    case ValueMapping::Most:
        return QObject::tr("Most of it");
    case ValueMapping::Unit:
        return QObject::tr("0 to 1");
    case ValueMapping::Signed:
        return QObject::tr("Signed");
    case ValueMapping::Type:
        return QObject::tr("By type");
    }
    return {};
}

QString axisText(const ShownStage &stage, int axis) {
    const auto d = static_cast<size_t>(axis);
    const QString name = stage.axes[d].isEmpty() ? QObject::tr("axis %1").arg(axis + 1) : stage.axes[d];
    return QObject::tr("%1, of %2").arg(name).arg(stage.value.shape[d]);
}

/// As a level of a pyramid over `reference`: how much smaller, in powers of two.
double levelOf(QSize stage, QSize reference) {
    if (stage.isEmpty() || reference.isEmpty()) return 1;
    const double share = static_cast<double>(reference.width()) * reference.height() /
                         (static_cast<double>(stage.width()) * stage.height());
    return std::exp2(std::round(std::log2(share) / 2));
}

} // namespace

StagePane::StagePane(Theme &theme, Viewpoint &viewpoint, StageStripModel &stages, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_viewpoint(viewpoint), m_stages(stages) {
    build();
    connect(&viewpoint, &Viewpoint::cursorMoved, this, &StagePane::tell);
    tell();
}

void StagePane::build() {
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kPaneSpace / 2);
    auto *head = new QHBoxLayout;
    head->setSpacing(kPaneSpace);
    m_stage = new QComboBox(this);
    m_stage->setModel(&m_stages);
    m_stage->setIconSize({0, 0}); // names alone; the strip has the pictures
    m_stage->setAccessibleName(tr("Stage"));
    m_stage->setToolTip(tr("Which input, stage or output is shown here"));
    m_stage->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_stage->setMinimumContentsLength(6);
    m_stage->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    head->addWidget(m_stage, 3);
    m_mapping = new QComboBox(this);
    for (const ValueMapping mapping :
         {ValueMapping::Stretched, ValueMapping::Most, ValueMapping::Unit, ValueMapping::Signed, ValueMapping::Type})
        m_mapping->addItem(mappingName(mapping), static_cast<int>(mapping));
    m_mapping->setAccessibleName(tr("Brightness"));
    m_mapping->setToolTip(
        tr("Which values are black and white: the least and the greatest, the same without the hundredth "
           "part at either end, 0 and 1, as far below zero as above it, all that the type holds"));
    m_mapping->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_mapping->setMinimumContentsLength(8);
    m_mapping->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    head->addWidget(m_mapping, 2);
    m_axes = new QPushButton(this);
    m_axes->setText(tr("Axes"));
    m_axes->setAccessibleName(tr("Axes"));
    m_axes->setToolTip(tr("Which axes are rows, columns and colours"));
    m_axesMenu = new QMenu(m_axes);
    m_axes->setMenu(m_axesMenu);
    head->addWidget(m_axes);
    column->addLayout(head);
    m_canvas = new PictureCanvas(m_theme, m_viewpoint, this);
    m_canvas->setAccessibleName(tr("Picture"));
    setFocusProxy(m_canvas);
    column->addWidget(m_canvas, 1);
    m_slices = new QWidget(this);
    m_sliceLines = new QVBoxLayout(m_slices);
    m_sliceLines->setContentsMargins(0, 0, 0, 0);
    m_sliceLines->setSpacing(0);
    column->addWidget(m_slices);
    m_legend = new StageLegend(m_theme, this);
    column->addWidget(m_legend);
    m_readout = new ElidedLabel(this);
    m_readout->setAccessibleName(tr("Value under the cursor"));
    column->addWidget(m_readout);

    connect(m_stage, &QComboBox::activated, this, [this](int row) {
        Q_EMIT entered();
        Q_EMIT stageChosen(row);
    });
    connect(m_mapping, &QComboBox::activated, this, [this] {
        Q_EMIT entered();
        m_look.mapping = static_cast<ValueMapping>(m_mapping->currentData().toInt());
        lookedAt();
    });
    connect(m_canvas, &PictureCanvas::entered, this, &StagePane::entered);
    connect(m_canvas, &PictureCanvas::stageStepped, this, &StagePane::stageStepped);
    connect(m_canvas, &PictureCanvas::menuRequested, this, &StagePane::menuRequested);
}

const ShownStage *StagePane::stage() const { return m_stages.stage(m_row); }

void StagePane::setActive(bool active) {
    QFont bold = font();
    bold.setBold(active);
    m_stage->setFont(bold);
}

void StagePane::renew(const QString &fallback) {
    const int same = m_stages.rowOf(m_name);
    show(same >= 0 ? same : m_stages.rowOf(fallback));
}

void StagePane::show(int row) {
    m_row = row;
    const ShownStage *shown = stage();
    m_name = shown != nullptr ? shown->name : QString();
    if (shown != nullptr) {
        m_look = firstLook(*shown);
        const auto chosen = m_chosen.constFind(m_name);
        if (chosen != m_chosen.constEnd() && chosen->at.size() == m_look.at.size()) {
            m_look = *chosen;
            for (size_t d = 0; d < m_look.at.size(); ++d) // the size may be another
                m_look.at[d] = std::clamp<int64_t>(m_look.at[d], 0, shown->value.shape[d] - 1);
        }
    }
    m_stage->setCurrentIndex(row);
    m_mapping->setCurrentIndex(m_mapping->findData(static_cast<int>(m_look.mapping)));
    m_mapping->setEnabled(shown != nullptr && shown->isPicture());
    fillSliders();
    fillAxes();
    lookAgain();
}

void StagePane::lookAgain() {
    const ShownStage *shown = stage();
    m_legend->setStage(shown, m_look);
    if (shown == nullptr) {
        m_canvas->setNotice({});
    } else if (!shown->isPicture()) {
        m_canvas->setNotice(tr("%1 is %2. A picture has two axes at least.").arg(shown->name, stageText(*shown)));
    } else {
        const QImage image = stageImage(*shown, m_look);
        const double level = levelOf(image.size(), m_reference);
        const auto origin = [&](int axis) { return static_cast<double>(shown->origins[static_cast<size_t>(axis)]); };
        m_canvas->setImage(image, {origin(m_look.pixels.columns) * level, origin(m_look.pixels.rows) * level,
                                   image.width() * level, image.height() * level});
    }
    tell();
    Q_EMIT this->shown();
}

/// One for each axis that is walked along.
void StagePane::fillSliders() {
    m_sliders.clear();
    while (QLayoutItem *line = m_sliceLines->takeAt(0)) {
        delete line->widget();
        delete line;
    }
    const ShownStage *shown = stage();
    const std::vector<int> axes =
        shown != nullptr && shown->isPicture() ? sliceAxes(*shown, m_look.pixels) : std::vector<int>();
    m_slices->setVisible(!axes.empty());
    for (const int axis : axes) {
        const auto d = static_cast<size_t>(axis);
        auto *line = new QWidget(m_slices);
        auto *row = new QHBoxLayout(line);
        row->setContentsMargins(0, 0, 0, 0);
        auto *label = new QLabel(line);
        auto *slider = new QSlider(Qt::Horizontal, line);
        slider->setRange(0, static_cast<int>(shown->value.shape[d]) - 1);
        slider->setPageStep(std::max(1, slider->maximum() / 8));
        slider->setValue(static_cast<int>(m_look.at[d]));
        slider->setAccessibleName(axisText(*shown, axis));
        const auto say = [label, shown, d, axis](int64_t at) {
            const int64_t first = shown->origins[d];
            label->setText(tr("%1 = %2 of %3 to %4")
                               .arg(shown->axes[d].isEmpty() ? tr("axis %1").arg(axis + 1) : shown->axes[d])
                               .arg(at + first)
                               .arg(first)
                               .arg(first + shown->value.shape[d] - 1));
        };
        say(m_look.at[d]);
        row->addWidget(label);
        row->addWidget(slider, 1);
        m_sliceLines->addWidget(line);
        m_sliders.push_back(slider);
        connect(slider, &QSlider::valueChanged, this, [this, d, say](int value) {
            if (m_look.at.size() <= d) return;
            m_look.at[d] = value;
            say(value);
            lookedAt();
        });
    }
}

void StagePane::fillAxes() {
    m_axesMenu->clear();
    const ShownStage *shown = stage();
    const bool several = shown != nullptr && shown->isPicture() && shown->value.shape.size() > 2;
    m_axes->setVisible(several);
    if (!several) return;
    const auto add = [&](const QString &title, int PixelAxes::*which, bool mayBeNone) {
        QMenu *menu = m_axesMenu->addMenu(title);
        auto *group = new QActionGroup(menu);
        const auto entry = [&](const QString &text, int axis) {
            QAction *action = menu->addAction(text);
            action->setCheckable(true);
            action->setChecked(m_look.pixels.*which == axis);
            group->addAction(action);
            connect(action, &QAction::triggered, this, [this, which, axis] { chooseAxis(which, axis); });
        };
        if (mayBeNone) entry(tr("None: shades of one value"), -1);
        for (int axis = 0; axis < static_cast<int>(shown->value.shape.size()); ++axis) {
            const int64_t extent = shown->value.shape[static_cast<size_t>(axis)];
            if (!mayBeNone || extent == 3 || extent == 4) entry(axisText(*shown, axis), axis);
        }
    };
    add(tr("Downward"), &PixelAxes::rows, false);
    add(tr("To the right"), &PixelAxes::columns, false);
    add(tr("Red, green, blue"), &PixelAxes::channels, true);
}

/// Whichever had that axis gets the one that is given up.
void StagePane::chooseAxis(int PixelAxes::*which, int axis) {
    const ShownStage *shown = stage();
    if (shown == nullptr || m_look.pixels.*which == axis) return;
    const int given = m_look.pixels.*which;
    for (int PixelAxes::*other : {&PixelAxes::rows, &PixelAxes::columns})
        if (axis >= 0 && m_look.pixels.*other == axis) {
            if (given < 0) return; // rows and columns cannot go without
            m_look.pixels.*other = given;
        }
    if (axis >= 0 && m_look.pixels.channels == axis) m_look.pixels.channels = -1;
    m_look.pixels.*which = axis;
    fillSliders();
    fillAxes();
    lookedAt();
}

/// By the user: the same when the stage is shown again.
void StagePane::lookedAt() {
    m_chosen[m_name] = m_look;
    lookAgain();
}

void StagePane::tell() {
    const ShownStage *shown = stage();
    if (shown == nullptr) return m_readout->clear();
    const auto pixel = m_canvas->pixelUnderCursor();
    if (!pixel || !shown->isPicture()) return m_readout->setText(stageText(*shown));
    m_readout->setText(QStringLiteral("%1[%2]  %3")
                           .arg(shown->name, placeText(*shown, m_look, pixel->second, pixel->first),
                                pixelText(*shown, m_look, pixel->second, pixel->first)));
}

} // namespace loopscope
