#include "views/pictures/stage_image.h"

#include "views/session/text.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace loopscope {

namespace {

constexpr QRgb kNoNumber = 0xffe000c0;
constexpr int kThumbnailWidth = 96;
constexpr int kThumbnailHeight = 72;
constexpr int kFine = 2; // pixels of a thumbnail to one of the screen

/// Where an element of a slice lies.
class SliceReader {
  public:
    SliceReader(const ShownStage &stage, const StageLook &look) : m_value(stage.value) {
        std::vector<int64_t> strides(stage.value.shape.size());
        int64_t stride = 1;
        for (size_t d = strides.size(); d-- > 0;) {
            strides[d] = stride;
            stride *= stage.value.shape[d];
        }
        const auto axis = [](int number) { return static_cast<size_t>(number); };
        for (size_t d = 0; d < strides.size(); ++d) {
            const int number = static_cast<int>(d);
            if (number != look.pixels.rows && number != look.pixels.columns && number != look.pixels.channels)
                m_first += strides[d] * look.at[d];
        }
        m_row = strides[axis(look.pixels.rows)];
        m_column = strides[axis(look.pixels.columns)];
        if (look.pixels.channels >= 0) m_channel = strides[axis(look.pixels.channels)];
    }
    [[nodiscard]] double at(int64_t row, int64_t column, int64_t channel = 0) const {
        const auto i = static_cast<size_t>(m_first + row * m_row + column * m_column + channel * m_channel);
        return m_value.floats.empty() ? static_cast<double>(m_value.integers[i]) : m_value.floats[i];
    }

  private:
    const TensorValue &m_value;
    int64_t m_first = 0;
    int64_t m_row = 0;
    int64_t m_column = 0;
    int64_t m_channel = 0;
};

int64_t extentOf(const ShownStage &stage, int axis) { return stage.value.shape[static_cast<size_t>(axis)]; }

int bright(double value, PictureRange range) {
    const double share = (value - range.black) / (range.white - range.black);
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 255));
}

QRgb shade(double value, ValueMapping mapping, PictureRange range) {
    if (!std::isfinite(value)) return kNoNumber;
    if (mapping != ValueMapping::Signed) {
        const int grey = bright(value, range);
        return qRgb(grey, grey, grey);
    }
    // From a light grey at zero to deep blue below and deep orange above.
    const double share = std::clamp(value / std::max(range.white, -range.black), -1.0, 1.0);
    const double strength = std::sqrt(std::fabs(share)); // small ones are seen, too
    const auto mix = [&](int zero, int far) { return static_cast<int>(std::lround(zero + (far - zero) * strength)); };
    return share < 0 ? qRgb(mix(236, 8), mix(236, 64), mix(236, 160)) : qRgb(mix(236, 190), mix(236, 70), mix(236, 0));
}

QString axisName(const ShownStage &stage, size_t axis) {
    return stage.axes[axis].isEmpty() ? QStringLiteral("axis %1").arg(axis + 1) : stage.axes[axis];
}

} // namespace

StageLook firstLook(const ShownStage &stage) {
    StageLook look;
    if (stage.pixels) look.pixels = *stage.pixels;
    look.at.assign(stage.value.shape.size(), 0);
    for (const int axis : sliceAxes(stage, look.pixels)) // a middle level shows more than the first, which is an edge
        look.at[static_cast<size_t>(axis)] = extentOf(stage, axis) > 4 ? extentOf(stage, axis) / 2 : 0;
    look.mapping = mappingFor(stage.value.dtype, stage.facts);
    if (look.pixels.channels >= 0 && look.mapping == ValueMapping::Signed) look.mapping = ValueMapping::Stretched;
    return look;
}

std::vector<int> sliceAxes(const ShownStage &stage, const PixelAxes &pixels) {
    std::vector<int> axes;
    for (int axis = 0; axis < static_cast<int>(stage.value.shape.size()); ++axis)
        if (axis != pixels.rows && axis != pixels.columns && axis != pixels.channels && extentOf(stage, axis) > 1)
            axes.push_back(axis);
    return axes;
}

PictureRange rangeOf(const ShownStage &stage, const StageLook &look) {
    return mappedRange(look.mapping, stage.value.dtype, stage.facts);
}

QImage stageImage(const ShownStage &stage, const StageLook &look, int step) {
    if (!stage.isPicture()) return {};
    const SliceReader reader(stage, look);
    const PictureRange range = rangeOf(stage, look);
    const int64_t height = (extentOf(stage, look.pixels.rows) + step - 1) / step;
    const int64_t width = (extentOf(stage, look.pixels.columns) + step - 1) / step;
    const int64_t channels = look.pixels.channels < 0 ? 1 : extentOf(stage, look.pixels.channels);
    const PictureRange opacity = mappedRange(ValueMapping::Type, stage.value.dtype, stage.facts);
    QImage image(static_cast<int>(width), static_cast<int>(height),
                 channels == 4 ? QImage::Format_ARGB32 : QImage::Format_RGB32);
    if (image.isNull()) return {};
    for (int y = 0; y < image.height(); ++y) {
        auto *line = reinterpret_cast<QRgb *>(image.scanLine(y));
        for (int x = 0; x < image.width(); ++x) {
            const int64_t row = int64_t{y} * step;
            const int64_t column = int64_t{x} * step;
            if (channels < 3) {
                line[x] = shade(reader.at(row, column), look.mapping, range);
                continue;
            }
            const double red = reader.at(row, column, 0);
            const double green = reader.at(row, column, 1);
            const double blue = reader.at(row, column, 2);
            if (!std::isfinite(red) || !std::isfinite(green) || !std::isfinite(blue)) {
                line[x] = kNoNumber;
                continue;
            }
            line[x] = qRgba(bright(red, range), bright(green, range), bright(blue, range),
                            channels == 4 ? bright(reader.at(row, column, 3), opacity) : 255);
        }
    }
    return image;
}

QImage stageThumbnail(const ShownStage &stage) {
    if (!stage.isPicture()) return {};
    const StageLook look = firstLook(stage);
    const int64_t width = extentOf(stage, look.pixels.columns);
    const int64_t height = extentOf(stage, look.pixels.rows);
    constexpr int kWidth = kThumbnailWidth * kFine;
    constexpr int kHeight = kThumbnailHeight * kFine;
    // Twice as fine as needed, so that smoothing has something to work on.
    const int64_t step = std::max<int64_t>(1, std::min(width / (2 * kWidth), height / (2 * kHeight)));
    const QImage image = stageImage(stage, look, static_cast<int>(step));
    const bool enlarged = image.width() < kWidth && image.height() < kHeight;
    QImage small = image.scaled(kWidth, kHeight, Qt::KeepAspectRatio,
                                enlarged ? Qt::FastTransformation : Qt::SmoothTransformation);
    small.setDevicePixelRatio(kFine);
    return small;
}

QColor shadeOf(double value, ValueMapping mapping, PictureRange range) {
    return QColor::fromRgb(shade(value, mapping, range));
}

QString placeText(const ShownStage &stage, const StageLook &look, int64_t row, int64_t column) {
    QStringList parts;
    for (size_t axis = 0; axis < stage.value.shape.size(); ++axis) {
        const int number = static_cast<int>(axis);
        if (number == look.pixels.channels) continue;
        const int64_t count = number == look.pixels.rows ? row : number == look.pixels.columns ? column : look.at[axis];
        parts << QStringLiteral("%1 = %2").arg(axisName(stage, axis)).arg(count + stage.origins[axis]);
    }
    return parts.join(QStringLiteral(", "));
}

QString pixelText(const ShownStage &stage, const StageLook &look, int64_t row, int64_t column) {
    const SliceReader reader(stage, look);
    const int64_t channels = look.pixels.channels < 0 ? 1 : extentOf(stage, look.pixels.channels);
    QStringList values;
    for (int64_t c = 0; c < channels; ++c) values << numberText(reader.at(row, column, c));
    return values.join(u' ');
}

QString numberText(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("\u221e") : QStringLiteral("\u2212\u221e");
    return QString::number(value, 'g', 5).replace(u'-', QChar(0x2212));
}

QString stageText(const ShownStage &stage) {
    QString text = QObject::tr("%1, %2, %3 to %4")
                       .arg(qt(dtypeName(stage.value.dtype)), shapeText(stage.value.shape),
                            numberText(stage.facts.least), numberText(stage.facts.greatest));
    if (stage.facts.noNumbers > 0) text += QObject::tr(", %1 no numbers").arg(stage.facts.noNumbers);
    return text;
}

} // namespace loopscope
