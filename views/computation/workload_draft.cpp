#include "views/computation/workload_draft.h"

#include "base/outcome.h"
#include "language/te/workload.h"
#include "views/session/text.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

/// What an operator begins with. Lists are separated by blanks, expressions in them have none.
struct Row {
    const char *op;
    const char *params;
    const char *tensors; // data[N,CI,H,W]
    const char *args;
    const char *lets = "";
    const char *result = "";
    int channelAxis = -1;
};

#define LOOPSCOPE_OUT(name, in) name "=(" in "+2*pad-dilation*(K-1)-1)/stride+1"
constexpr const char *kConvArgs = "stride=stride pad=pad dilation=dilation groups=groups";
constexpr const char *kOhOw = LOOPSCOPE_OUT("OH", "H") " " LOOPSCOPE_OUT("OW", "W");
constexpr const char *kOdOhOw = LOOPSCOPE_OUT("OD", "D") " " LOOPSCOPE_OUT("OH", "H") " " LOOPSCOPE_OUT("OW", "W");
constexpr const char *kConv2d = "N=1 H=14 W=14 CI=256 CO=256 K=3 stride=1 pad=1 dilation=1 groups=1";
constexpr const char *kConv3d = "N=1 D=16 H=14 W=14 CI=256 CO=256 K=3 stride=1 pad=1 dilation=1 groups=1";
constexpr const char *kConv1d = "N=1 L=256 CI=64 CO=128 K=3 stride=2 pad=1 dilation=1 groups=1";
constexpr const char *kDepthwiseSizes = "N=1 H=112 W=112 C=32 M=1 K=3 stride=1 pad=1 dilation=1";
constexpr const char *kTransposed = "N=1 H=4 W=4 CI=512 CO=256 K=4 stride=2 pad=1";
constexpr const char *kWinogradSizes = "N=1 H=14 W=14 CI=256 CO=256 pad=1 tile=4";
constexpr const char *kPool = "N=1 C=64 H=112 W=112 K=3 stride=2 pad=1";

constexpr Row kRows[] = {
    {"matmul", "M=512 N=512 K=512", "data[M,K] weight[K,N]", "", "", "M,N"},
    {"dense", "M=128 N=768 K=768", "data[M,K] weight[N,K]", "", "", "M,N"},
    {"batch_matmul", "B=12 M=128 N=128 K=64", "data[B,M,K] weight[B,K,N]", "", "", "B,M,N"},
    {"transpose_batch_matmul", "batch=1 length=128 heads=12 dim=64",
     "query[batch,length,heads,dim] value[batch,length,heads,dim]", ""},
    {"conv1d_nlc", kConv1d, "data[N,L,CI] weight[K,CI/groups,CO]", kConvArgs, LOOPSCOPE_OUT("OL", "L"), "N,OL,CO"},
    {"conv1d_ncl", kConv1d, "data[N,CI,L] weight[CO,CI/groups,K]", kConvArgs, LOOPSCOPE_OUT("OL", "L"), "N,CO,OL", 1},
    {"conv2d_nhwc", kConv2d, "data[N,H,W,CI] weight[K,K,CI/groups,CO]", kConvArgs, kOhOw, "N,OH,OW,CO"},
    {"conv2d_nchw", kConv2d, "data[N,CI,H,W] weight[CO,CI/groups,K,K]", kConvArgs, kOhOw, "N,CO,OH,OW", 1},
    {"conv3d_ndhwc", kConv3d, "data[N,D,H,W,CI] weight[K,K,K,CI/groups,CO]", kConvArgs, kOdOhOw, "N,OD,OH,OW,CO"},
    {"conv3d_ncdhw", kConv3d, "data[N,CI,D,H,W] weight[CO,CI/groups,K,K,K]", kConvArgs, kOdOhOw, "N,CO,OD,OH,OW", 1},
    {"conv2d_capsule_nhwijc", "N=1 H=16 W=16 CI=32 CO=32 K=3 stride=2 pad=1 P=4",
     "data[N,H,W,P,P,CI] weight[K,K,P,P,CI,CO]", "stride=stride pad=pad"},
    {"conv2d_bias_relu_nchw", kConv2d, "data[N,CI,H,W] weight[CO,CI/groups,K,K] bias[1,CO,1,1]", kConvArgs, kOhOw,
     "N,CO,OH,OW", 1},
    {"conv2d_bias_relu_nhwc", kConv2d, "data[N,H,W,CI] weight[K,K,CI/groups,CO] bias[1,1,1,CO]", kConvArgs, kOhOw,
     "N,OH,OW,CO"},
    {"conv2d_bn_relu_nhwc", kConv2d, "data[N,H,W,CI] weight[K,K,CI/groups,CO] bias[CO] bn_scale[CO] bn_offset[CO]",
     kConvArgs, kOhOw, "N,OH,OW,CO"},
    {"depthwise_conv2d_nhwc", kDepthwiseSizes, "data[N,H,W,C] weight[K,K,C,M]",
     "stride=stride pad=pad dilation=dilation", kOhOw, "N,OH,OW,C*M"},
    {"depthwise_conv2d_nchw", kDepthwiseSizes, "data[N,C,H,W] weight[C,M,K,K]",
     "stride=stride pad=pad dilation=dilation", kOhOw, "N,C*M,OH,OW", 1},
    {"conv2d_transpose_nhwc", kTransposed, "data[N,H,W,CI] weight[K,K,CI,CO]", "stride=stride pad=pad"},
    {"conv2d_transpose_nchw", kTransposed, "data[N,CI,H,W] weight[CI,CO,K,K]", "stride=stride pad=pad", "", "", 1},
    {"conv2d_winograd_nhwc", kWinogradSizes, "data[N,H,W,CI] weight[tile+2,tile+2,CO,CI]", "pad=pad tile=tile", "",
     "N,H+2*pad-2,W+2*pad-2,CO"},
    {"conv2d_winograd_nchw", kWinogradSizes, "data[N,CI,H,W] weight[tile+2,tile+2,CI,CO]", "pad=pad tile=tile", "",
     "N,CO,H+2*pad-2,W+2*pad-2", 1},
    {"conv2d_winograd_tiled", kWinogradSizes, "data[N,CI,H,W] weight[tile+2,tile+2,CI,CO]", "pad=pad tile=tile", "",
     "N,CO,H+2*pad-2,W+2*pad-2", 1},
    {"max_pool2d", kPool, "data[N,C,H,W]", "kernel=K stride=stride pad=pad", "", "", 1},
    {"avg_pool2d", kPool, "data[N,C,H,W]", "kernel=K stride=stride pad=pad", "", "", 1},
    {"adaptive_max_pool2d", "N=1 C=2048 H=7 W=7", "data[N,C,H,W]", "output_size=1", "", "N,C,1,1", 1},
    {"adaptive_avg_pool2d", "N=1 C=2048 H=7 W=7", "data[N,C,H,W]", "output_size=1", "", "N,C,1,1", 1},
    {"softmax", "M=1024 N=1024", "data[M,N]", "", "", "M,N"},
    {"layer_norm", "M=128 N=768", "data[M,N] gamma[N] beta[N]", "", "", "M,N"},
    {"norm", "B=1 M=1024 N=1024", "data[B,M,N]", ""},
    {"clip", "M=1024 N=1024", "data[M,N]", "low=0 high=6", "", "M,N"},
    {"bias_add", "N=1 C=64 H=56 W=56", "data[N,C,H,W] bias[C]", "", "", "N,C,H,W", 1},
    {"broadcast_to", "M=1024 N=2048", "data[M,1]", "shape=[M,N]", "", "M,N"},
    {"cast", "M=1024 N=1024", "data[M,N]", "out_dtype=float16"},
    {"sum", "M=1024 N=2048", "data[M,N]", "axis=1"},
    {"prod", "M=1024 N=2048", "data[M,N]", "axis=1"},
    {"min", "M=1024 N=2048", "data[M,N]", "axis=1"},
    {"max", "M=1024 N=2048", "data[M,N]", "axis=1"},
    {"mean", "M=1024 N=2048", "data[M,N]", "axis=1"},
    {"argmax", "M=128 N=1000", "data[M,N]", "axis=1"},
    {"argmin", "M=128 N=1000", "data[M,N]", "axis=1"},
    {"transpose", "N=1 H=56 W=56 C=64", "data[N,H,W,C]", "axes=[0,3,1,2]", "", "N,C,H,W", 1},
    {"reshape", "N=1 C=512 H=7 W=7", "data[N,C,H,W]", "shape=[N,C*H*W]", "", "N,C*H*W"},
    {"concat", "N=1 H=28 W=28 C1=128 C2=192", "left[N,H,W,C1] right[N,H,W,C2]", "axis=3", "", "N,H,W,C1+C2"},
    {"pad", "N=1 H=224 W=224 C=3 P=3", "data[N,H,W,C]", "before=[0,P,P,0]", "", "N,H+2*P,W+2*P,C"},
};
#undef LOOPSCOPE_OUT

const Row *rowOf(const std::string &op) {
    for (const Row &row : kRows)
        if (op == row.op) return &row;
    return nullptr;
}

QStringList wordsOf(const char *list) { return QString::fromLatin1(list).split(u' ', Qt::SkipEmptyParts); }

/// Room after commas and around operators, as people write.
QString spaced(QString text) {
    text.replace(u',', QStringLiteral(", "));
    for (const char *sign : {"/", "+", "-"})
        text.replace(QLatin1String(sign), QStringLiteral(" %1 ").arg(QLatin1String(sign)));
    return text;
}

QString fallbackText(const ArgValue &value) {
    if (const auto *integer = std::get_if<int64_t>(&value)) return QString::number(*integer);
    if (const auto *number = std::get_if<double>(&value)) return QString::number(*number);
    if (const auto *text = std::get_if<std::string>(&value)) return qt(*text);
    if (const auto *list = std::get_if<std::vector<int64_t>>(&value)) {
        QStringList parts;
        for (const int64_t item : *list) parts << QString::number(item);
        return parts.size() == 1 ? parts[0] : u'[' + parts.join(QStringLiteral(", ")) + u']';
    }
    return {};
}

QStringList choicesOf(const QString &arg) {
    if (arg == QLatin1String("layout")) return {QStringLiteral("NCHW"), QStringLiteral("NHWC")};
    if (arg == QLatin1String("style")) return {QStringLiteral("library"), QStringLiteral("benchmark")};
    if (!arg.endsWith(QLatin1String("dtype"))) return {};
    QStringList types;
    for (int type = 0; type <= static_cast<int>(DType::Float64); ++type)
        types << qt(dtypeName(static_cast<DType>(type)));
    return types;
}

bool isTensor(const OperatorArg &arg) { return arg.kind == ArgKind::Tensor || arg.kind == ArgKind::Tensors; }

/// "data[N,CI]" -> data, "N, CI".
DraftTensor tensorFrom(const QString &arg, const QString &written) {
    return {arg, written.section(u'[', 0, 0), spaced(written.section(u'[', 1).chopped(1))};
}

struct Result {
    QStringList shape;
    QString type;
};

/// The operator's result, by building it.
std::optional<Result> builtResult(const QString &text) {
    try {
        const Workload workload = parseWorkload(std8(text), {});
        Result result;
        for (const int64_t extent : workload.ops.back()->shape()) result.shape << QString::number(extent);
        result.type = qt(dtypeName(workload.ops.back()->output().dtype));
        return result;
    } catch (const Error &) {
        return std::nullopt;
    }
}

class Writer {
  public:
    explicit Writer(const Draft &draft) : m_draft(draft) {}

    QString write() {
        const OperatorSpec *spec = findOperatorSpec(std8(m_draft.op));
        if (spec == nullptr) return {};
        m_head = QStringLiteral("# %1: %2\n").arg(m_draft.op, qt(spec->doc));
        QStringList params;
        for (const auto &[name, value] : m_draft.params) params << QStringLiteral("%1 = %2").arg(name).arg(value);
        m_head += QStringLiteral("workload %1(%2)\n").arg(m_draft.name, params.join(QStringLiteral(", ")));
        for (const DraftTensor &tensor : m_draft.tensors)
            define(tensor.name, QStringLiteral("placeholder [%1] %2").arg(tensor.shape, tensor.dtype));
        m_value = freeName(m_draft.epilogue.isEmpty() ? QStringLiteral("out") : QStringLiteral("value"));
        define(m_value, call(*spec));
        QString alone = text();
        if (m_draft.epilogue.isEmpty()) return alone;
        // Also for the type: it may be another than that of the inputs.
        const std::optional<Result> built = builtResult(alone);
        if (!built) return alone;
        m_type = built->type;
        QStringList shape = built->shape;
        if (!m_draft.result.isEmpty()) {
            shape = spaced(m_draft.result).split(QStringLiteral(", "));
            m_lets = m_draft.lets;
        }
        for (qsizetype i = 0; i < m_draft.epilogue.size(); ++i)
            append(m_draft.epilogue[i], shape, i + 1 == m_draft.epilogue.size());
        return text();
    }

  private:
    void define(const QString &name, const QString &what) { m_lines.emplace_back(name, what); }

    /// Definitions with their `=` below each other; inputs first.
    [[nodiscard]] QString text() const {
        qsizetype width = 0;
        for (const auto &[name, what] : m_lines) width = std::max(width, name.size());
        QString body;
        for (const bool inputs : {true, false})
            for (const auto &[name, what] : m_lines)
                if (what.startsWith(QLatin1String("placeholder")) == inputs)
                    body += name.leftJustified(width) + QStringLiteral(" = ") + what + u'\n';
        QString lets;
        for (const QString &let : m_lets) lets += QStringLiteral("let ") + let + u'\n';
        return m_head + u'\n' + (lets.isEmpty() ? QString() : lets + u'\n') + body;
    }

    [[nodiscard]] QString freeName(const QString &preferred) const {
        const auto taken = [&](const QString &name) {
            return std::any_of(m_lines.begin(), m_lines.end(), [&](const auto &line) { return line.first == name; });
        };
        QString name = preferred;
        for (int n = 2; taken(name); ++n) name = preferred + QString::number(n);
        return name;
    }

    [[nodiscard]] QString call(const OperatorSpec &spec) const {
        QStringList args;
        for (const OperatorArg &arg : spec.args) {
            if (!isTensor(arg)) continue;
            QStringList names;
            for (const DraftTensor &tensor : m_draft.tensors)
                if (tensor.arg == qt(arg.name)) names << tensor.name;
            if (arg.kind == ArgKind::Tensors)
                args << u'[' + names.join(QStringLiteral(", ")) + u']';
            else
                args << names;
        }
        for (const DraftArg &arg : m_draft.args) {
            if (arg.value.isEmpty() || arg.value == arg.fallback) continue;
            const QString value = arg.kind == ArgKind::Text ? u'"' + arg.value + u'"' : arg.value;
            args << QStringLiteral("%1 = %2").arg(arg.name, value);
        }
        return QStringLiteral("%1(%2)").arg(m_draft.op, args.join(QStringLiteral(", ")));
    }

    void append(const QString &op, const QStringList &shape, bool last) {
        const QString from = m_value;
        QString arguments = from;
        if (op == QLatin1String("bias_add")) {
            const auto rank = static_cast<int>(shape.size());
            const int axis = m_draft.channelAxis < 0 || m_draft.channelAxis >= rank ? rank - 1 : m_draft.channelAxis;
            const QString bias = freeName(QStringLiteral("bias"));
            define(bias, QStringLiteral("placeholder [%1] %2").arg(shape.value(axis, QStringLiteral("1")), m_type));
            arguments += QStringLiteral(", %1, axis = %2").arg(bias).arg(std::max(0, axis));
        } else if (op == QLatin1String("clip")) {
            arguments += QStringLiteral(", 0, 6");
        } else if (op == QLatin1String("add") || op == QLatin1String("multiply")) {
            const QString other =
                freeName(op == QLatin1String("add") ? QStringLiteral("residual") : QStringLiteral("scale"));
            define(other, QStringLiteral("placeholder [%1] %2").arg(shape.join(QStringLiteral(", ")), m_type));
            arguments += QStringLiteral(", ") + other;
        }
        m_value = freeName(last                              ? QStringLiteral("out")
                           : op == QLatin1String("bias_add") ? QStringLiteral("biased")
                                                             : op + QStringLiteral("_out"));
        define(m_value, QStringLiteral("%1(%2)").arg(op, arguments));
    }

    const Draft &m_draft;
    QString m_head;
    QStringList m_lets;
    std::vector<std::pair<QString, QString>> m_lines;
    QString m_value;
    QString m_type;
};

} // namespace

std::vector<std::pair<QString, std::vector<const OperatorSpec *>>> operatorFamilies() {
    const std::pair<const char *, const std::vector<OperatorSpec> *> families[] = {
        {"Matrix product", &matmulSpecs()},           {"Convolution", &convolutionSpecs()},
        {"Depthwise convolution", &depthwiseSpecs()}, {"Transposed convolution", &transposedSpecs()},
        {"Winograd convolution", &winogradSpecs()},   {"Pooling", &poolingSpecs()},
        {"Normalisation", &normalizationSpecs()},     {"Reduction", &reductionSpecs()},
        {"Elementwise", &elementwiseSpecs()},         {"Layout", &layoutSpecs()},
    };
    std::vector<std::pair<QString, std::vector<const OperatorSpec *>>> result;
    QStringList seen;
    for (const auto &[name, table] : families) {
        std::vector<const OperatorSpec *> specs;
        for (const OperatorSpec &spec : *table) {
            specs.push_back(&spec);
            seen << qt(spec.name);
        }
        result.emplace_back(QString::fromLatin1(name), std::move(specs));
    }
    std::vector<const OperatorSpec *> others; // a family that is new in the library
    for (const OperatorSpec *spec : operatorTable())
        if (!seen.contains(qt(spec->name))) others.push_back(spec);
    if (!others.empty()) result.emplace_back(QStringLiteral("Other"), std::move(others));
    return result;
}

Draft defaultDraft(const OperatorSpec &spec) {
    Draft draft;
    draft.op = draft.name = qt(spec.name);
    const Row *row = rowOf(spec.name);
    static constexpr Row kSquare = {"", "M=1024 N=1024", "", "", "", "M,N"};
    const Row &from = row == nullptr ? kSquare : *row;
    for (const QString &word : wordsOf(from.params))
        draft.params.emplace_back(word.section(u'=', 0, 0), word.section(u'=', 1).toLongLong());
    for (const QString &let : wordsOf(from.lets)) {
        QString text = spaced(let);
        draft.lets << text.replace(text.indexOf(u'='), 1, QStringLiteral(" = "));
    }
    draft.result = QString::fromLatin1(from.result);
    draft.channelAxis = from.channelAxis;

    const QStringList tensors = wordsOf(from.tensors);
    qsizetype next = 0;
    for (const OperatorArg &arg : spec.args) {
        if (!isTensor(arg)) continue;
        const QString name = qt(arg.name);
        // The remaining ones belong to a list of tensors; by order otherwise.
        const qsizetype count = arg.kind == ArgKind::Tensors ? tensors.size() - next : 1;
        for (qsizetype k = 0; k < count; ++k, ++next)
            draft.tensors.push_back(
                tensorFrom(name, next < tensors.size() ? tensors[next] : name + QStringLiteral("[M,N]")));
    }
    const QStringList given = wordsOf(from.args);
    for (const OperatorArg &arg : spec.args) {
        if (isTensor(arg)) continue;
        DraftArg entry;
        entry.name = qt(arg.name);
        entry.kind = arg.kind;
        entry.fallback = fallbackText(arg.fallback);
        entry.value = entry.fallback;
        entry.required = arg.fallback.index() == 0 && !arg.optional;
        if (arg.kind == ArgKind::Text) entry.choices = choicesOf(entry.name);
        for (const QString &word : given)
            if (word.section(u'=', 0, 0) == entry.name) entry.value = spaced(word.section(u'=', 1));
        draft.args.push_back(std::move(entry));
    }
    return draft;
}

QStringList epilogueOperators() {
    return {QStringLiteral("bias_add"), QStringLiteral("add"),     QStringLiteral("multiply"),
            QStringLiteral("relu"),     QStringLiteral("clip"),    QStringLiteral("leaky_relu"),
            QStringLiteral("gelu"),     QStringLiteral("sigmoid"), QStringLiteral("tanh")};
}

QString draftText(const Draft &draft) { return Writer(draft).write(); }

} // namespace loopscope
