#include "deploy/plan/execution_plan.h"

#include "deploy/plan/lifetimes.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopscope {

namespace {

class PlanCheck {
  public:
    explicit PlanCheck(const ExecutionPlan &plan) : m_plan(plan) {}

    std::optional<std::string> run() {
        for (size_t i = 0; i < m_plan.packed.size() && !m_problem; ++i) checkPacked(i);
        for (size_t i = 0; i < m_plan.kernels.size() && !m_problem; ++i) checkRoutine(m_plan.kernels[i]);
        for (size_t i = 0; i < m_plan.calls.size() && !m_problem; ++i) checkCall(i);
        return m_problem;
    }

  private:
    void checkPacked(size_t number) {
        const PackedConstant &packed = m_plan.packed[number];
        const std::string who = fmt::format("packed constant {}", number);
        if (packed.constant >= m_plan.constants.size()) {
            fail(who, fmt::format("is made of constant {} of {}", packed.constant, m_plan.constants.size()));
            return;
        }
        const HostTensor &value = m_plan.constants[packed.constant].value;
        int64_t elements = packed.packing.empty() ? value.elements() : 1;
        for (const PackedDim &dim : packed.packing) {
            const bool fits = dim.origin >= 0 && static_cast<size_t>(dim.origin) < value.rank() && dim.extent > 0 &&
                              dim.stride >= 0 && dim.extent <= int64_t{1} << 40 && elements <= int64_t{1} << 40;
            if (!fits) return fail(who, "is laid out by an index map that does not fit its constant");
            elements *= dim.extent;
        }
        if (packed.bytes != static_cast<size_t>(elements) * static_cast<size_t>(dtypeBytes(value.dtype())))
            fail(who, fmt::format("has {} bytes, its index map another number", packed.bytes));
    }

    void checkRoutine(const PlanKernel &kernel) {
        const auto &args = kernel.code.launch.args;
        const auto problem = kernel.routine ? problemOf(*kernel.routine, args)
                             : kernel.host  ? problemOf(*kernel.host, args)
                                            : std::nullopt;
        if (problem) fail(fmt::format("kernel `{}`", kernel.name), *problem);
    }

    void checkCall(size_t number) {
        const PlanCall &call = m_plan.calls[number];
        const std::string who = fmt::format("call {} ({})", number, call.name);
        if (call.action == KernelAction::Run) {
            if (call.kernel >= m_plan.kernels.size())
                return fail(who, fmt::format("names kernel {} of {}", call.kernel, m_plan.kernels.size()));
            const auto &args = m_plan.kernels[call.kernel].code.launch.args;
            if (args.size() != call.arguments.size())
                return fail(who, fmt::format("has {} arguments, its kernel {}", call.arguments.size(), args.size()));
            for (size_t i = 0; i < args.size() && !m_problem; ++i) {
                checkArgument(who, i, call.arguments[i], args[i].output);
                // Less is what a kernel for one size of several has.
                if (!m_problem && argBytes(args[i]) > call.arguments[i].bytes)
                    fail(who, fmt::format("passes {} bytes for argument {}, which has {}", call.arguments[i].bytes, i,
                                          argBytes(args[i])));
            }
            for (size_t i = 0; i < call.checks.size() && !m_problem; ++i) checkIndices(who, call, call.checks[i]);
            for (const PlanDivisor &divisor : call.divisors)
                if (!m_problem && (divisor.argument >= call.arguments.size() || isFloat(divisor.tensor.dtype) ||
                                   divisor.tensor.bytes() != call.arguments[divisor.argument].bytes))
                    fail(who, fmt::format("divides by '{}', which is no argument of it", divisor.tensor.name));
            return;
        }
        if (call.arguments.size() != 2) return fail(who, "copies from one place to another and has not two of them");
        checkArgument(who, 0, call.arguments[0], false);
        if (!m_problem) checkArgument(who, 1, call.arguments[1], call.action == KernelAction::Copy);
        if (!m_problem && call.arguments[0].bytes != call.arguments[1].bytes)
            fail(who, "copies to a place of another size");
    }

    void checkIndices(const std::string &who, const PlanCall &call, const IndexCheck &check) {
        const int64_t count = elementCount(check.dims);
        const bool fits = check.argument < call.arguments.size() && count >= 0 && !check.extents.empty() &&
                          (check.dtype == DType::Int32 || check.dtype == DType::Int64) &&
                          static_cast<size_t>(count) <=
                              call.arguments[check.argument].bytes / static_cast<size_t>(dtypeBytes(check.dtype)) &&
                          std::all_of(
                              check.extents.begin(), check.extents.end(),
                              [](int64_t extent) { return extent >= 0 && extent <= int64_t{1} << 59; });
        if (!fits) fail(who, "looks at indices in an argument that has other ones");
    }

    void checkArgument(const std::string &who, size_t number, const PlanArgument &argument, bool written) {
        size_t bytes = 0;
        const auto among = [&](const auto &list, const char *what) {
            if (argument.at < list.size()) return true;
            fail(who, fmt::format("names {} {} of {}", what, argument.at, list.size()));
            return false;
        };
        switch (argument.kind) {
        case StorageKind::Arena:
            if (argument.at % kBufferAlignment != 0 || argument.at > m_plan.arenaBytes ||
                argument.bytes > m_plan.arenaBytes - argument.at)
                fail(who, fmt::format("has argument {} outside the arena", number));
            return;
        case StorageKind::Input:
            if (!among(m_plan.inputs, "input")) return;
            bytes = m_plan.inputs[argument.at].bytes();
            break;
        case StorageKind::Output:
            if (!among(m_plan.outputs, "output")) return;
            bytes = m_plan.outputs[argument.at].bytes();
            break;
        case StorageKind::Constant:
            if (!among(m_plan.packed, "packed constant")) return;
            bytes = m_plan.packed[argument.at].bytes;
            break;
        }
        if (written && argument.kind != StorageKind::Output)
            fail(who, fmt::format("writes to its argument {}, which is no place for results", number));
        else if (bytes != argument.bytes)
            fail(who, fmt::format("has argument {} of {} bytes in a place of {}", number, argument.bytes, bytes));
    }

    void fail(const std::string &who, const std::string &what) { m_problem = who + " " + what; }

    const ExecutionPlan &m_plan;
    std::optional<std::string> m_problem;
};

} // namespace

size_t PlanTensor::bytes() const {
    return static_cast<size_t>(std::max<int64_t>(elementCount(dims), 0)) * static_cast<size_t>(dtypeBytes(dtype));
}

std::optional<std::string> problemOf(const ExecutionPlan &plan) { return PlanCheck(plan).run(); }

} // namespace loopscope
