#include "networks/strategy/compatible_strategies.h"

#include "networks/strategy/rewrite.h"
#include "networks/strategy/usual_strategies.h"

#include <string>
#include <utility>

namespace loopscope {

namespace {

Implementation tvm(std::string name, int level = 10) {
    Implementation made;
    made.name = std::move(name);
    made.level = level;
    return made;
}

Implementation library(std::string name, int level, std::string needs) {
    Implementation made = tvm(std::move(name), level);
    made.schedule = ScheduleKind::Library;
    made.needs = {std::move(needs)};
    return made;
}

/// Groups as TVM tells them apart: one, depthwise, others.
void addGroups(const StrategyScope &scope, const std::string &suffix) {
    scope.when({"group > 1", "group == ci", "group == co"}).add(tvm("depthwise_conv2d_nchw" + suffix));
    scope.when({"group > 1", "group != ci"}).add(tvm("group_conv2d_nchw" + suffix));
    scope.when({"group > 1", "group == ci", "group != co"}).add(tvm("group_conv2d_nchw" + suffix));
}

/// 3 x 3, stride and dilation 1.
StrategyScope winogradScope(const StrategyScope &scope) {
    return scope.when({"kh == 3", "kw == 3", "stride_h == 1", "stride_w == 1", "dilation_h == 1", "dilation_w == 1"});
}

Strategy x86Convolution(const CompatibleOptions &options) {
    Strategy strategy;
    strategy.when({"space != 2"}).add(tvm("conv_ncs.x86"));
    const StrategyScope first = strategy.when({"space == 2", "channels_last == 0"});
    first.when({"group == 1"}).add(tvm("conv2d_nchw.x86"));
    addGroups(first, ".x86");
    const StrategyScope last = strategy.when({"space == 2", "channels_last == 1", "group == 1"});
    last.add(tvm("conv2d_nhwc.x86"));
    if (options.autoScheduler) {
        // The tile is always 4.
        Implementation winograd = tvm("conv2d_nhwc.winograd", 15);
        winograd.accuracy = AccuracyClass::Winograd4;
        winogradScope(last).when({"co > 64", "co < 512"}).add(std::move(winograd));
    }
    return strategy;
}

Strategy cudaConvolution() {
    Strategy strategy;
    strategy.when({"space != 2"}).add(tvm("conv_ncs.cuda"));
    const StrategyScope first = strategy.when({"space == 2", "channels_last == 0"});
    const StrategyScope one = first.when({"group == 1"});
    one.add(tvm("conv2d_nchw.cuda"));
    for (const int tile : {2, 4}) {
        Implementation winograd = tvm("conv2d_nchw_winograd.cuda", 5);
        winograd.accuracy = tile == 2 ? AccuracyClass::Winograd2 : AccuracyClass::Winograd4;
        winograd.rewrite = tile == 2 ? asWinograd2 : asWinograd4;
        winogradScope(one).when({tile == 2 ? "h mod 8 != 0" : "h mod 8 == 0"}).add(std::move(winograd));
    }
    addGroups(first, ".cuda");
    return strategy;
}

Strategy genericConvolution() {
    Strategy strategy;
    strategy.when({"space != 2"}).add(tvm("conv_ncs.generic"));
    strategy.when({"space == 2", "group == 1"}).add(tvm("conv2d_nchw.generic"));
    addGroups(strategy.when({"space == 2"}), ".generic");
    return strategy;
}

Strategy x86Dense(const CompatibleOptions &options) {
    Strategy strategy;
    strategy.add(tvm("dense_nopack.x86", 5)).add(tvm("dense_pack.x86", 10));
    if (options.autoScheduler) {
        Implementation naive = tvm("dense.generic", 11);
        naive.tunable = false; // by AutoTVM
        strategy.add(std::move(naive));
    }
    strategy.when({"floating == 1"})
        .add(library("dense_cblas.x86", 13, "cblas"))
        .add(library("dense_mkl.x86", 14, "mkl"))
        .add(library("dense_dnnl.x86", 15, "dnnl"));
    return strategy;
}

Strategy only(Implementation implementation) {
    Strategy strategy;
    strategy.add(std::move(implementation));
    return strategy;
}

} // namespace

StrategyTable compatibleStrategies(const CompatibleOptions &options) {
    StrategyTable table = commonStrategies();
    table.put("conv", "", genericConvolution());
    table.put("conv", "cpu", x86Convolution(options));
    table.put("conv", "cuda", cudaConvolution());
    table.put("dense", "", only(tvm("dense.generic")));
    table.put("dense", "cpu", x86Dense(options));
    // softmax.generic and softmax.x86 are as everywhere.
    Strategy softmax = only(tvm("softmax.cuda"));
    softmax.add(library("softmax.cudnn", 15, "cudnn"));
    table.put("softmax", "cuda", std::move(softmax), 11);
    return table;
}

} // namespace loopscope
