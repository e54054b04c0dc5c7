#pragma once
// A workload computed on pictures, every stage of it kept: what is asked, and what came out or why nothing did. Values;
// computing them is a job's work.

#include "language/dag/compute_dag.h"
#include "language/interpret/interpreter.h"
#include "language/picture/fitted_picture.h"
#include "language/picture/pixel_axes.h"
#include "language/picture/value_mapping.h"

#include <QImage>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

/// Where the values of an input come from.
struct InputChoice {
    QString path;                  // of a picture or array; empty: seeded random values
    std::optional<PictureFit> fit; // none: it has the size already
    bool operator==(const InputChoice &) const = default;
};

struct PictureQuestion {
    std::string text; // of a workload that was understood
    ParamOverrides params;
    ParamOverrides requests;                   // further parameters, as far as the inputs stay as large with them
    std::map<std::string, InputChoice> inputs; // by name; those that are not here are random
    uint64_t seed = 1;
    /// Input whose picture decides the size; empty: the parameters do.
    std::string sizeFrom;
    bool evenIfLong = false;
    bool operator==(const PictureQuestion &) const = default;
};

struct ShownStage {
    enum class Part : uint8_t { Input, Stage, Output };
    QString name; // as tensors are printed: "gray", "pair.v1"
    QString op;   // as stages are selected
    Part part = Part::Stage;
    std::vector<QString> axes;
    std::vector<int64_t> origins; // coordinates of the first element
    TensorValue value;
    ValueFacts facts;
    std::optional<PixelAxes> pixels; // none: it has one axis at most
    QImage thumbnail;
    [[nodiscard]] bool isPicture() const { return pixels.has_value(); }
};

struct PictureRun {
    QString name; // of the workload
    ParamOverrides params;
    std::vector<ShownStage> stages; // inputs, then in order of computation
    double seconds = 0;
};
using PictureRunPtr = std::shared_ptr<const PictureRun>;

/// A picture that was given and does not fit.
struct Misfit {
    QString input;
    bool canCrop = false;
    bool canScale = false;
};
struct PictureAnswer {
    PictureRunPtr run;    // null: see `problem`; both null and empty: it was cancelled
    QString problem = {}; // one sentence
    std::optional<Misfit> misfit = {};
    bool tooLong = false; // the problem is what it would take
};

/// `share`: how much of it is done; `goesOn` false ends it.
struct PictureProgress {
    std::function<void(double share)> share;
    std::function<bool()> goesOn;
};
PictureAnswer answerPicture(const PictureQuestion &question, const PictureProgress &progress);

/// What a look at all stages of a workload would take.
struct PictureCost {
    double seconds = 0; // a guess
    double bytes = 0;
    /// Longer than somebody who only opened a file wants to wait.
    [[nodiscard]] bool isLong() const;
};
PictureCost pictureCost(const ComputeDag &dag);

/// "W = 192, H = 144"; without parameters "as it is".
QString paramsText(const ParamOverrides &params);

} // namespace loopscope
