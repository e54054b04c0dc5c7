#include "views/start_page/start_page.h"

#include "views/session/samples.h"
#include "views/session/text.h"
#include "views/start_page/sample_card.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

namespace loopscope {

namespace {

enum FileRole { PathRole = Qt::UserRole, MissingRole, LogRole };

/// A file in two lines: its name, then its folder or what is wrong with it.
class FileDelegate : public QStyledItemDelegate {
  public:
    FileDelegate(Theme &theme, QObject *parent) : QStyledItemDelegate(parent), m_theme(theme) {}
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override {
        return {option.fontMetrics.averageCharWidth() * 20, 2 * option.fontMetrics.lineSpacing() + 8};
    }
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override {
        const bool missing = index.data(MissingRole).toBool();
        const bool selected = option.state & QStyle::State_Selected && option.state & QStyle::State_HasFocus;
        const bool hover = option.state & QStyle::State_MouseOver;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (selected || hover) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(m_theme.color(selected ? Role::Accent : Role::Hover));
            painter->drawRoundedRect(option.rect.adjusted(0, 1, 0, -1), 5, 5);
        }
        const QRect inside = option.rect.adjusted(8, 4, -8, -4);
        const int line = option.fontMetrics.lineSpacing();
        const QString path = index.data(PathRole).toString();
        painter->setPen(m_theme.color(selected ? Role::AccentText : missing ? Role::QuietText : Role::Text));
        painter->drawText(QRect(inside.left(), inside.top(), inside.width(), line), Qt::AlignVCenter,
                          option.fontMetrics.elidedText(QFileInfo(path).fileName(), Qt::ElideMiddle, inside.width()));
        QString below = QDir::toNativeSeparators(QFileInfo(path).absolutePath());
        if (index.data(LogRole).toBool()) below = tr("tuning log in this folder");
        if (missing) below = tr("not there any more: %1").arg(below);
        painter->setPen(m_theme.color(selected ? Role::AccentText : missing ? Role::Warning : Role::QuietText));
        painter->drawText(QRect(inside.left(), inside.top() + line, inside.width(), line), Qt::AlignVCenter,
                          option.fontMetrics.elidedText(below, Qt::ElideMiddle, inside.width()));
        painter->restore();
    }

  private:
    Theme &m_theme;
};

QFont scaled(QFont font, double factor, QFont::Weight weight) {
    font.setPointSizeF(font.pointSizeF() * factor);
    font.setWeight(weight);
    return font;
}

} // namespace

StartPage::StartPage(const ViewContext &context, QWidget *parent)
    : QWidget(parent), m_context(context), m_side(nullptr), m_buttons(nullptr), m_title(new QLabel(this)),
      m_subtitle(new QLabel(this)), m_tip(new QLabel(this)), m_recentTitle(new QLabel(this)),
      m_files(new QListWidget(this)), m_noFiles(new QLabel(this)), m_filter(new QLineEdit(this)),
      m_nothing(new QLabel(this)), m_grid(new SampleGrid(context.theme)), m_scroll(new QScrollArea(this)) {
    setObjectName(QStringLiteral("StartPage"));
    setAutoFillBackground(true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_side = buildSide();
    layout->addWidget(m_side);
    layout->addWidget(buildSamples(), 1);
    connect(&context.settings, &Settings::recentFilesChanged, this, [this] {
        fillFiles();
        checkFiles();
    });
    connect(&context.theme, &Theme::changed, this, &StartPage::restyle);
    fillFiles();
    restyle();
}

QWidget *StartPage::buildSide() {
    auto *side = new QWidget(this);
    side->setAutoFillBackground(true);
    side->setFixedWidth(fontMetrics().averageCharWidth() * 56);
    auto *layout = new QVBoxLayout(side);
    layout->setContentsMargins(24, 28, 24, 16);
    layout->setSpacing(8);

    auto *heading = new QHBoxLayout;
    auto *logo = new QLabel(side);
    const int height = fontMetrics().height() * 3;
    logo->setPixmap(QIcon(QStringLiteral(":/loopscope.svg")).pixmap(QSize(height, height), devicePixelRatioF()));
    heading->addWidget(logo);
    heading->addSpacing(8);
    auto *words = new QVBoxLayout;
    words->setSpacing(0);
    m_title->setText(QStringLiteral("Loopscope"));
    m_title->setFont(scaled(font(), 1.9, QFont::DemiBold));
    m_subtitle->setWordWrap(true);
    m_subtitle->setText(tr("Fast loop schedules, found and understood"));
    words->addWidget(m_title);
    words->addWidget(m_subtitle);
    heading->addLayout(words, 1);
    layout->addLayout(heading);
    layout->addSpacing(16);

    m_buttons = new QVBoxLayout;
    m_buttons->setSpacing(6);
    const auto button = [&](Capability wanted, const QString &text, const QString &icon) {
        const QString id = QLatin1String(actionId(wanted));
        auto *made = new QToolButton(side); // whose text stands at the left
        made->setIcon(m_context.theme.icon(icon));
        made->setText(text);
        made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        made->setFocusPolicy(Qt::StrongFocus);
        made->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        made->setMinimumHeight(fontMetrics().height() * 2);
        made->setObjectName(QStringLiteral("start_") + id);
        made->setProperty("action", id);
        connect(made, &QToolButton::clicked, this, [this, wanted] {
            if (QAction *action = m_context.actions.find(wanted)) action->trigger();
        });
        m_buttons->addWidget(made);
        const auto refresh = [this, made, wanted] {
            const QAction *action = m_context.actions.find(wanted);
            made->setVisible(action != nullptr);
            if (action) made->setToolTip(action->toolTip());
        };
        connect(&m_context.actions, &Actions::added, made, refresh);
        refresh();
    };
    button(Capability::OpenFile, tr("Open a workload, network or log \u2026"), QStringLiteral("open"));
    button(Capability::NewWorkload, tr("New workload from an operator \u2026"), QStringLiteral("new"));
    layout->addLayout(m_buttons);
    layout->addSpacing(16);

    m_recentTitle->setText(tr("Recent"));
    m_recentTitle->setFont(scaled(font(), 1.0, QFont::DemiBold));
    layout->addWidget(m_recentTitle);
    m_files->setObjectName(QStringLiteral("recent_files"));
    m_files->setAccessibleName(tr("Recent files"));
    m_files->setItemDelegate(new FileDelegate(m_context.theme, m_files));
    m_files->setFrameShape(QFrame::NoFrame);
    m_files->viewport()->setAutoFillBackground(false);
    m_files->setMouseTracking(true);
    m_files->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_files->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_files->setContextMenuPolicy(Qt::CustomContextMenu);
    layout->addWidget(m_files, 1);
    m_noFiles->setText(tr("Nothing yet. Choose a sample on the right, or drop a file anywhere on this window."));
    m_noFiles->setWordWrap(true);
    layout->addWidget(m_noFiles, 1, Qt::AlignTop);
    m_tip->setWordWrap(true);
    m_tip->setText(tr("Drop one file to open it, two to compare them. Ctrl+Shift+P finds every command, ? lists all "
                      "shortcuts."));
    layout->addWidget(m_tip);

    const auto openItem = [this](const QListWidgetItem *item) {
        if (item) Q_EMIT openRequested({item->data(PathRole).toString()});
    };
    connect(m_files, &QListWidget::itemClicked, this, openItem);
    connect(m_files, &QListWidget::itemActivated, this, openItem);
    const auto forget = [this](const QListWidgetItem *item) {
        if (!item || item->data(LogRole).toBool()) return;
        QStringList files = m_context.settings.recentFiles();
        files.removeAll(item->data(PathRole).toString());
        m_context.settings.clearRecentFiles();
        for (auto file = files.rbegin(); file != files.rend(); ++file) m_context.settings.addRecentFile(*file);
    };
    connect(m_files, &QWidget::customContextMenuRequested, this, [this, forget](const QPoint &at) {
        QListWidgetItem *item = m_files->itemAt(at);
        if (!item) return;
        auto *menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        const QString path = item->data(PathRole).toString();
        menu->addAction(tr("Open"), this, [this, path] { Q_EMIT openRequested({path}); });
        if (!item->data(LogRole).toBool())
            menu->addAction(tr("Remove from the list"), this, [this, forget, path] {
                for (int row = 0; row < m_files->count(); ++row)
                    if (m_files->item(row)->data(PathRole).toString() == path) return forget(m_files->item(row));
            });
        menu->popup(m_files->viewport()->mapToGlobal(at));
    });
    auto *remove = new QShortcut(QKeySequence::Delete, m_files, nullptr, nullptr, Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this, forget] { forget(m_files->currentItem()); });
    return side;
}

QWidget *StartPage::buildSamples() {
    auto *page = new QWidget(this);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(24, 28, 0, 0);
    layout->setSpacing(12);
    auto *head = new QHBoxLayout;
    auto *title = new QLabel(tr("Samples"), page);
    title->setFont(scaled(font(), 1.35, QFont::DemiBold));
    m_filter->setObjectName(QStringLiteral("sample_filter"));
    m_filter->setPlaceholderText(tr("Filter samples, e.g. conv nhwc"));
    m_filter->setAccessibleName(tr("Filter samples"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(fontMetrics().averageCharWidth() * 40);
    head->addWidget(title);
    head->addStretch(1);
    head->addWidget(m_filter, 1);
    head->addSpacing(24);
    layout->addLayout(head);

    m_nothing->setWordWrap(true);
    m_nothing->hide();
    layout->addWidget(m_nothing);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto *inside = new QWidget(m_scroll);
    auto *padding = new QVBoxLayout(inside);
    padding->setContentsMargins(0, 0, 24, 12);
    padding->addWidget(m_grid);
    padding->addStretch(1);
    m_scroll->setWidget(inside);
    layout->addWidget(m_scroll, 1);

    connect(m_grid, &SampleGrid::chosen, this, [this](const QString &path) { Q_EMIT openRequested({path}); });
    connect(m_grid, &SampleGrid::focusMoved, this,
            [this](QWidget *card) { m_scroll->ensureWidgetVisible(card, 0, 40); });
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_grid->setFilter(text);
        const bool none = m_grid->shownCount() == 0 && !m_samples.empty();
        m_nothing->setText(tr("No sample has \u201c%1\u201d in its name, kind or description.").arg(text));
        m_nothing->setVisible(none);
    });
    connect(m_filter, &QLineEdit::returnPressed, m_grid, &SampleGrid::openFirst);
    auto *down = new QShortcut(QKeySequence(Qt::Key_Down), m_filter, nullptr, nullptr, Qt::WidgetShortcut);
    connect(down, &QShortcut::activated, m_grid, &SampleGrid::focusFirst);
    return page;
}

void StartPage::startFind() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void StartPage::load() {
    checkFiles();
    m_context.session.jobs().start(
        tr("reading the samples"), this, [](JobControl &) { return readSamples(samplesFolder()); },
        [this](std::vector<Sample> samples) {
            m_samples = std::move(samples);
            m_grid->setSamples(m_samples);
            m_nothing->setVisible(m_samples.empty());
            m_nothing->setText(tr("No samples were found beside this program. Set LOOPSCOPE_SAMPLES to their folder."));
            m_context.session.jobs().start(
                tr("drawing the samples"), this,
                [list = m_samples](JobControl &control) { return drawSamples(list, control); },
                [this](std::vector<Sample> drawn) {
                    m_samples = std::move(drawn);
                    m_grid->setSamples(m_samples);
                    Q_EMIT loaded();
                });
        });
}

void StartPage::offerLogs(const QStringList &paths) {
    m_logs = paths;
    fillFiles();
}

void StartPage::fillFiles() {
    m_files->clear();
    const auto add = [this](const QString &path, bool log) {
        auto *item = new QListWidgetItem(QFileInfo(path).fileName(), m_files);
        item->setData(PathRole, path);
        item->setData(LogRole, log);
        item->setData(MissingRole, m_missing.contains(path));
        item->setToolTip(path);
    };
    for (const QString &path : m_logs) add(path, true);
    for (const QString &path : m_context.settings.recentFiles())
        if (!m_logs.contains(path)) add(path, false);
    m_files->setVisible(m_files->count() > 0);
    m_noFiles->setVisible(m_files->count() == 0);
}

void StartPage::checkFiles() {
    // A folder on a network may take its time to answer.
    m_context.session.jobs().start(
        tr("looking for recent files"), this,
        [files = m_context.settings.recentFiles()](JobControl &control) {
            QStringList missing;
            for (const QString &file : files)
                if (!control.cancelled() && !QFileInfo::exists(file)) missing << file;
            return missing;
        },
        [this](const QStringList &missing) {
            m_missing = missing;
            for (int row = 0; row < m_files->count(); ++row)
                m_files->item(row)->setData(MissingRole,
                                            missing.contains(m_files->item(row)->data(PathRole).toString()));
        });
}

void StartPage::restyle() {
    QPalette palette = m_side->palette();
    palette.setColor(QPalette::Window, m_context.theme.color(Role::Raised));
    palette.setColor(QPalette::Base, m_context.theme.color(Role::Raised));
    m_side->setPalette(palette);
    for (QLabel *label : {m_subtitle, m_tip, m_noFiles, m_nothing}) {
        QPalette quiet = label->palette();
        quiet.setColor(QPalette::WindowText, m_context.theme.color(Role::QuietText));
        label->setPalette(quiet);
    }
    update();
}

} // namespace loopscope
