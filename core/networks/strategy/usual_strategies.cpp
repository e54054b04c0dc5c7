#include "networks/strategy/usual_strategies.h"

#include "networks/op/operator.h"
#include "networks/strategy/rewrite.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace loopscope {

namespace {

Implementation searched(std::string name, int level = 10) {
    Implementation made;
    made.name = std::move(name);
    made.level = level;
    return made;
}

Implementation winograd(std::string name, int level, int tile) {
    Implementation made = searched(std::move(name), level);
    made.accuracy = tile == 2 ? AccuracyClass::Winograd2 : AccuracyClass::Winograd4;
    made.rewrite = tile == 2 ? asWinograd2 : asWinograd4;
    return made;
}

/// Names end as TVM's do.
constexpr std::array<std::pair<const char *, const char *>, 3> kSuffixes = {
    {{"", ".generic"}, {"cpu", ".x86"}, {"cuda", ".cuda"}}};

void putSearched(StrategyTable &table, const std::string &op, const std::string &name) {
    for (const auto &[key, suffix] : kSuffixes) {
        Strategy strategy;
        strategy.add(searched(name + suffix));
        table.put(op, key, std::move(strategy));
    }
}

/// By the operator's own evaluation, whatever the kernels run on.
void putHost(StrategyTable &table, const std::string &op) {
    Implementation made;
    made.name = op + ".host";
    made.schedule = ScheduleKind::Host;
    made.tunable = false;
    for (const auto &[key, suffix] : kSuffixes) {
        Strategy strategy;
        strategy.add(made);
        table.put(op, key, std::move(strategy));
    }
}

/// A kernel offloaded to a library, with what is fused behind it; where nothing is known of its time, our own come
/// first.
void addLibraries(const StrategyScope &scope, const std::string &name, std::initializer_list<const char *> libraries) {
    for (const char *library : libraries) {
        Implementation made;
        made.name = name + "." + library;
        made.level = 1;
        made.schedule = ScheduleKind::Library;
        made.needs = {library};
        made.tunable = false;
        scope.add(std::move(made));
    }
}

bool isPool(std::string_view op) {
    static constexpr std::array<std::string_view, 4> kPools = {"average_pool", "global_average_pool", "global_max_pool",
                                                               "max_pool"};
    return std::find(kPools.begin(), kPools.end(), op) != kPools.end();
}

Strategy convolution(const std::string &key, const std::string &suffix) {
    Strategy strategy;
    if (key == "cpu") addLibraries(strategy.when({"constant_weight == 1"}), "conv", {"onednn"});
    strategy.when({"space != 2"}).add(searched("conv_ncs" + suffix));
    const StrategyScope plane = strategy.when({"space == 2"});
    const StrategyScope one = plane.when({"group == 1"});
    one.add(searched("conv2d_nchw" + suffix));
    const StrategyScope square = one.when({"kh == 3", "kw == 3", "stride_h == 1", "stride_w == 1", "dilation_h == 1",
                                           "dilation_w == 1", "floating == 1"});
    if (key == "cuda") {
        // The levels of TVM's documentation; tiles as it chooses them.
        square.when({"h mod 8 != 0"}).add(winograd("conv2d_nchw_winograd.cuda", 15, 2));
        square.when({"h mod 8 == 0"}).add(winograd("conv2d_nchw_winograd.cuda", 15, 4));
    } else {
        // Transforms of weights that change are computed at every run, which nobody offers.
        square.when({"constant_weight == 1"})
            .add(winograd("conv2d_nchw_winograd4" + suffix, 5, 4))
            .add(winograd("conv2d_nchw_winograd2" + suffix, 4, 2));
    }
    const StrategyScope many = plane.when({"group > 1"});
    many.when({"group == ci", "group == co"}).add(searched("depthwise_conv2d_nchw" + suffix));
    many.when({"group != ci"}).add(searched("group_conv2d_nchw" + suffix));
    many.when({"group == ci", "group != co"}).add(searched("group_conv2d_nchw" + suffix));
    return strategy;
}

Strategy denseOfRows() {
    Strategy strategy;
    strategy.add(searched("dense_common"));
    Implementation large = searched("dense_for_large_m", 15);
    // Columns of weights side by side, so that vectors go along the result's rows; a copy that many rows share.
    large.rewrite = asTransposedProduct;
    strategy.when({"m > 16"}).add(std::move(large));
    return strategy;
}

} // namespace

StrategyTable commonStrategies() {
    StrategyTable table;
    for (const Operator *op : allOperators()) {
        if (op->name == "shape") continue; // known before anything runs
        if (op->host) {
            putHost(table, op->name);
            continue;
        }
        if (op->name == "conv" || op->name == "dense") continue; // have their own
        if (isPool(op->name))
            table.putPooling(op->name);
        else if (op->pattern == PatternKind::Reduction)
            table.putReduction(op->name);
        else if (op->pattern == PatternKind::Broadcast)
            table.putBroadcast(op->name);
        else if (op->pattern < PatternKind::Reduction)
            table.putInjective(op->name);
        else if (op->name == "constant_of_shape" || op->name == "range" || op->name == "dropout")
            table.putInjective(op->name);
        else
            putSearched(table, op->name, op->name);
    }
    return table;
}

StrategyTable usualStrategies() {
    StrategyTable table = commonStrategies();
    for (const auto &[key, suffix] : kSuffixes) table.put("conv", key, convolution(key, suffix));
    table.put("dense", "", denseOfRows());
    Strategy dense = denseOfRows();
    addLibraries(dense.when({}), "dense", {"onednn", "openblas"});
    table.put("dense", "cpu", std::move(dense));
    Strategy matmul;
    matmul.add(searched("matmul.x86"));
    addLibraries(matmul.when({}), "matmul", {"onednn", "openblas"});
    table.put("matmul", "cpu", std::move(matmul));
    return table;
}

} // namespace loopscope
