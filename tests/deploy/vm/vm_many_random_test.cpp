// As vm_random_test, with many more networks and texts.

#include "survival.h"
#include "test_program.h"

using namespace loopscope;

class VmManyRandomTest : public QObject {
    Q_OBJECT
  private slots:
    void theMachineGivesWhatTheReferenceGives() {
        ReferenceKernels kernels(1);
        int refusals = 0;
        for (uint64_t seed = 0; seed < 10000; ++seed) {
            const std::string wrong = survivalOfNetwork(1000 + seed, kernels, refusals);
            QVERIFY2(wrong.empty(), fmt::format("seed {}: {}", seed, wrong).c_str());
        }
        qInfo("%d of 10000 networks refuse, as the reference does", refusals);
    }
    void changedProgramsAreRefusedOrRun() {
        ReferenceKernels kernels(1, 10000);
        MutationCounts counts;
        for (uint64_t seed = 0; seed < 50000; ++seed) surviveMutatedProgram(1000 + seed, kernels, counts);
        qInfo("of 50000 programs %d are not read, %d not verified, %d run", counts.read, counts.verified, counts.ran);
    }
    void changedNetworksAreRefusedOrGiveTheSame() {
        ReferenceKernels kernels(1, 10000);
        MutationCounts counts;
        for (uint64_t seed = 0; seed < 100000; ++seed) surviveMutatedNetwork(1000 + seed, kernels, counts);
        qInfo("of 100000 networks %d are not read, %d not typed, %d run", counts.read, counts.verified, counts.ran);
    }
};

LOOPSCOPE_TEST(VmManyRandomTest)
#include "vm_many_random_test.moc"
