// The chooser of a round: filled as rounds end, without a word; what the user chose stays until the workload is
// another.

#include "test_program.h"
#include "views/search_progress/round_choice.h"
#include "views/session/document.h"

#include <QSignalSpy>
#include <QTest>

using namespace loopscope;

class RoundChoiceTest : public QObject {
    Q_OBJECT

  private slots:
    void roundsOfAnotherWorkloadAreOthers() {
        RoundChoice choice({QStringLiteral("latest round"), QStringLiteral("all rounds")}, {});
        const QSignalSpy changes(&choice, &QComboBox::currentIndexChanged);
        Document one;
        one.id = 1;
        choice.follow(&one);
        QVERIFY(choice.rounds() == 0 && choice.chosen() < 0);
        choice.add(1);
        choice.add(2);
        QCOMPARE(choice.rounds(), 2);
        QCOMPARE(changes.size(), 0);
        choice.setFocus();
        QTest::keyClick(&choice, Qt::Key_End);
        QCOMPARE(choice.currentText(), QStringLiteral("round 2"));
        QCOMPARE(choice.chosen(), 1);
        QCOMPARE(changes.size(), 1);
        choice.follow(&one);
        QCOMPARE(choice.chosen(), 1); // stays
        Document other;
        other.id = 2;
        choice.follow(&other);
        QCOMPARE(choice.currentText(), QStringLiteral("latest round"));
        QCOMPARE(choice.rounds(), 0);
        QCOMPARE(changes.size(), 1);
    }
};

LOOPSCOPE_WINDOW_TEST(RoundChoiceTest)
#include "round_choice_test.moc"
