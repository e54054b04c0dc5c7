#pragma once
// The texts of two sides beside each other, or what is said while there are none: laid out in a job, folded, searched
// and exported.

#include "views/compare/aligned_text.h"
#include "views/session/view_context.h"
#include "views/text/code_language.h"

#include <QWidget>

#include <array>
#include <atomic>
#include <functional>
#include <memory>

class QStackedWidget;

namespace loopscope {

class DiffText;
class FindLine;
class NoticePage;

class ComparedTexts : public QWidget {
    Q_OBJECT

  public:
    ComparedTexts(const ViewContext &context, QWidget *parent);

    /// What makes the texts, in a job; null: it was cancelled.
    using Make = std::function<std::shared_ptr<const AlignedText>(const std::atomic<bool> *cancel)>;
    struct Asked {
        QString title;                                                                   // of the job
        std::array<CodeLanguage, 2> languages{CodeLanguage::Plain, CodeLanguage::Plain}; // by side
        Make make;
    };
    void ask(const Asked &asked);
    void stop(); // what is being made is not needed any more
    void say(const QString &title, const QString &sentence);
    /// Long stretches that are equal on both sides are folded.
    void setOnlyDifferences(bool only);

    [[nodiscard]] DiffText &diff() { return *m_diff; }
    [[nodiscard]] bool shown() const;     // texts are
    [[nodiscard]] QString notice() const; // what is said instead; empty when texts are shown
    /// "3 of 12   ~4  +5  −6", "identical"; `lines` as long as there is room for them.
    [[nodiscard]] QString countText(bool lines) const;
    [[nodiscard]] QString countTip() const;
    /// As a unified list; empty on success, else a sentence.
    QString exportTo(const QString &path, const QString &left, const QString &right) const;

    void startFind();

  signals:
    void textsShown();
    void countChanged();
    void lineChosen(AlignedText::Side side, int number);
    void unfoldAsked();

  private:
    void put(const Asked &asked);
    void find();
    [[nodiscard]] QString linesText() const;

    ViewContext m_context;
    int m_job = 0;
    bool m_only = false;
    Asked m_asked; // of the texts there are
    std::shared_ptr<const AlignedText> m_aligned;
    QStackedWidget *m_stack = nullptr;
    DiffText *m_diff = nullptr;
    NoticePage *m_notice = nullptr;
    FindLine *m_find = nullptr;
};

} // namespace loopscope
