#include "search/features/feature_table.h"

#include "base/check.h"
#include "search/features/features.h"

#include <utility>

namespace loopscope {

namespace {

using Row = std::pair<std::string_view, std::string_view>;

constexpr Row kCounters[] = {
    {"float_mad", "multiply-adds on floats; 0 under the rules of Ansor, which detects none"},
    {"float_addsub", "float additions and subtractions"},
    {"float_mul", "float multiplications"},
    {"float_divmod", "float divisions and remainders"},
    {"float_cmp", "float comparisons, minima and maxima"},
    {"float_mathfunc", "pure math calls on floats"},
    {"float_otherfunc", "other calls on floats"},
    {"int_mad", "multiply-adds on integers; 0 under the rules of Ansor"},
    {"int_addsub", "integer additions and subtractions, index arithmetic of loads included"},
    {"int_mul", "integer multiplications"},
    {"int_divmod", "integer divisions and remainders"},
    {"int_cmp", "integer comparisons, minima and maxima"},
    {"int_mathfunc", "pure math calls on integers"},
    {"int_otherfunc", "other calls on integers"},
    {"bool_op", "and, or, not"},
    {"select_op", "selects"},
};
constexpr Row kPositions[] = {
    {"num", "enclosing loops of this kind"},
    {"prod", "product of their extents"},
    {"len", "extent of the innermost one"},
    {"None", "no such loop"},
    {"InnerSpatial", "position: innermost spatial"},
    {"MiddleSpatial", "position: middle spatial"},
    {"OuterSpatial", "position: outermost spatial"},
    {"InnerReduce", "position: innermost reduce"},
    {"MiddleReduce", "position: middle reduce"},
    {"OuterReduce", "position: outermost reduce"},
    {"Mixed", "position: mixed"},
};
constexpr Row kGpu[] = {
    {"is_gpu", "runs under thread bindings"}, {"blockIdx_x_len", "blocks, x"},    {"blockIdx_y_len", "blocks, y"},
    {"blockIdx_z_len", "blocks, z"},          {"threadIdx_x_len", "threads, x"},  {"threadIdx_y_len", "threads, y"},
    {"threadIdx_z_len", "threads, z"},        {"vthread_len", "virtual threads"},
};
constexpr Row kBuffer[] = {
    {"acc_type_read", "only read"},
    {"acc_type_write", "only written"},
    {"acc_type_read_write", "read and written"},
    {"bytes", "bytes touched, repeats counted"},
    {"unique_bytes", "bytes touched, each once"},
    {"lines", "cache lines touched, repeats counted"},
    {"unique_lines", "cache lines touched, each once"},
    {"reuse_type_loop", "reused over a loop"},
    {"reuse_type_serial", "reused by several accesses in sequence"},
    {"reuse_type_none", "not reused"},
    {"reuse_dis_iter", "iterations between two uses"},
    {"reuse_dis_bytes", "bytes touched between two uses"},
    {"reuse_ct", "uses of one element"},
    {"bytes_d_reuse_ct", "bytes over uses"},
    {"unique_bytes_d_reuse_ct", "unique bytes over uses"},
    {"lines_d_reuse_ct", "lines over uses"},
    {"unique_lines_d_reuse_ct", "unique lines over uses"},
    {"stride", "step in elements of the innermost loop"},
};
constexpr Row kAllocation[] = {
    {"alloc_size", "bytes allocated for the stored buffer"},
    {"alloc_prod", "elements allocated times how often"},
    {"alloc_outer_prod", "how often it is allocated"},
    {"alloc_inner_prod", "executions per allocation"},
};
constexpr Row kOuter[] = {
    {"outer_prod", "executions of the store"},
    {"num_loops", "loops around it"},
    {"auto_unroll_max_step", "unroll limit in force"},
};

template <size_t N>
void add(std::vector<FeatureInfo> &table, FeatureGroup group, const std::string &prefix, const Row (&rows)[N]) {
    for (const auto &[name, meaning] : rows) table.push_back({prefix + std::string(name), group, meaning});
}

std::vector<FeatureInfo> makeTable() {
    std::vector<FeatureInfo> table;
    add(table, FeatureGroup::Compute, "", kCounters);
    for (const char *kind : {"vec_", "unroll_", "parallel_"}) add(table, FeatureGroup::Annotation, kind, kPositions);
    add(table, FeatureGroup::Gpu, "", kGpu);
    for (size_t b = 0; b < feature::kBufferCount; ++b)
        add(table, FeatureGroup::Buffer, "B" + std::to_string(b) + ".", kBuffer);
    for (size_t i = 0; i < feature::kIntensitySamples; ++i)
        table.push_back({"arith_intensity_curve_" + std::to_string(i), FeatureGroup::Intensity,
                         "float operations per byte once this tenth of the work is inside"});
    add(table, FeatureGroup::Allocation, "", kAllocation);
    add(table, FeatureGroup::Outer, "", kOuter);
    LOOPSCOPE_CHECK(table.size() == kFeatureCount, std::to_string(table.size()));
    return table;
}

} // namespace

const std::vector<FeatureInfo> &featureTable() {
    static const std::vector<FeatureInfo> table = makeTable();
    return table;
}

std::span<const std::string> featureNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (const auto &info : featureTable()) result.push_back(info.name);
        return result;
    }();
    return names;
}

} // namespace loopscope
