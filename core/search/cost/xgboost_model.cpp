#include "search/cost/xgboost_model.h"

#include "base/check.h"
#include "base/outcome.h"
#include "base/random.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <xgboost/c_api.h>

namespace loopscope {

namespace {

/// Ansor gives a failure the label and the weight of an infinitely slow program, so it is hardly learnt; here it counts
/// as much as a program ten times slower than the best.
constexpr float kMinWeight = 0.1F;

void must(int code, const char *what) {
    if (code != 0) throw Error(std::string("XGBoost failed while ") + what + ": " + XGBGetLastError());
}

std::string arrayInterface(const float *data, size_t rows, size_t columns) {
    char text[200];
    std::snprintf(text, sizeof text, R"({"data": [%llu, true], "shape": [%zu, %zu], "typestr": "<f4", "version": 3})",
                  static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(data)), rows, columns);
    return text;
}

} // namespace

struct XgboostModel::Booster {
    BoosterHandle handle = nullptr;
    int trees = 0;
    ~Booster() {
        if (handle) XGBoosterFree(handle);
    }
};

XgboostModel::XgboostModel(const XgboostOptions &options) : m_options(options) {}
XgboostModel::~XgboostModel() = default;
bool XgboostModel::trained() const { return m_booster != nullptr; }

/// Beside the columns that vary, how many rows the row's program has.
std::vector<float> XgboostModel::packedRows(const FeatureMatrix &programs) const {
    std::vector<float> packed(programs.rows() * width());
    size_t row = 0;
    for (size_t p = 0; p < programs.programs(); ++p) {
        const auto rows = static_cast<float>(programs.programEnd[p] - row);
        for (; row < programs.programEnd[p]; ++row) {
            for (size_t c = 0; c < m_columns.size(); ++c)
                packed[row * width() + c] = programs.values[row * kFeatureCount + m_columns[c]];
            packed[row * width() + m_columns.size()] = rows;
        }
    }
    return packed;
}

void XgboostModel::predictRows(const FeatureMatrix &programs, std::vector<float> &out) const {
    const size_t rowCount = programs.rows();
    const std::vector<float> packed = packedRows(programs);
    const std::string interface = arrayInterface(packed.data(), rowCount, width());
    char config[160];
    std::snprintf(config, sizeof config,
                  R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": %d, "missing": NaN, )"
                  R"("strict_shape": false, "cache_id": 0})",
                  m_booster->trees);
    const bst_ulong *shape = nullptr;
    bst_ulong dims = 0;
    const float *result = nullptr;
    must(XGBoosterPredictFromDense(m_booster->handle, interface.c_str(), config, nullptr, &shape, &dims, &result),
         "predicting");
    out.assign(result, result + rowCount);
}

std::vector<RowContributions> XgboostModel::contributions(const std::vector<FeatureRow> &program) {
    if (!trained() || program.empty()) return {};
    FeatureMatrix one;
    for (const FeatureRow &row : program) one.values.insert(one.values.end(), row.begin(), row.end());
    one.programEnd.push_back(static_cast<uint32_t>(program.size()));
    const std::vector<float> packed = packedRows(one);
    DMatrixHandle matrix = nullptr;
    must(XGDMatrixCreateFromMat(packed.data(), program.size(), width(), std::numeric_limits<float>::quiet_NaN(),
                                &matrix),
         "making the matrix of a program");
    const std::unique_ptr<void, decltype(&XGDMatrixFree)> owner(matrix, &XGDMatrixFree);
    char config[160];
    std::snprintf(config, sizeof config,
                  R"({"type": 2, "training": false, "iteration_begin": 0, "iteration_end": %d, "strict_shape": true})",
                  m_booster->trees);
    const bst_ulong *shape = nullptr;
    bst_ulong dims = 0;
    const float *result = nullptr;
    must(XGBoosterPredictFromDMatrix(m_booster->handle, matrix, config, &shape, &dims, &result),
         "taking a prediction apart");
    // Rows x groups x (columns and, last, the base); one group.
    LOOPSCOPE_CHECK(dims == 3 && shape[0] == program.size() && shape[1] == 1 && shape[2] == width() + 1,
                    "the shape of the contributions");
    const auto rows = static_cast<float>(program.size()); // the score is the mean
    std::vector<RowContributions> contributions(program.size());
    for (RowContributions &row : contributions) {
        for (size_t c = 0; c < m_columns.size(); ++c) row.features[m_columns[c]] = result[c] / rows;
        row.rowCount = result[m_columns.size()] / rows;
        row.base = result[width()] / rows;
        result += width() + 1;
    }
    return contributions;
}

void XgboostModel::predict(const FeatureMatrix &programs, std::vector<float> &scores) {
    scores.assign(programs.programs(), -std::numeric_limits<float>::infinity());
    std::vector<float> rowScores;
    if (trained() && programs.rows() > 0) predictRows(programs, rowScores);
    Random random(m_options.seed, ++m_randomDraws);
    size_t begin = 0;
    for (size_t p = 0; p < programs.programs(); ++p) {
        const size_t end = programs.programEnd[p];
        if (!trained()) {
            const auto draw = static_cast<float>(random.uniform());
            if (end > begin) scores[p] = draw;
        } else if (end > begin) {
            float sum = 0;
            for (size_t r = begin; r < end; ++r) sum += rowScores[r];
            scores[p] = sum / static_cast<float>(end - begin);
        }
        begin = end;
    }
}

void XgboostModel::chooseColumns() {
    const FeatureRow *first = nullptr;
    std::vector<bool> varies(kFeatureCount, false);
    for (const auto &sample : m_samples)
        for (const auto &row : sample.rows) {
            if (!first) first = &row;
            for (size_t c = 0; c < kFeatureCount; ++c)
                if (row[c] != (*first)[c]) varies[c] = true;
        }
    m_columns.clear();
    for (uint32_t c = 0; c < kFeatureCount; ++c)
        if (varies[c]) m_columns.push_back(c);
}

TrainingReport XgboostModel::update(const std::vector<TrainingSample> &batch, const std::atomic<bool> *cancel) {
    TrainingReport report;
    if (trained() && !batch.empty()) {
        FeatureMatrix matrix;
        std::vector<double> seconds;
        for (const auto &sample : batch) {
            if (sample.seconds <= 0 || sample.rows.empty()) continue;
            for (const auto &row : sample.rows) matrix.values.insert(matrix.values.end(), row.begin(), row.end());
            matrix.programEnd.push_back(static_cast<uint32_t>(matrix.rows()));
            seconds.push_back(sample.seconds);
        }
        std::vector<float> scores;
        predict(matrix, scores);
        report.pairsRankedRight = pairsRankedRight(scores, seconds);
    }
    m_samples.insert(m_samples.end(), batch.begin(), batch.end());
    report.samples = m_samples.size();
    const bool anyValid =
        std::any_of(m_samples.begin(), m_samples.end(), [](const auto &s) { return s.seconds > 0 && !s.rows.empty(); });
    if (anyValid && m_samples.size() > m_options.warmUpSamples) train(report, cancel);
    return report;
}

namespace {

/// The training set flattened to rows, each knowing its program.
struct TrainingRows {
    std::vector<float> values; // rows x columns
    std::vector<uint32_t> programOfRow;
    std::vector<float> label; // per program
    std::vector<float> weight;
    /// Rows of the program. Its score is their mean, not Ansor's sum: programs of one task have different numbers of
    /// rows (inlining, caches, rfactor), and a sum cannot rank those against each other.
    std::vector<float> rowsOf;
};

TrainingRows flatten(const std::vector<TrainingSample> &samples, const std::vector<uint32_t> &columns) {
    std::vector<double> best;
    for (const auto &sample : samples) {
        const auto task = static_cast<size_t>(sample.task);
        if (best.size() <= task) best.resize(task + 1, std::numeric_limits<double>::infinity());
        if (sample.seconds > 0) best[task] = std::min(best[task], sample.seconds);
    }
    TrainingRows rows;
    for (const auto &sample : samples) {
        if (sample.rows.empty()) continue;
        const float label =
            sample.seconds > 0 ? static_cast<float>(best[static_cast<size_t>(sample.task)] / sample.seconds) : 0.0F;
        const auto program = static_cast<uint32_t>(rows.label.size());
        rows.label.push_back(label);
        rows.weight.push_back(std::max(label, kMinWeight));
        rows.rowsOf.push_back(static_cast<float>(sample.rows.size()));
        for (const auto &row : sample.rows) {
            for (const uint32_t c : columns) rows.values.push_back(row[c]);
            rows.values.push_back(static_cast<float>(sample.rows.size()));
            rows.programOfRow.push_back(program);
        }
    }
    return rows;
}

void setParams(BoosterHandle handle, const XgboostOptions &options) {
    const std::string seed = std::to_string(options.seed);
    const std::string threads = std::to_string(options.threads);
    const std::pair<const char *, const char *> params[] = {{"booster", "gbtree"},
                                                            {"tree_method", "hist"},
                                                            {"max_bin", "64"},
                                                            {"max_depth", "8"},
                                                            {"gamma", "0.001"},
                                                            {"min_child_weight", "0"},
                                                            {"eta", "0.2"},
                                                            {"verbosity", "0"},
                                                            {"seed", seed.c_str()},
                                                            {"nthread", threads.c_str()},
                                                            {"base_score", "0"},
                                                            {"disable_default_eval_metric", "1"},
                                                            {"grow_policy", "lossguide"},
                                                            {"max_leaves", "48"}};
    for (const auto &[name, value] : params) must(XGBoosterSetParam(handle, name, value), "setting parameters");
}

} // namespace

void XgboostModel::train(TrainingReport &report, const std::atomic<bool> *cancel) {
    const auto start = std::chrono::steady_clock::now();
    chooseColumns();
    if (m_columns.empty()) return; // all programs look the same: nothing to learn from
    const TrainingRows rows = flatten(m_samples, m_columns);
    const size_t rowCount = rows.programOfRow.size();

    DMatrixHandle matrix = nullptr;
    must(XGDMatrixCreateFromMat(rows.values.data(), rowCount, m_columns.size() + 1,
                                std::numeric_limits<float>::quiet_NaN(), &matrix),
         "making the training matrix");
    const std::unique_ptr<void, decltype(&XGDMatrixFree)> matrixOwner(matrix, &XGDMatrixFree);
    auto booster = std::make_unique<Booster>();
    must(XGBoosterCreate(&matrix, 1, &booster->handle), "creating the booster");
    setParams(booster->handle, m_options);

    std::vector<float> gradient(rowCount);
    std::vector<float> hessian(rowCount);
    std::vector<float> score(rows.label.size(), 0.0F);
    double bestError = std::numeric_limits<double>::infinity();
    int bestRound = 0;
    for (int round = 0; round < m_options.maxTrees; ++round) {
        if (cancel && *cancel) return;
        if (round > 0) {
            bst_ulong length = 0;
            const float *prediction = nullptr;
            must(XGBoosterPredict(booster->handle, matrix, 1, 0, 1, &length, &prediction),
                 "predicting the training set");
            std::fill(score.begin(), score.end(), 0.0F);
            for (size_t r = 0; r < rowCount; ++r)
                score[rows.programOfRow[r]] += prediction[r] / rows.rowsOf[rows.programOfRow[r]];
        }
        double error = 0;
        for (size_t r = 0; r < rowCount; ++r) {
            const uint32_t p = rows.programOfRow[r];
            const float off = score[p] - rows.label[p];
            gradient[r] = rows.weight[p] * off;
            hessian[r] = rows.weight[p];
            error += static_cast<double>(off) * off;
        }
        error = std::sqrt(error / static_cast<double>(rowCount));
        if (error < bestError * 0.98) {
            bestError = error;
            bestRound = round;
        }
        if (round - bestRound >= m_options.patience || error < 1e-3) break;
        must(XGBoosterBoostOneIter(booster->handle, matrix, gradient.data(), hessian.data(), rowCount), "boosting");
        booster->trees = round + 1;
    }
    report.trees = booster->trees;
    if (booster->trees > 0) m_booster = std::move(booster);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::unique_ptr<CostModel> makeXgboostModel(const XgboostOptions &options) {
    return std::make_unique<XgboostModel>(options);
}

} // namespace loopscope
