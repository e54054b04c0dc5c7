// The test cases that ONNX itself publishes: those that use only operators we import give the published answers, or are
// refused with a sentence.

#include "conformance_cases.h"
#include "test_program.h"

#include <QTest>
#include <algorithm>
#include <map>

using namespace loopscope;

class OnnxConformanceTest : public QObject {
    Q_OBJECT

    /// How many pass and are refused of the cases all of whose operators are imported.
    std::pair<int, int> count(const std::vector<std::string> &families) {
        const std::vector<std::string> known = importedOperators();
        int passed = 0;
        int refused = 0;
        for (const ConformanceCase &of : conformanceCases(families)) {
            const bool ours = std::all_of(of.operators.begin(), of.operators.end(), [&](const std::string &op) {
                return op == "Upsample" || std::binary_search(known.begin(), known.end(), op);
            });
            if (!ours) continue;
            const CaseResult result = runCase(of);
            switch (result.kind) {
            case CaseResult::Kind::Passed:
                ++passed;
                break;
            case CaseResult::Kind::Refused:
                ++refused;
                qInfo("%s is refused: %s", of.name.c_str(), result.why.c_str());
                break;
            case CaseResult::Kind::Failed:
                QTest::qFail(qPrintable(QString::fromStdString(of.name + ": " + result.why)), __FILE__, __LINE__);
                break;
            }
        }
        return {passed, refused};
    }

  private slots:
    void casesPass_data() {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("fewestPassed");
        QTest::addColumn<int>("mostRefused");
        QTest::newRow("node") << "node" << 640 << 38;
        QTest::newRow("simple") << "simple" << 6 << 0;
        QTest::newRow("pytorch-operator") << "pytorch-operator" << 35 << 0;
        QTest::newRow("pytorch-converted") << "pytorch-converted" << 82 << 0;
    }
    void casesPass() {
        QFETCH(QString, family);
        QFETCH(int, fewestPassed);
        QFETCH(int, mostRefused);
        if (conformanceCases({family.toStdString()}).empty())
            QSKIP("the package libonnx-testdata is not installed, which has ONNX's test cases");
        const auto [passed, refused] = count({family.toStdString()});
        qInfo("%s: %d pass, %d are refused", qPrintable(family), passed, refused);
        QVERIFY2(passed >= fewestPassed, qPrintable(QString::number(passed)));
        QVERIFY2(refused <= mostRefused, qPrintable(QString::number(refused)));
    }
};

LOOPSCOPE_TEST(OnnxConformanceTest)
#include "conformance_test.moc"
