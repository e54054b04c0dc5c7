#include "example_nests.h"

#include "language/te/workload.h"
#include "schedule/script/schedule_script.h"

#include <QtGlobal>
#include <fmt/format.h>

namespace loopscope {

const std::string kExampleMatmul = R"(workload matmul()
A = placeholder [16, 1024] float32
B = placeholder [1024, 1024] float32
C(i < 16, j < 1024) = sum(k < 1024; A[i, k] * B[k, j])
)";
const std::string kLoopsOfE2 = "reorder C i, k, j\nvectorize C j\n";
const std::string kLoopsOfE3 =
    "split C i into 4\nsplit C j into 16\nreorder C j.0, i.0, k, i.1, j.1\nvectorize C j.1\n";
const std::string kLoopsOfE3Rows =
    "split C i into 4\nsplit C j into 16\nreorder C i.0, j.0, k, i.1, j.1\nvectorize C j.1\n";
const std::string kExampleConv = R"(workload conv()
data = placeholder [64, 30, 30] float32
w = placeholder [64, 64, 3, 3] float32
out(y < 28, x < 28, co < 64) = sum(ci < 64, ky < 3, kx < 3; data[ci, y + ky, x + kx] * w[co, ci, ky, kx])
    @layout_free_placeholders["w"]
)";
const std::string kLoopsOfE4 = "split out co into 8\nreorder out co.0, y, x, ci, ky, kx, co.1\nvectorize out co.1\n";
const std::string kExampleE6 = R"(workload e6()
in = placeholder [1024, 1024] float32
scale = placeholder [16] float32
out(b < 16, y < 1024, x < 1024) = in[x, y] * scale[b]
)";
const std::string kExampleE7 = R"(workload e7()
in = placeholder [1024, 1024] float32
scale = placeholder [16] float32
out(y < 1024, x < 1024, b < 16) = in[x, y] * scale[b]
)";
const std::string kExampleE8 = R"(workload e8()
A = placeholder [16, 1024] float32
B = placeholder [1024, 1024] float32
C(i < 16, j < 1024) = sum(k < 1024; A[i, k] * B[k, j])
D(i < 16, j < 1024) = sum(k < 1024; A[i, k] * B[j, k])
)";
const std::string kLoopsOfE8 = "reorder C i, k, j\nvectorize C j\nreorder D i, k, j\nvectorize D j\n";

const std::string kExampleE6Copied = R"(workload e6_copied()
in = placeholder [1024, 1024] float32
scale = placeholder [16] float32
turned(y < 1024, x < 1024) = in[x, y]
out(b < 16, y < 1024, x < 1024) = turned[y, x] * scale[b]
)";
const std::string kExampleE7Copied = R"(workload e7_copied()
in = placeholder [1024, 1024] float32
scale = placeholder [16] float32
turned(y < 1024, x < 1024) = in[x, y]
out(y < 1024, x < 1024, b < 16) = turned[y, x] * scale[b]
)";
const std::string kExampleE8Copied = R"(workload e8_copied()
A = placeholder [16, 1024] float32
B = placeholder [1024, 1024] float32
turned(k < 1024, j < 1024) = B[j, k]
C(i < 16, j < 1024) = sum(k < 1024; A[i, k] * B[k, j])
D(i < 16, j < 1024) = sum(k < 1024; A[i, k] * turned[k, j])
)";
const std::string kLoopsOfE8Copied =
    "split turned k into 16\nsplit turned j into 16\nreorder turned k.0, j.0, k.1, j.1\n" + kLoopsOfE8;

std::string exampleTransposeCopied(int64_t n) {
    return fmt::format(
        "workload e5_copied()\nin = placeholder [{0}, {0}] float32\nturned(i < {0}, j < {0}) = in[j, i]\n"
        "out(i < {0}, j < {0}) = turned[i, j] + 1.0\n",
        n);
}

std::string exampleTranspose(int64_t n) {
    return fmt::format("workload e5()\nin = placeholder [{0}, {0}] float32\nout(i < {0}, j < {0}) = in[j, i] + 1.0\n",
                       n);
}

LoopState exampleState(const std::string &text, const std::string &script) {
    const DagPtr dag = ComputeDag::fromWorkload(parseWorkload(text, "example"));
    AppliedScript applied = applyScript(dag, script);
    if (applied.problem) qFatal("%s", applied.problem->text("script").c_str());
    return applied.state;
}

AccessNest exampleNest(const std::string &text, const std::string &script) {
    auto nest = accessNestOf(exampleState(text, script));
    if (!nest) qFatal("%s", nest.why().c_str());
    return std::move(nest).value();
}

Layout exampleLayout(const std::string &text, std::vector<int64_t> shape) {
    auto layout = parseLayout(text, std::move(shape));
    if (!layout) qFatal("%s", layout.why().c_str());
    return layout.value();
}

std::vector<int> accessesOf(const AccessNest &nest, const std::string &tensor, const std::string &op) {
    std::vector<int> found;
    for (size_t a = 0; a < nest.accesses.size(); ++a) {
        const NestAccess &access = nest.accesses[a];
        if (nest.tensors[static_cast<size_t>(access.tensor)].name != tensor) continue;
        if (!op.empty() && (access.op == nullptr || access.op->name != op)) continue;
        found.push_back(static_cast<int>(a));
    }
    return found;
}

} // namespace loopscope
