// What the user chose is there at the next start; the dialog writes it and shows it at once; themes stay legible.

#include "test_program.h"
#include "views/settings/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace loopscope;

namespace {

double luminance(const QColor &color) {
    const auto part = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

/// As WCAG counts it: 1 to 21.
double contrast(const QColor &a, const QColor &b) {
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

QString noProblem(const QString &) { return {}; }

} // namespace

class SettingsTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] QString path(const char *name) const { return m_folder.filePath(QLatin1String(name)); }

  private slots:
    void handlesOfScrollBarsStandOut() {
        Theme theme;
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            theme.apply(*qApp, choice);
            QScrollBar bar(Qt::Vertical);
            bar.setRange(0, 100);
            bar.setPageStep(100);
            bar.resize(bar.sizeHint().width(), 300);
            const QImage image = bar.grab().toImage();
            const int middle = image.width() / 2;
            const QColor handle = image.pixelColor(middle, 100);
            const QColor groove = image.pixelColor(middle, 230);
            QVERIFY2(contrast(handle, groove) >= 1.25,
                     qPrintable(QStringLiteral("%1 on %2").arg(handle.name(), groove.name())));
        }
        theme.apply(*qApp, ThemeChoice::Light);
    }

    void buttonsOfDialogsHaveNoIconsOfTheDesktop() {
        Theme theme;
        theme.apply(*qApp, ThemeChoice::Dark);
        QDialogButtonBox box(QDialogButtonBox::Close | QDialogButtonBox::Ok);
        for (const auto *button : box.buttons()) QVERIFY2(button->icon().isNull(), qPrintable(button->text()));
        theme.apply(*qApp, ThemeChoice::Light);
    }

    void theArrowOfAMenuStandsBesideItsText() {
        Theme theme;
        theme.apply(*qApp, ThemeChoice::Light);
        QToolButton button;
        QMenu menu;
        button.setText(QStringLiteral("Explore"));
        button.setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button.setPopupMode(QToolButton::InstantPopup);
        button.setAutoRaise(true);
        button.setFixedSize(120, 40);
        const QImage without = button.grab().toImage();
        button.setMenu(&menu);
        const QImage with = button.grab().toImage();
        QRect arrow; // what the menu adds
        for (int y = 0; y < with.height(); ++y)
            for (int x = 0; x < with.width(); ++x)
                if (with.pixel(x, y) != without.pixel(x, y)) arrow |= QRect(x, y, 1, 1);
        QVERIFY(!arrow.isEmpty());
        QVERIFY2(std::abs(arrow.center().y() - with.height() / 2) <= 3,
                 qPrintable(QString::number(arrow.center().y())));
    }

    void keepsBetweenStarts() {
        {
            Settings settings(path("a.ini"));
            settings.setTheme(ThemeChoice::Dark);
            settings.setCodePointSize(13);
            settings.setValue(QStringLiteral("trials/columns"),
                              QStringList{QStringLiteral("time"), QStringLiteral("error")});
            settings.addRecentFile(QStringLiteral("/tmp/a.te"));
            settings.addRecentFile(QStringLiteral("/tmp/b.te"));
            settings.addRecentFile(QStringLiteral("/tmp/a.te"));
        }
        const Settings settings(path("a.ini"));
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QCOMPARE(settings.codePointSize(), 13);
        QCOMPARE(settings.value(QStringLiteral("trials/columns")).toStringList().size(), 2);
        QCOMPARE(settings.recentFiles(), (QStringList{QStringLiteral("/tmp/a.te"), QStringLiteral("/tmp/b.te")}));
    }

    void recentFilesAreTwenty() {
        Settings settings(path("b.ini"));
        for (int i = 0; i < 30; ++i) settings.addRecentFile(QStringLiteral("/tmp/%1.te").arg(i));
        QCOMPARE(settings.recentFiles().size(), 20);
        QCOMPARE(settings.recentFiles().front(), QStringLiteral("/tmp/29.te"));
        settings.clearRecentFiles();
        QVERIFY(settings.recentFiles().isEmpty());
    }

    void textIsLegibleInBothThemes() {
        Theme theme;
        for (const ThemeChoice choice : {ThemeChoice::Light, ThemeChoice::Dark}) {
            theme.apply(*qApp, choice);
            for (const Role ground : {Role::Base, Role::Window, Role::Raised, Role::Hover}) {
                QVERIFY(contrast(theme.color(Role::Text), theme.color(ground)) >= 7);
                QVERIFY(contrast(theme.color(Role::QuietText), theme.color(ground)) >= 4.5);
            }
            QVERIFY(contrast(theme.color(Role::AccentText), theme.color(Role::Accent)) >= 4.5);
            for (const Role ink : {Role::Bad, Role::Warning, Role::Good, Role::CodeKeyword, Role::CodeComment})
                QVERIFY2(contrast(theme.color(ink), theme.color(Role::Base)) >= 4.5,
                         qPrintable(QString::number(static_cast<int>(ink))));
        }
    }

    void dialogAppliesAndKeeps() {
        Settings settings(path("c.ini"));
        Theme theme;
        theme.apply(*qApp, ThemeChoice::Light);
        const QSignalSpy changed(&theme, &Theme::changed);
        SettingsDialog dialog(settings, theme, noProblem);
        dialog.show();
        auto *choice = dialog.findChild<QComboBox *>(QStringLiteral("theme"));
        QCOMPARE(choice->currentText(), QStringLiteral("light"));
        QTest::keyClick(choice, Qt::Key_Down);
        QVERIFY(theme.dark());
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QVERIFY(!changed.isEmpty());

        dialog.findChild<QSpinBox *>(QStringLiteral("code_size"))->setValue(15);
        QCOMPARE(settings.codePointSize(), 15);
        QCOMPARE(theme.codeFont().pointSize(), 15);
        dialog.findChild<QSpinBox *>(QStringLiteral("default_trials"))->setValue(500);
        QCOMPARE(settings.value(QStringLiteral("search/trials")).toInt(), 500);
        QTest::mouseClick(dialog.findChild<QCheckBox *>(QStringLiteral("restore_session")), Qt::LeftButton, {},
                          QPoint(8, 8));
        QCOMPARE(settings.value(QStringLiteral("session/restore")).toBool(), false);

        theme.apply(*qApp, ThemeChoice::Light); // as the toolbar does
        QCOMPARE(choice->currentText(), QStringLiteral("light"));

        const SettingsDialog again(settings, theme, noProblem);
        QCOMPARE(again.findChild<QSpinBox *>(QStringLiteral("default_trials"))->value(), 500);
        QVERIFY(!again.findChild<QCheckBox *>(QStringLiteral("restore_session"))->isChecked());
    }

    void aBadTargetIsNotKept() {
        Settings settings(path("d.ini"));
        Theme theme;
        SettingsDialog dialog(settings, theme, [](const QString &text) {
            return text.startsWith(QLatin1String("llvm")) ? QString() : QStringLiteral("unknown target kind");
        });
        auto *target = dialog.findChild<QLineEdit *>(QStringLiteral("default_target"));
        target->setText(QStringLiteral("llvm -num-cores=2"));
        QCOMPARE(settings.value(QStringLiteral("defaults/target")).toString(), QStringLiteral("llvm -num-cores=2"));
        target->setText(QStringLiteral("pdp11"));
        QCOMPARE(settings.value(QStringLiteral("defaults/target")).toString(), QStringLiteral("llvm -num-cores=2"));
        bool said = false;
        for (const auto *label : dialog.findChildren<QLabel *>())
            said = said || label->text() == QLatin1String("unknown target kind");
        QVERIFY(said);
    }
};

LOOPSCOPE_WINDOW_TEST(SettingsTest)
#include "settings_test.moc"
