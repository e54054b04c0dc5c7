#pragma once
// A stage as an image: one slice of its values, mapped to brightness. Values of both signs around zero are blue and
// orange; what is no number has a colour that no photograph has.

#include "views/pictures/picture_run.h"

#include <QColor>
#include <QImage>
#include <QString>

#include <vector>

namespace loopscope {

/// What of a stage is seen, and how.
struct StageLook {
    PixelAxes pixels;
    std::vector<int64_t> at; // counts along the other axes; those of the picture's are not looked at
    ValueMapping mapping = ValueMapping::Stretched;
    bool operator==(const StageLook &) const = default;
};

/// The first look: by itself, the middle of what has no channels.
StageLook firstLook(const ShownStage &stage);
/// Axes one can walk along: not those of the picture, and of more than one element.
std::vector<int> sliceAxes(const ShownStage &stage, const PixelAxes &pixels);
PictureRange rangeOf(const ShownStage &stage, const StageLook &look);

/// Every `step`th pixel of it.
QImage stageImage(const ShownStage &stage, const StageLook &look, int step = 1);
/// Of at most 96 x 72 pixels, doubled for fine screens; null where the stage is no picture.
QImage stageThumbnail(const ShownStage &stage);
/// The colour of a value of one channel.
QColor shadeOf(double value, ValueMapping mapping, PictureRange range);

/// "y = 12, x = 31"; coordinates are those of the workload's text.
QString placeText(const ShownStage &stage, const StageLook &look, int64_t row, int64_t column);
/// "0.25", "0.25 0.5 0.125" of several channels.
QString pixelText(const ShownStage &stage, const StageLook &look, int64_t row, int64_t column);
/// "float32, 144 × 192, -0.1 to 0.3": what a stage is in one line.
QString stageText(const ShownStage &stage);
QString numberText(double value);

} // namespace loopscope
