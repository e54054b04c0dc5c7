#include "records/export/check_program.h"

#include "base/foreign_text.h"
#include "codegen/c/c_expr.h"
#include "codegen/c/reference_source.h"
#include "codegen/lower/lower.h"
#include "language/expr/interval.h"
#include "language/interpret/input_draws.h"
#include "records/export/cuda_code.h"
#include "schedule/loop_state.h"

#include <algorithm>
#include <cstdint>
#include <export_texts.h>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace loopscope {

namespace {

/// C type in memory, with the header's own name for float16.
std::string storage(const KernelSource &kernel, DType type) {
    return type == DType::Float16 ? kernel.function + "_float16" : std::string(cStorageName(type));
}

std::string toStorage(const KernelSource &kernel, DType type, const std::string &value) {
    switch (type) {
    case DType::Float64:
        return value;
    case DType::Float16:
        return fmt::format("({})(float)({})", storage(kernel, type), value);
    case DType::BFloat16:
        return fmt::format("check_to_bfloat16((float)({}))", value);
    default:
        return fmt::format("({})({})", cStorageName(type), value);
    }
}

/// What fills the inputs of a set: a function for it.
class InputCode {
  public:
    InputCode(const KernelSource &kernel, const CheckFacts &facts) : m_kernel(kernel), m_facts(facts) {}

    /// check_fill_0, check_fill_1, and the functions these call.
    std::string text() {
        std::string fills;
        for (size_t set = 0; set < m_facts.sets.size(); ++set) fills += fill(set);
        std::string text = m_uniform || m_below ? kGenerator : "";
        if (m_uniform) text += kUniform;
        if (m_below) text += kBelow;
        if (m_index) text += kIndex;
        if (m_exact) text += kExact;
        return text + fills;
    }

  private:
    std::string value(const KernelArg &arg, const ExactDraw *exact, int64_t indexExtent) {
        if (isFloat(arg.dtype) && exact != nullptr) {
            m_exact = m_uniform = m_below = true;
            return fmt::format("check_exact(&random, {:.17g}, {}, {}, {}, {:.17g})", exact->share, exact->largest,
                               exact->bothSigns ? 1 : 0, exact->zeroIsUsual ? 1 : 0, exact->otherwise);
        }
        if (isFloat(arg.dtype)) {
            m_uniform = true;
            return "2 * check_uniform(&random) - 1";
        }
        m_below = true;
        if (indexExtent > 0) {
            m_index = true;
            const Interval legal = Interval::ofType(arg.dtype);
            const auto limit = [](int64_t value) {
                return value == INT64_MIN ? std::string("INT64_MIN") : fmt::format("{}", value);
            };
            return fmt::format("check_index(&random, {}, {}, {})", indexExtent, limit(legal.min), limit(legal.max));
        }
        const IntegerDraw draw = integerDraw(arg.dtype);
        if (arg.dtype == DType::Bool) return fmt::format("check_below(&random, {}) % 2", draw.count);
        if (draw.least == 0) return fmt::format("check_below(&random, {})", draw.count);
        return fmt::format("(int64_t)check_below(&random, {}) - {}", draw.count, -draw.least);
    }

    std::string fill(size_t number) {
        const CheckSet &set = m_facts.sets[number];
        std::string text = fmt::format("\nstatic void check_fill_{}(void *const *arguments) {{\n", number);
        size_t input = 0;
        for (size_t i = 0; i < m_kernel.args.size(); ++i) {
            const KernelArg &arg = m_kernel.args[i];
            if (arg.output) continue;
            const std::string drawn =
                value(arg, set.exact ? &(*set.exact)[input] : nullptr, m_facts.indexExtents[input]);
            const uint64_t stream = set.exact && isFloat(arg.dtype) ? kExactStream + input : input;
            int64_t elements = 1;
            for (const int64_t extent : arg.shape) elements *= extent;
            text += fmt::format(
                "    {{ /* {} */\n        struct check_random random = check_seeded({}, {}u);\n        {} *to = "
                "arguments[{}];\n        for (int64_t i = 0; i < {}; ++i) to[i] = {};\n    }}\n",
                m_kernel.names[i], kCheckSeed, stream, storage(m_kernel, arg.dtype), i, elements,
                toStorage(m_kernel, arg.dtype, drawn));
            ++input;
        }
        if (input == 0) text += "    (void)arguments;\n";
        return text + "}\n";
    }

    const KernelSource &m_kernel;
    const CheckFacts &m_facts;
    bool m_uniform = false;
    bool m_below = false;
    bool m_index = false;
    bool m_exact = false;
};

std::string readers(const KernelSource &kernel) {
    std::set<DType> types;
    for (const KernelArg &arg : kernel.args)
        if (arg.output) types.insert(arg.dtype);
    std::string text;
    for (const DType type : types) {
        const std::string element = fmt::format("((const {} *)data)[i]", storage(kernel, type));
        text += fmt::format(
            "static long double check_read_{}(const void *data, int64_t i) {{\n    return (long double){};\n}}\n",
            dtypeName(type),
            type == DType::BFloat16  ? "check_from_bfloat16(" + element + ")"
            : type == DType::Float16 ? "(float)" + element
                                     : element);
    }
    return text;
}

int64_t plainElements(const KernelArg &arg) {
    int64_t elements = 1;
    for (const int64_t extent : arg.shape) elements *= extent;
    return elements;
}

/// `times`: of a kernel that times itself.
std::string call(const KernelSource &kernel, const std::string &function, bool reference, const char *times = "0") {
    std::string text = function + "(";
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const std::string from = !reference ? "given" : kernel.args[i].output ? "wanted" : "plain";
        text += fmt::format("{}{}[{}]", i > 0 ? ", " : "", from, i);
    }
    if (!reference && kernel.timesItself) text += fmt::format(", {}", times);
    return text + ")";
}

std::string allocations(const KernelSource &kernel) {
    std::string text;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const KernelArg &arg = kernel.args[i];
        const int64_t plain = plainElements(arg) * dtypeBytes(arg.dtype);
        if (arg.output)
            text += fmt::format(
                "    given[{0}] = check_allocate({1});\n    wanted[{0}] = check_allocate({1});\n    plain[{0}] "
                "= NULL;\n",
                i, plain);
        else if (arg.packing.empty())
            text +=
                fmt::format("    given[{0}] = plain[{0}] = check_allocate({1});\n    wanted[{0}] = NULL;\n", i, plain);
        else
            text += fmt::format(
                "    plain[{0}] = check_allocate({1});\n    given[{0}] = check_allocate({2});\n    wanted[{0}] "
                "= NULL;\n",
                i, plain, arg.elements * dtypeBytes(arg.dtype));
    }
    return text;
}

std::string setCode(const KernelSource &kernel, const CheckFacts &facts, size_t number) {
    const CheckSet &set = facts.sets[number];
    const char *name = set.exact ? "exact" : "random";
    std::string text = fmt::format("    /* {} inputs */\n    check_fill_{}(plain);\n", name, number);
    std::string hash = "0xcbf29ce484222325u";
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const KernelArg &arg = kernel.args[i];
        if (arg.output) {
            text += fmt::format("    memset(given[{}], 0xff, {});\n", i, plainElements(arg) * dtypeBytes(arg.dtype));
            continue;
        }
        hash = fmt::format("check_hash({}, plain[{}], {})", hash, i, plainElements(arg) * dtypeBytes(arg.dtype));
        if (!arg.packing.empty())
            text += fmt::format("    {}_pack_{}(plain[{}], given[{}]);\n", kernel.function, kernel.names[i], i, i);
    }
    text += fmt::format(
        "    if ({} != {:#x}u) {{\n        printf(\"the {} inputs are not those of Loopscope\\n\");\n        return "
        "1;\n    }}\n",
        hash, set.inputsHash, name);
    text += "    " + call(kernel, kernel.called, false) + ";\n";
    text += "    " + call(kernel, kernel.function + "_reference", true) + ";\n";
    size_t output = 0;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const KernelArg &arg = kernel.args[i];
        if (!arg.output) continue;
        const AnswerBound &bound = set.bounds[output++];
        text += fmt::format(
            "    right &= check_output(\"{}\", \"{}\", given[{}], wanted[{}], check_read_{}, {}, {:.9g}, {});\n",
            kernel.names[i], name, i, i, dtypeName(arg.dtype), arg.elements, bound.most, bound.open);
    }
    return text;
}

std::string expectedCode(const std::optional<ExpectedTime> &expected) {
    if (!expected) return {};
    return fmt::format("    printf(\"expected: %.6g ms, as Loopscope measured it on %s; this is %.3g of it\\n\", "
                       "1e3 * {:.9g}, {}, time / {:.9g});\n",
                       expected->seconds, cString(expected->where), expected->seconds);
}

} // namespace

Outcome<std::string> checkProgram(const KernelSource &kernel, const Task &task, const CheckFacts &facts,
                                  const std::optional<ExpectedTime> &expected) {
    Outcome<LoopProgram> plain = lower(LoopState(task.dag), task.target.isGpu() ? Target() : task.target);
    if (!plain) return plain.refusal();
    plain->name = kernel.function + "_reference";
    std::string sets;
    for (size_t i = 0; i < facts.sets.size(); ++i) sets += setCode(kernel, facts, i);
    const auto hasBfloat = [&](bool output) {
        return std::any_of(kernel.args.begin(), kernel.args.end(),
                           [&](const KernelArg &arg) { return arg.dtype == DType::BFloat16 && arg.output == output; });
    };
    const double flops = task.dag->flops();
    const std::string about = fmt::format(
        "Checks and times {0}: draws the inputs Loopscope draws, computes the answer by plain loops in double "
        "precision,\ncompares within the error a correct kernel may have, and times it. The argument is the "
        "number of samples (0: only check).\n\n    {2}{1}_main.c -lm -o {1} && ./{1}\n",
        kernel.function, kernel.stem,
        kernel.timesItself ? nvccCommand(task.target) + kernel.stem + ".cu "
                           : "cc -O3 -march=native -ffp-contract=fast -fopenmp " + kernel.stem + ".c ");
    const std::string elapsed =
        kernel.timesItself
            ? fmt::format("        const double elapsed = {};\n", call(kernel, kernel.called, false, "calls"))
            : filledIn(kElapsed, {{"@CALL@", call(kernel, kernel.called, false)}});
    return commented(about, "// ") + filledIn(kBegin, {{"@INCLUDE@", "#include"}, {"@STEM@", kernel.stem}}) +
           "\n/* --- The answer by plain loops "
           "------------------------------------------------------------------------------------ */\n\n" +
           emitReferenceC(*plain) + (hasBfloat(false) ? kToBfloat : "") + (hasBfloat(true) ? kFromBfloat : "") +
           InputCode(kernel, facts).text() +
           filledIn(kCompare, {{"@READERS@", readers(kernel)}, {"@CLOCK@", kernel.timesItself ? "" : kClock}}) +
           filledIn(kMain, {{"@COUNT@", std::to_string(kernel.args.size())},
                            {"@ALLOCATE@", allocations(kernel)},
                            {"@SETS@", sets},
                            {"@ELAPSED@", elapsed},
                            {"@FLOPSVALUE@", flops > 0 ? fmt::format(", {:.9g} * 1e-9 / time", flops) : ""},
                            {"@FLOPS@", flops > 0 ? ", %.4g GFLOP/s" : ""},
                            {"@EXPECTED@", expectedCode(expected)}});
}

} // namespace loopscope
