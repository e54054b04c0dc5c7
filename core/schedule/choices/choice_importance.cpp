#include "schedule/choices/choice_importance.h"

#include "base/outcome.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <xgboost/c_api.h>

namespace loopscope {

namespace {

constexpr int kTrees = 120;
constexpr size_t kParts = 5;
constexpr int kContributions = 2; // XGBoosterPredictFromDMatrix's type

void checked(int code) {
    if (code != 0) throw Error(std::string("XGBoost failed while weighing choices: ") + XGBGetLastError());
}

struct FreeMatrix {
    void operator()(void *matrix) const { XGDMatrixFree(matrix); }
};
struct FreeBooster {
    void operator()(void *booster) const { XGBoosterFree(booster); }
};
using MatrixPtr = std::unique_ptr<void, FreeMatrix>;
using BoosterPtr = std::unique_ptr<void, FreeBooster>;

/// The rows of the schedules that count, with their labels less the mean.
struct Fit {
    size_t columns = 0;
    std::vector<float> values; // rows x columns
    std::vector<float> labels;
    [[nodiscard]] size_t rows() const { return labels.size(); }

    void add(const Fit &from, size_t row) {
        columns = from.columns;
        const auto begin = from.values.begin() + static_cast<std::ptrdiff_t>(row * columns);
        values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
        labels.push_back(from.labels[row]);
    }
    [[nodiscard]] MatrixPtr matrix() const {
        DMatrixHandle handle = nullptr;
        checked(
            XGDMatrixCreateFromMat(values.data(), rows(), columns, std::numeric_limits<float>::quiet_NaN(), &handle));
        MatrixPtr owner(handle);
        checked(XGDMatrixSetFloatInfo(handle, "label", labels.data(), rows()));
        return owner;
    }
};

BoosterPtr trained(const MatrixPtr &matrix, const std::atomic<bool> *cancel) {
    DMatrixHandle handle = matrix.get();
    BoosterHandle made = nullptr;
    checked(XGBoosterCreate(&handle, 1, &made));
    BoosterPtr booster(made);
    const std::pair<const char *, const char *> params[] = {
        {"tree_method", "hist"}, {"max_depth", "4"}, {"eta", "0.1"},     {"lambda", "1"},    {"verbosity", "0"},
        {"nthread", "1"},        {"seed", "43"},     {"subsample", "1"}, {"base_score", "0"}};
    for (const auto &[name, value] : params) checked(XGBoosterSetParam(made, name, value));
    for (int tree = 0; tree < kTrees && !(cancel != nullptr && *cancel); ++tree)
        checked(XGBoosterUpdateOneIter(made, tree, handle));
    return booster;
}

/// Of the rows, one number each, or (contributions) columns and the base.
std::vector<float> predicted(const BoosterPtr &booster, const MatrixPtr &matrix, int type) {
    const std::string config =
        R"({"type": )" + std::to_string(type) +
        R"(, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
    const bst_ulong *shape = nullptr;
    bst_ulong dims = 0;
    const float *result = nullptr;
    checked(XGBoosterPredictFromDMatrix(booster.get(), matrix.get(), config.c_str(), &shape, &dims, &result));
    size_t count = 1;
    for (bst_ulong d = 0; d < dims; ++d) count *= shape[d];
    return {result, result + count};
}

double explainedBy(const Fit &fit, const std::atomic<bool> *cancel) {
    double off = 0;
    double all = 0;
    for (size_t part = 0; part < kParts; ++part) {
        if (cancel != nullptr && *cancel) return 0;
        Fit known;
        Fit left;
        for (size_t r = 0; r < fit.rows(); ++r) (r % kParts == part ? left : known).add(fit, r);
        const BoosterPtr booster = trained(known.matrix(), cancel);
        const std::vector<float> guessed = predicted(booster, left.matrix(), 0);
        for (size_t r = 0; r < left.rows(); ++r) {
            off += std::pow(guessed[r] - left.labels[r], 2.0);
            all += std::pow(left.labels[r], 2.0);
        }
    }
    return all > 0 ? 1 - off / all : 0;
}

} // namespace

ChoiceImportance choiceImportance(const ChoiceTable &table, const std::vector<double> &seconds,
                                  const std::atomic<bool> *cancel) {
    Fit fit;
    fit.columns = table.choices.size();
    double sum = 0;
    for (size_t s = 0; s < std::min(table.schedules(), seconds.size()); ++s) {
        if (!std::isfinite(seconds[s]) || seconds[s] <= 0) continue;
        for (const auto &column : table.values) fit.values.push_back(column[s]);
        fit.labels.push_back(static_cast<float>(std::log(seconds[s])));
        sum += fit.labels.back();
    }
    if (fit.columns == 0 || fit.rows() < kMinForImportance) return {};
    for (float &label : fit.labels) label -= static_cast<float>(sum / static_cast<double>(fit.rows()));

    ChoiceImportance importance;
    const MatrixPtr matrix = fit.matrix();
    const std::vector<float> contributions = predicted(trained(matrix, cancel), matrix, kContributions);
    std::vector<double> share(fit.columns, 0.0);
    double total = 0;
    for (size_t r = 0; r < fit.rows(); ++r)
        for (size_t c = 0; c < fit.columns; ++c) {
            const double part = std::fabs(contributions[r * (fit.columns + 1) + c]);
            share[c] += part;
            total += part;
        }
    if (total <= 0) return {};
    for (double &part : share) part /= total;
    importance.share = std::move(share);
    importance.explained = explainedBy(fit, cancel);
    if (cancel != nullptr && *cancel) return {};
    return importance;
}

} // namespace loopscope
