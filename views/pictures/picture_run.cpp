#include "views/pictures/picture_run.h"

#include "base/outcome.h"
#include "language/interpret/stage_values.h"
#include "language/picture/picture_tensor.h"
#include "language/picture/png_file.h"
#include "language/picture/shipped_run.h"
#include "language/picture/value_file.h"
#include "language/te/axis_origins.h"
#include "language/te/workload.h"
#include "views/pictures/stage_image.h"
#include "views/session/memory.h"
#include "views/session/text.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QObject>
#include <QStringList>

#include <algorithm>
#include <new>
#include <thread>
#include <unistd.h>
#include <utility>

namespace loopscope {

namespace {

constexpr double kOperationsPerSecond = 2.5e8; // of the interpreter, on two cores
constexpr double kLongSeconds = 15;
constexpr double kLongBytes = 1.5e9;

bool isPng(const QString &path) { return path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive); }

/// Size and channels of the pictures an input takes; none: it takes no pictures.
struct WantedPicture {
    int64_t width = 0;
    int64_t height = 0;
    int channels = 1;
};
std::optional<WantedPicture> wantedPicture(const std::vector<int64_t> &shape) {
    const auto axes = pixelAxesOf(shape, true);
    if (!axes || shape.size() > 3) return std::nullopt;
    const auto extent = [&](int axis) { return shape[static_cast<size_t>(axis)]; };
    WantedPicture wanted{extent(axes->columns), extent(axes->rows), 1};
    if (shape.size() == 3) {
        const int64_t channels = extent(3 - axes->rows - axes->columns);
        if (channels > 4) return std::nullopt;
        wanted.channels = static_cast<int>(channels);
    }
    return wanted;
}

QString sizeText(const Picture &picture) {
    return QObject::tr("%1 \u00d7 %2 pixels of %3")
        .arg(picture.width)
        .arg(picture.height)
        .arg(countedText(static_cast<size_t>(picture.channels), "channel"));
}

/// Thrown to leave the reading of inputs with what is wrong.
struct InputProblem {
    PictureAnswer answer;
};

[[noreturn]] void refuse(QString problem, std::optional<Misfit> misfit = {}) {
    throw InputProblem{{nullptr, std::move(problem), std::move(misfit)}};
}

TensorValue valueOf(const Tensor &input, const InputChoice &choice) {
    if (!isPng(choice.path)) return readValue(std8(choice.path), input);
    const Picture picture = readPng(std8(choice.path));
    const std::optional<WantedPicture> wanted = wantedPicture(input.shape);
    Outcome<TensorValue> value = tensorOf(picture, input.name, input.dtype, input.shape);
    if (value || !wanted) {
        if (!value) refuse(QObject::tr("%1: %2").arg(choice.path, qt(value.why())));
        return std::move(value).value();
    }
    const bool fits = wanted->width == picture.width && wanted->height == picture.height;
    const bool croppable = canCrop(picture, wanted->width, wanted->height);
    const bool typed =
        input.dtype == DType::UInt8 ? picture.bits == 8 : input.dtype == DType::UInt16 || isFloat(input.dtype);
    if (!typed) refuse(QObject::tr("%1: %2").arg(choice.path, qt(value.why())));
    // Channels are made to fit without asking: no picture has those that a workload happens to want.
    if (!fits && !choice.fit)
        refuse(QObject::tr("%1 has %2; `%3` is %4, which takes %5 \u00d7 %6 pixels.")
                   .arg(QFileInfo(choice.path).fileName(), sizeText(picture), qt(input.name), shapeText(input.shape))
                   .arg(wanted->width)
                   .arg(wanted->height),
               Misfit{qt(input.name), croppable, true});
    const PictureFit fit = choice.fit == PictureFit::Crop && croppable ? PictureFit::Crop : PictureFit::Scale;
    value = tensorOf(fittedPicture(picture, wanted->width, wanted->height, wanted->channels, fit), input.name,
                     input.dtype, input.shape);
    if (!value) refuse(QObject::tr("%1: %2").arg(choice.path, qt(value.why())));
    return std::move(value).value();
}

ShownStage stageOf(const Tensor &tensor, TensorValue value, ShownStage::Part part, bool fourAreColours) {
    ShownStage stage;
    stage.name = qt(tensorText(tensor));
    stage.op = qt(tensor.op->name);
    stage.part = part;
    for (size_t d = 0; d < tensor.shape.size(); ++d) {
        const bool named = d < tensor.op->axes.size() && !tensor.op->isPlaceholder();
        stage.axes.push_back(named ? qt(tensor.op->axes[d].name()) : QString());
        stage.origins.push_back(originOf(tensor, d));
    }
    stage.facts = factsOf(value);
    stage.pixels = pixelAxesOf(value.shape, fourAreColours);
    if (stage.pixels && stage.axes[static_cast<size_t>(stage.pixels->rows)].isEmpty())
        for (size_t d = 0; d < stage.axes.size(); ++d) { // of an input, whose axes have no names
            const int axis = static_cast<int>(d);
            stage.axes[d] = axis == stage.pixels->rows       ? QStringLiteral("y")
                            : axis == stage.pixels->columns  ? QStringLiteral("x")
                            : axis == stage.pixels->channels ? QStringLiteral("c")
                                                             : QStringLiteral("axis %1").arg(d + 1);
        }
    stage.value = std::move(value);
    stage.value.bounds.clear();
    stage.thumbnail = stageThumbnail(stage);
    return stage;
}

/// The parameters that make the input as large as its picture.
ParamOverrides paramsOfPicture(const PictureQuestion &question) {
    const auto choice = question.inputs.find(question.sizeFrom);
    if (choice == question.inputs.end() || !isPng(choice->second.path) || choice->second.fit) return question.params;
    const Workload workload = parseWorkload(question.text, {}, question.params);
    for (const Tensor *arg : workload.args) {
        if (arg->name != question.sizeFrom || !arg->op->isPlaceholder()) continue;
        const auto axes = pixelAxesOf(arg->shape, true);
        if (!axes) continue;
        const Picture picture = readPng(std8(choice->second.path));
        std::vector<int64_t> shape = arg->shape;
        shape[static_cast<size_t>(axes->rows)] = picture.height;
        shape[static_cast<size_t>(axes->columns)] = picture.width;
        if (shape == arg->shape) return question.params;
        if (auto found = paramsForShape(question.text, {}, question.params, question.sizeFrom, shape)) return *found;
    }
    return question.params;
}

std::vector<std::vector<int64_t>> inputShapes(const std::string &text, const ParamOverrides &params) {
    std::vector<std::vector<int64_t>> shapes;
    for (const Tensor *arg : parseWorkload(text, {}, params).args)
        if (arg->op->isPlaceholder()) shapes.push_back(arg->shape);
    return shapes;
}

ParamOverrides withRequests(const PictureQuestion &question, ParamOverrides params) {
    for (const auto &request : question.requests) {
        ParamOverrides further = params;
        std::erase_if(further, [&](const auto &given) { return given.first == request.first; });
        further.push_back(request);
        try {
            if (inputShapes(question.text, further) == inputShapes(question.text, params)) params = further;
        } catch (const Error &) {
            continue; // no value for this size
        }
    }
    return params;
}

QString gigabytes(double bytes) { return QObject::tr("%1 GiB").arg(bytes / (1 << 30), 0, 'f', 1); }

void checkCost(const ComputeDag &dag, const PictureQuestion &question, const ParamOverrides &params) {
    const PictureCost cost = pictureCost(dag);
    const double memory = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    if (cost.bytes > 0.7 * memory)
        refuse(QObject::tr("With %1 the values of all stages take %2, and this machine has %3.")
                   .arg(paramsText(params), gigabytes(cost.bytes), gigabytes(memory)));
    if (!cost.isLong() || question.evenIfLong) return;
    PictureAnswer answer;
    answer.problem = QObject::tr("With %1 the stages take about %2 to compute, and %3.")
                         .arg(paramsText(params), durationText(cost.seconds), gigabytes(cost.bytes));
    answer.tooLong = true;
    throw InputProblem{answer};
}

PictureAnswer computed(const PictureQuestion &question, const PictureProgress &progress) {
    QElapsedTimer clock;
    clock.start();
    auto run = std::make_shared<PictureRun>();
    run->params = withRequests(question, paramsOfPicture(question));
    const Workload workload = parseWorkload(question.text, {}, run->params);
    const DagPtr dag = ComputeDag::fromWorkload(workload);
    run->name = qt(workload.name);
    checkCost(*dag, question, run->params);

    std::vector<TensorValue> inputs = randomInputs(*dag, question.seed);
    bool four = false;
    size_t next = 0;
    for (const Tensor *arg : dag->args()) {
        if (!arg->op->isPlaceholder()) continue;
        four = four || isPictureOfFour(arg->shape);
        const auto choice = question.inputs.find(arg->name);
        if (choice != question.inputs.end() && !choice->second.path.isEmpty())
            inputs[next] = valueOf(*arg, choice->second);
        ++next;
    }
    next = 0;
    for (const Tensor *arg : dag->args())
        if (arg->op->isPlaceholder())
            run->stages.push_back(stageOf(*arg, inputs[next++], ShownStage::Part::Input, four));
    const double all = interpreterWork(*dag).operations;
    double done = 0;
    const auto keep = [&](const Op &op, const std::vector<TensorValue> &outputs) {
        for (size_t k = 0; k < outputs.size(); ++k) {
            const Tensor &tensor = op.output(k);
            const bool output = std::ranges::find(dag->args(), &tensor) != dag->args().end();
            run->stages.push_back(
                stageOf(tensor, outputs[k], output ? ShownStage::Part::Output : ShownStage::Part::Stage, four));
        }
        done += operationsOf(op);
        progress.share(all > 0 ? done / all : 1);
        return progress.goesOn();
    };
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    if (!interpretInto(*dag, inputs, keep, threads)) return {};
    run->seconds = static_cast<double>(clock.elapsed()) / 1e3;
    return {std::move(run)};
}

} // namespace

PictureAnswer answerPicture(const PictureQuestion &question, const PictureProgress &progress) {
    try {
        return computed(question, progress);
    } catch (const InputProblem &problem) {
        return problem.answer;
    } catch (const Error &error) {
        return {nullptr, qt(error.what())};
    } catch (const std::bad_alloc &) {
        return {nullptr, outOfMemoryText(QObject::tr("the stages with %1").arg(paramsText(question.params)))};
    }
}

bool PictureCost::isLong() const { return seconds > kLongSeconds || bytes > kLongBytes; }

PictureCost pictureCost(const ComputeDag &dag) {
    const InterpreterWork work = interpreterWork(dag);
    return {work.operations / kOperationsPerSecond, work.bytes};
}

QString paramsText(const ParamOverrides &params) {
    if (params.empty()) return QObject::tr("its parameters as they are");
    QStringList parts;
    for (const auto &[name, value] : params) parts << QStringLiteral("%1 = %2").arg(qt(name)).arg(value);
    return parts.join(QStringLiteral(", "));
}

} // namespace loopscope
