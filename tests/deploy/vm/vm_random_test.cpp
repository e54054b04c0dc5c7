// The machine against the reference on networks that nobody thought of, and against texts that are wrong somewhere. A
// few hundred; vm_many_random_test has as many thousands.

#include "survival.h"
#include "test_program.h"

using namespace loopscope;

class VmRandomTest : public QObject {
    Q_OBJECT
  private slots:
    void theMachineGivesWhatTheReferenceGives() {
        ReferenceKernels kernels(1);
        int refusals = 0;
        for (uint64_t seed = 0; seed < 300; ++seed) {
            const std::string wrong = survivalOfNetwork(seed, kernels, refusals);
            QVERIFY2(wrong.empty(), fmt::format("seed {}: {}", seed, wrong).c_str());
        }
        // Some networks end in a match that does not hold; a test in which most did would show little.
        QVERIFY2(refusals > 5 && refusals < 150, fmt::format("{} of 300 networks refuse", refusals).c_str());
    }
    void changedProgramsAreRefusedOrRun() {
        ReferenceKernels kernels(1, 10000);
        MutationCounts counts;
        for (uint64_t seed = 0; seed < 1000; ++seed) surviveMutatedProgram(seed, kernels, counts);
        QVERIFY2(counts.read > 50 && counts.verified > 50 && counts.ran > 50,
                 fmt::format("{} not read, {} not verified, {} run", counts.read, counts.verified, counts.ran).c_str());
    }
    void changedNetworksAreRefusedOrGiveTheSame() {
        ReferenceKernels kernels(1, 10000);
        MutationCounts counts;
        for (uint64_t seed = 0; seed < 1000; ++seed) surviveMutatedNetwork(seed, kernels, counts);
        QVERIFY2(counts.read > 50 && counts.verified > 50 && counts.ran > 50,
                 fmt::format("{} not read, {} not verified, {} run", counts.read, counts.verified, counts.ran).c_str());
    }
};

LOOPSCOPE_TEST(VmRandomTest)
#include "vm_random_test.moc"
