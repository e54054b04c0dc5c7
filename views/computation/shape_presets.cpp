#include "views/computation/shape_presets.h"

#include "views/session/text.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace loopscope {

namespace {

/// Names of workloads (a pattern), what is shown, parameters.
struct Known {
    const char *workloads;
    const char *name;
    const char *params;
};

// Layer shapes as published: ResNet-50 (He et al. 2015, stride in the 3x3), MobileNet V1 (Howard et al. 2017), BERT
// base (Devlin et al. 2018), VGG-16 (Simonyan and Zisserman 2014), DCGAN (Radford et al. 2015).
constexpr const char *kConv = "^conv2d_(nchw|nhwc|bias_relu|bias_relu_nhwc|bias_relu_nchw|bn_relu|bn_relu_nhwc|layer)$";
constexpr const char *kAnyWinograd = "winograd";
constexpr const char *kAnyDepthwise = "^depthwise";
constexpr const char *kMatmul = "^matmul";
constexpr const char *kBatchMatmul = "^batch_matmul$";

constexpr Known kKnown[] = {
    {kConv, "ResNet-50 conv1 7x7 / 2, 224x224x3 to 64", "H=224 W=224 CI=3 CO=64 K=7 stride=2 pad=3"},
    {kConv, "ResNet-50 conv2_x 1x1, 56x56x64 to 64", "H=56 W=56 CI=64 CO=64 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv2_x 3x3, 56x56x64", "H=56 W=56 CI=64 CO=64 K=3 stride=1 pad=1"},
    {kConv, "ResNet-50 conv2_x 1x1, 56x56x64 to 256", "H=56 W=56 CI=64 CO=256 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv2_x 1x1, 56x56x256 to 64", "H=56 W=56 CI=256 CO=64 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv3_x 1x1, 56x56x256 to 128", "H=56 W=56 CI=256 CO=128 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv3_x 3x3 / 2, 56x56x128", "H=56 W=56 CI=128 CO=128 K=3 stride=2 pad=1"},
    {kConv, "ResNet-50 conv3_x 3x3, 28x28x128", "H=28 W=28 CI=128 CO=128 K=3 stride=1 pad=1"},
    {kConv, "ResNet-50 conv3_x 1x1, 28x28x128 to 512", "H=28 W=28 CI=128 CO=512 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv3_x 1x1, 28x28x512 to 128", "H=28 W=28 CI=512 CO=128 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv3_x shortcut 1x1 / 2, 56x56x256 to 512", "H=56 W=56 CI=256 CO=512 K=1 stride=2 pad=0"},
    {kConv, "ResNet-50 conv4_x 3x3 / 2, 28x28x256", "H=28 W=28 CI=256 CO=256 K=3 stride=2 pad=1"},
    {kConv, "ResNet-50 conv4_x 3x3, 14x14x256", "H=14 W=14 CI=256 CO=256 K=3 stride=1 pad=1"},
    {kConv, "ResNet-50 conv4_x 1x1, 14x14x256 to 1024", "H=14 W=14 CI=256 CO=1024 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv4_x 1x1, 14x14x1024 to 256", "H=14 W=14 CI=1024 CO=256 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv5_x 3x3 / 2, 14x14x512", "H=14 W=14 CI=512 CO=512 K=3 stride=2 pad=1"},
    {kConv, "ResNet-50 conv5_x 3x3, 7x7x512", "H=7 W=7 CI=512 CO=512 K=3 stride=1 pad=1"},
    {kConv, "ResNet-50 conv5_x 1x1, 7x7x512 to 2048", "H=7 W=7 CI=512 CO=2048 K=1 stride=1 pad=0"},
    {kConv, "ResNet-50 conv5_x 1x1, 7x7x2048 to 512", "H=7 W=7 CI=2048 CO=512 K=1 stride=1 pad=0"},
    {kConv, "VGG-16 conv1_2 3x3, 224x224x64", "H=224 W=224 CI=64 CO=64 K=3 stride=1 pad=1"},
    {kConv, "VGG-16 conv4_2 3x3, 28x28x512", "H=28 W=28 CI=512 CO=512 K=3 stride=1 pad=1"},
    {kAnyWinograd, "ResNet-50 conv2_x 3x3, 56x56x64", "H=56 W=56 CI=64 CO=64 pad=1"},
    {kAnyWinograd, "ResNet-50 conv3_x 3x3, 28x28x128", "H=28 W=28 CI=128 CO=128 pad=1"},
    {kAnyWinograd, "ResNet-50 conv4_x 3x3, 14x14x256", "H=14 W=14 CI=256 CO=256 pad=1"},
    {kAnyWinograd, "ResNet-50 conv5_x 3x3, 7x7x512", "H=7 W=7 CI=512 CO=512 pad=1"},
    {"^winograd_bias_relu", "ResNet-50 conv2_x 3x3, 56x56x64", "H=56 W=56 CI=64 CO=64"},
    {"^winograd_bias_relu", "ResNet-50 conv4_x 3x3, 14x14x256", "H=14 W=14 CI=256 CO=256"},
    {kAnyDepthwise, "MobileNet V1 3x3, 112x112x32", "H=112 W=112 C=32 K=3 stride=1 pad=1"},
    {kAnyDepthwise, "MobileNet V1 3x3 / 2, 112x112x64", "H=112 W=112 C=64 K=3 stride=2 pad=1"},
    {kAnyDepthwise, "MobileNet V1 3x3, 56x56x128", "H=56 W=56 C=128 K=3 stride=1 pad=1"},
    {kAnyDepthwise, "MobileNet V1 3x3, 28x28x256", "H=28 W=28 C=256 K=3 stride=1 pad=1"},
    {kAnyDepthwise, "MobileNet V1 3x3, 14x14x512", "H=14 W=14 C=512 K=3 stride=1 pad=1"},
    {kAnyDepthwise, "MobileNet V1 3x3, 7x7x1024", "H=7 W=7 C=1024 K=3 stride=1 pad=1"},
    {kMatmul, "256 cubed", "M=256 N=256 K=256"},
    {kMatmul, "512 cubed", "M=512 N=512 K=512"},
    {kMatmul, "1024 cubed", "M=1024 N=1024 K=1024"},
    {kMatmul, "2048 cubed", "M=2048 N=2048 K=2048"},
    {kMatmul, "BERT base projection, 128 tokens: 128x768x768", "M=128 N=768 K=768"},
    {kMatmul, "BERT base feed-forward in, 128 tokens: 128x3072x768", "M=128 N=3072 K=768"},
    {kMatmul, "BERT base feed-forward out, 128 tokens: 128x768x3072", "M=128 N=768 K=3072"},
    {"^dense", "ResNet-50 classifier, 2048 to 1000", "N=1 CI=2048 CO=1000"},
    {"^dense", "ResNet-18 classifier, 512 to 1000", "N=1 CI=512 CO=1000"},
    {"^dense", "VGG-16 fc6, 25088 to 4096", "N=1 CI=25088 CO=4096"},
    {"^dense", "BERT base feed-forward in, 128 tokens: 768 to 3072", "N=128 CI=768 CO=3072"},
    {kBatchMatmul, "BERT base attention scores, 12 heads, 128 tokens", "B=12 N=128 M=128 K=64"},
    {kBatchMatmul, "BERT base attention values, 12 heads, 128 tokens", "B=12 N=128 M=64 K=128"},
    {"^transpose_batch_matmul", "BERT base attention scores, 128 tokens", "batch=1 length=128 heads=12 dim=64"},
    {"^transpose_batch_matmul", "BERT large attention scores, 384 tokens", "batch=1 length=384 heads=16 dim=64"},
    {"^softmax", "BERT base attention, 12 heads, 128 tokens", "M=1536 N=128"},
    {"^softmax", "ImageNet classes", "M=1 N=1000"},
    {"^layer_norm", "BERT base, 128 tokens", "M=128 N=768"},
    {"^layer_norm", "BERT large, 384 tokens", "M=384 N=1024"},
    {"^max_pool2d", "ResNet-50 pool1 3x3 / 2, 112x112x64", "H=112 W=112 C=64 K=3 stride=2 pad=1"},
    {"^global_avg_pool", "ResNet-50, 7x7x2048", "H=7 W=7 C=2048"},
    {"^conv2d_transpose", "DCGAN conv2, 4x4x1024 to 512", "H=4 W=4 CI=1024 CO=512 K=4 stride=2 pad=1"},
};

ParamOverrides parseParams(const QStringList &words) {
    ParamOverrides params;
    for (const QString &word : words) {
        const QString value = word.section(u'=', 1);
        bool number = false;
        const qlonglong integer = value.toLongLong(&number);
        if (!number) return {};
        params.emplace_back(std8(word.section(u'=', 0, 0)), integer);
    }
    return params;
}

bool fits(const ParamOverrides &preset, const std::vector<WorkloadParam> &params) {
    return !preset.empty() && std::all_of(preset.begin(), preset.end(), [&](const auto &entry) {
        return std::any_of(params.begin(), params.end(),
                           [&](const WorkloadParam &param) { return param.name == entry.first; });
    });
}

/// A value of a benchmark line by name; -1 when the line does not have it.
int64_t valueOf(const ParamOverrides &params, const char *name) {
    for (const auto &[key, value] : params)
        if (key == name) return value;
    return -1;
}

/// "3×3 / 2, 56×56×64 to 128, 4 groups" where the parameters have the usual names; all of them as they are otherwise.
QString wordsFor(const ParamOverrides &params) {
    const QString times = QStringLiteral("\u00d7");
    const int64_t h = valueOf(params, "H");
    const int64_t w = valueOf(params, "W");
    const int64_t ci = valueOf(params, "CI");
    const int64_t k = valueOf(params, "K");
    if (h > 0 && w > 0 && k > 0 && (ci > 0 || valueOf(params, "C") > 0)) {
        const int64_t depth = valueOf(params, "D");
        const QString side = QString::number(k);
        QString text = (depth > 0 ? QStringList{side, side, side} : QStringList{side, side}).join(times);
        if (valueOf(params, "stride") > 1) text += QStringLiteral(" / %1").arg(valueOf(params, "stride"));
        text += QStringLiteral(", ");
        QStringList sizes{QString::number(h), QString::number(w), QString::number(ci > 0 ? ci : valueOf(params, "C"))};
        if (depth > 0) sizes.prepend(QString::number(depth));
        text += sizes.join(times);
        if (valueOf(params, "CO") > 0) text += QStringLiteral(" to %1").arg(valueOf(params, "CO"));
        if (valueOf(params, "groups") > 1) text += QStringLiteral(", %1 groups").arg(valueOf(params, "groups"));
        if (valueOf(params, "dilation") > 1) text += QStringLiteral(", dilation %1").arg(valueOf(params, "dilation"));
        return text;
    }
    QStringList parts;
    for (const auto &[name, value] : params) parts << QStringLiteral("%1 = %2").arg(qt(name)).arg(value);
    return parts.join(QStringLiteral(", "));
}

QString pretty(const char *name) {
    static const QRegularExpression between(QStringLiteral("(?<=\\d)x(?=\\d)"));
    return QString::fromLatin1(name).replace(between, QStringLiteral("\u00d7"));
}

} // namespace

std::vector<BenchmarkLine> parseBenchmarks(const QString &text) {
    std::vector<BenchmarkLine> lines;
    for (const QString &line : text.split(u'\n')) {
        const QString bare = line.section(u'#', 0, 0).simplified();
        const QStringList words = bare.split(u' ', Qt::SkipEmptyParts);
        if (words.size() < 3) continue;
        ParamOverrides params = parseParams(words.mid(2));
        if (!params.empty()) lines.push_back({words[0], words[1], std::move(params)});
    }
    return lines;
}

std::vector<ShapePreset> presetsFor(const QString &workload, const std::vector<WorkloadParam> &params,
                                    const std::vector<BenchmarkLine> &benchmarks) {
    std::vector<ShapePreset> presets;
    const auto add = [&](ShapePreset preset) {
        if (!fits(preset.params, params)) return;
        const auto same = [&](const ShapePreset &other) { return other.params == preset.params; };
        if (std::none_of(presets.begin(), presets.end(), same)) presets.push_back(std::move(preset));
    };
    for (const Known &known : kKnown)
        if (QRegularExpression(QLatin1String(known.workloads)).match(workload).hasMatch())
            add({pretty(known.name), QStringLiteral("Networks"),
                 parseParams(QString::fromLatin1(known.params).split(u' '))});
    for (const BenchmarkLine &line : benchmarks)
        if (line.file.section(u'.', 0, 0) == workload)
            add({wordsFor(line.params), QStringLiteral("Benchmark ") + line.kind, line.params});
    return presets;
}

int presetOf(const std::vector<ShapePreset> &presets, const std::vector<WorkloadParam> &params) {
    for (size_t p = 0; p < presets.size(); ++p) {
        const bool same = std::all_of(params.begin(), params.end(), [&](const WorkloadParam &param) {
            for (const auto &[name, value] : presets[p].params)
                if (name == param.name) return value == param.value;
            return param.value == param.fallback;
        });
        if (same) return static_cast<int>(p);
    }
    return -1;
}

} // namespace loopscope
