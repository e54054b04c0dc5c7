#include "harness/drawn_schedules.h"

#include "language/te/workload.h"
#include "search/annotate/sample_population.h"
#include "search/sketch/sketch.h"

#include <sstream>

namespace loopscope {

const std::vector<SmallOperator> &smallOperators() {
    static const std::vector<SmallOperator> operators = {
        {"matmul", "N=32 M=48 K=24"},
        {"matmul_int8", "N=16 M=32 K=32"},
        {"batch_matmul", "B=2 N=16 M=32 K=16"},
        {"conv2d_nhwc", "H=7 W=7 CI=8 CO=16 K=3"},
        {"conv2d_bias_relu", "H=6 W=6 CI=8 CO=16"},
        {"depthwise_conv2d_nhwc", "H=9 W=9 C=16"},
        {"conv2d_transpose_nhwc", "H=4 W=4 CI=8 CO=8"},
        {"conv2d_winograd_nhwc", "H=6 W=6 CI=8 CO=8"},
        {"conv1d_ncl", "L=16 CI=8 CO=16"},
        {"max_pool2d", "H=8 W=8 C=8"},
        {"softmax", "M=6 N=130"},
        {"layer_norm", "M=5 N=100"},
        {"norm", "M=12 N=15"},
        {"argmax", "M=5 N=70"},
        {"gather", "N=6 V=20 D=40"},
        {"transpose", "H=6 W=6 C=20"},
        {"pipelines/histogram_equalize", "W=9 H=40"},
        {"pipelines/iir_blur", "W=11 H=9"},
        {"pipelines/bilateral_grid", "W=17 H=11"},
    };
    return operators;
}

DagPtr sampleDag(const std::string &sample, const std::string &parameters) {
    ParamOverrides overrides;
    std::istringstream words(parameters);
    for (std::string word; words >> word;) {
        const size_t equals = word.find('=');
        overrides.emplace_back(word.substr(0, equals), std::stoll(word.substr(equals + 1)));
    }
    return ComputeDag::fromWorkload(loadWorkload(LOOPSCOPE_SOURCE_DIR "/samples/" + sample + ".te", overrides));
}

std::vector<Candidate> drawnCandidates(const DagPtr &dag, const Target &target, int population, uint64_t seed) {
    const Task task = makeTask(dag, target);
    SearchOptions options;
    options.population = population;
    options.minInitialPopulation = population / 2;
    options.seed = seed;
    ThreadPool pool(1);
    std::vector<Scratch> scratch(static_cast<size_t>(pool.threads()));
    const auto sketches = generateSketches(task.dag, task.target, options.sketch);
    const auto unknown = [](const StateKey &) { return false; };
    return samplePopulation(task, sketches, options, 1, unknown, pool, scratch).candidates;
}

} // namespace loopscope
