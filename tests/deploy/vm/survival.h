#pragma once
// What random networks and changed texts have to survive, told to few and to many of them.

#include "base/outcome.h"
#include "deploy/vm/outline.h"
#include "mutated_text.h"
#include "random_network.h"
#include "vm_programs.h"

#include <QTest>

namespace loopscope {

inline std::vector<HostTensor> inputsOfRandomNetwork(uint64_t seed) {
    Random random(12, seed);
    const auto s = static_cast<int64_t>(1 + random.below(4));
    HostTensor x = HostTensor::zeros(DType::Float32, {s});
    HostTensor y = HostTensor::zeros(DType::Float32, {s, 2});
    for (int64_t i = 0; i < s; ++i) x.setNumber(i, random.uniform() * 4 - 2);
    for (int64_t i = 0; i < 2 * s; ++i) y.setNumber(i, random.uniform() * 4 - 2);
    return {x, y, HostTensor::splat(DType::Bool, {}, random.below(2) == 0 ? 0 : 1)};
}

/// The machine gives what the reference gives; the text of the program gives the program. Counts those that refuse.
inline std::string survivalOfNetwork(uint64_t seed, KernelRunner &kernels, int &refusals) {
    const std::string text = randomNetwork(seed);
    const Module network = networkOf(text);
    const auto program = compileNetwork(network);
    if (!program) return program.why() + "\n" + text;
    if (const auto problems = programProblems(*program); !problems.empty())
        return problems[0] + "\n" + programText(*program);
    const std::string printed = programText(*program);
    const Program again = parseProgram(printed, "t.bytecode", network);
    if (again.functions != program->functions || programText(again) != printed)
        return "text and program differ:\n" + printed;
    bool refused = false;
    const std::string wrong = difference(again, kernels, inputsOfRandomNetwork(seed), &refused);
    refusals += refused ? 1 : 0;
    if (!wrong.empty()) return wrong + "\n" + text + printed;
    // The same when what stands between statements is functions of its own.
    const auto parts = outlined(network);
    if (!parts) return parts.why() + "\n" + text;
    const auto outside = compileNetwork(*parts);
    if (!outside) return outside.why() + "\n" + netText(*parts);
    const auto expected = runReference(network, inputsOfRandomNetwork(seed), {.threads = 1});
    const auto machine = VirtualMachine::make(*outside, kernels);
    if (!machine) return machine.why() + "\n" + netText(*parts);
    const auto given = (*machine)->run(inputsOfRandomNetwork(seed));
    if (given.ok() != expected.ok()) return (given ? expected.why() : given.why()) + "\n" + netText(*parts);
    for (size_t i = 0; given && i < given->size(); ++i)
        if (!sameBits((*given)[i], expected->at(network.main().results()[i]))) return "outlined:\n" + netText(*parts);
    return {};
}

struct MutationCounts {
    int read = 0;     // no text of the language
    int verified = 0; // read, and refused before it runs
    int ran = 0;      // ran, to its end or to a sentence
};

/// A changed text of a program is refused, or runs.
inline void surviveMutatedProgram(uint64_t seed, KernelRunner &kernels, MutationCounts &counts) {
    const Module network = networkOf(randomNetwork(seed % 97));
    const auto program = compileNetwork(network);
    Random random(13, seed);
    const std::string text = mutatedText(programText(*program), random);
    try {
        const Program changed = parseProgram(text, "t.bytecode", network);
        const auto machine = VirtualMachine::make(changed, kernels, {.maxElements = 10000, .maxTrips = 200});
        if (!machine) {
            ++counts.verified;
            return;
        }
        if (const auto ended = (*machine)->run(inputsOfRandomNetwork(seed)); !ended) QVERIFY(!ended.why().empty());
        ++counts.ran;
    } catch (const Error &error) {
        QVERIFY(error.line() > 0);
        ++counts.read;
    }
}

/// A changed text of a network is refused, or becomes a program that gives what the reference gives.
inline void surviveMutatedNetwork(uint64_t seed, KernelRunner &kernels, MutationCounts &counts) {
    Random random(14, seed);
    const std::string text = mutatedText(randomNetwork(seed % 97), random);
    Module network;
    try {
        network = parseNet(text, "t.net").module;
    } catch (const Error &error) {
        ++counts.read;
        return;
    }
    const auto typed = inferTypes(network);
    const auto program = typed ? compileNetwork(*typed) : Outcome<Program>(typed.refusal());
    if (!program) {
        ++counts.verified;
        return;
    }
    const auto problems = programProblems(*program);
    QVERIFY2(problems.empty(), problems.empty() ? "" : (problems[0] + "\n" + text).c_str());
    const ReferenceOptions limited = {.threads = 1, .maxElements = 10000, .maxTrips = 200};
    const auto expected = runReference(*typed, inputsOfRandomNetwork(seed), limited);
    const auto machine = VirtualMachine::make(*program, kernels, {.maxElements = 10000, .maxTrips = 200});
    const auto given = (*machine)->run(inputsOfRandomNetwork(seed));
    const std::string refusal = expected.ok() == given.ok() ? ""
                                : expected                  ? "the machine: " + given.why()
                                                            : "the reference: " + expected.why();
    QVERIFY2(refusal.empty(), (refusal + "\n" + text).c_str());
    if (given)
        for (size_t i = 0; i < given->size(); ++i)
            QVERIFY2(sameBits((*given)[i], expected->at(typed->main().results()[i])), text.c_str());
    ++counts.ran;
}

} // namespace loopscope
