#pragma once
// One sample to click on: picture, name, what it is, how much work it is. And the grid of them by kind.

#include "views/start_page/sample_list.h"

#include <QAbstractButton>
#include <QWidget>

#include <vector>

class QLabel;

namespace loopscope {

class SampleCard : public QAbstractButton {
    Q_OBJECT

  public:
    SampleCard(Theme &theme, Sample sample, QWidget *parent);
    [[nodiscard]] const Sample &sample() const { return m_sample; }
    void setSample(Sample sample);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void enterEvent(QEnterEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

  signals:
    /// An arrow key was pressed; the grid knows who the neighbour is.
    void stepped(int key);
    void focused();

  private:
    Theme &m_theme;
    Sample m_sample;
};

class SampleGrid : public QWidget {
    Q_OBJECT

  public:
    explicit SampleGrid(Theme &theme, QWidget *parent = nullptr);
    void setSamples(const std::vector<Sample> &samples);
    void setFilter(const QString &text);
    [[nodiscard]] int shownCount() const;
    void focusFirst();
    void openFirst(); // of those shown
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;

  signals:
    void chosen(const QString &path);
    void focusMoved(QWidget *card);

  protected:
    void resizeEvent(QResizeEvent *event) override;

  private:
    int arrange(int width, bool apply) const; // gives the height
    void step(const SampleCard *from, int key);

    Theme &m_theme;
    std::vector<SampleCard *> m_cards;
    std::vector<QLabel *> m_titles; // one a kind, in order
    QString m_filter;
};

} // namespace loopscope
