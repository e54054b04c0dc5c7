#include "networks/graph/dim.h"

#include "base/check.h"
#include "networks/graph/net_lexer.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace loopscope {

namespace {

/// As it stands in texts: what could be read as something else is quoted.
std::string symbolText(const std::string &name) {
    bool plain = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 && name != "floordiv";
    for (const char c : name) plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_');
    if (plain) return name;
    return netQuoted(name);
}

} // namespace

/// What a form multiplies: a symbol, or a quotient of which nothing more is known.
struct DimAtom {
    std::string symbol;
    std::shared_ptr<const Dim> numerator; // of a quotient; null: a symbol
    std::shared_ptr<const Dim> divisor;

    [[nodiscard]] std::string text() const {
        if (!numerator) return symbolText(symbol);
        return fmt::format("floordiv({}, {})", numerator->text(), divisor->text());
    }
};

/// Sum of products. Terms are in the order of the texts of their atoms, none has the factor 0; the constant stands
/// apart.
struct DimForm {
    struct Term {
        int64_t factor = 0;
        std::vector<DimAtom> atoms;
    };
    std::map<std::string, Term> terms; // by the text of the product
    int64_t constant = 0;
};

namespace {

int64_t checkedAdd(int64_t a, int64_t b) {
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}
int64_t checkedMul(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : product;
}
int64_t floorQuotient(int64_t a, int64_t b) {
    const int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::string productText(const std::vector<DimAtom> &atoms) {
    std::string text;
    for (const DimAtom &atom : atoms) text += (text.empty() ? "" : "*") + atom.text();
    return text;
}

void addTerm(DimForm &form, DimForm::Term term) {
    const std::string key = productText(term.atoms);
    const auto [at, fresh] = form.terms.try_emplace(key, term);
    if (!fresh) at->second.factor = checkedAdd(at->second.factor, term.factor);
    if (at->second.factor == 0) form.terms.erase(at);
}

/// a*n + b, piece by piece: used for reading text too.
class DimReader {
  public:
    explicit DimReader(std::string_view text) : m_text(text) {}
    std::optional<Dim> whole() {
        const auto dim = sum(0);
        skip();
        return dim && m_at == m_text.size() ? dim : std::nullopt;
    }

  private:
    static constexpr int kDeepest = 64;
    std::optional<Dim> sum(int depth) {
        if (depth > kDeepest) return std::nullopt;
        bool negative = take('-');
        auto left = product(depth);
        if (!left) return std::nullopt;
        Dim total = negative ? Dim(0) - *left : *left;
        for (;;) {
            if (take('+'))
                negative = false;
            else if (take('-'))
                negative = true;
            else
                return total;
            const auto right = product(depth);
            if (!right) return std::nullopt;
            total = negative ? total - *right : total + *right;
        }
    }
    std::optional<Dim> product(int depth) {
        auto left = factor(depth);
        if (!left) return std::nullopt;
        Dim total = *left;
        while (take('*')) {
            const auto right = factor(depth);
            if (!right || total.terms() * right->terms() > kMaxDimTerms) return std::nullopt;
            total = total * *right;
        }
        return total;
    }
    std::optional<Dim> factor(int depth) {
        skip();
        if (take('(')) {
            const auto inner = sum(depth + 1);
            return inner && take(')') ? inner : std::nullopt;
        }
        if (m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])) != 0) return number();
        if (m_at < m_text.size() && m_text[m_at] == '"') return quotedSymbol();
        const std::string name = word();
        if (name.empty()) return std::nullopt;
        if (name != "floordiv") return Dim::symbol(name);
        if (!take('(')) return std::nullopt;
        const auto numerator = sum(depth + 1);
        if (!numerator || !take(',')) return std::nullopt;
        const auto divisor = sum(depth + 1);
        if (!divisor || !take(')') || (divisor->isConstant() && divisor->value() < 1)) return std::nullopt;
        return Dim::floorDiv(*numerator, *divisor);
    }
    std::optional<Dim> number() {
        int64_t value = 0;
        while (m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])) != 0) {
            if (__builtin_mul_overflow(value, int64_t{10}, &value)) return std::nullopt;
            if (__builtin_add_overflow(value, int64_t{m_text[m_at++] - '0'}, &value)) return std::nullopt;
        }
        return Dim(value);
    }
    std::optional<Dim> quotedSymbol() {
        const size_t begin = m_at++;
        while (m_at < m_text.size() && m_text[m_at] != '"') m_at += m_text[m_at] == '\\' ? 2 : 1;
        if (m_at >= m_text.size()) return std::nullopt;
        ++m_at;
        const SourceText source = {m_text.substr(begin, m_at - begin), ""};
        try {
            return Dim::symbol(netUnquoted(NetLexer(source).next().text));
        } catch (const Error &) {
            return std::nullopt;
        }
    }
    std::string word() {
        const size_t begin = m_at;
        while (m_at < m_text.size() &&
               (std::isalnum(static_cast<unsigned char>(m_text[m_at])) != 0 || m_text[m_at] == '_'))
            ++m_at;
        return std::string(m_text.substr(begin, m_at - begin));
    }
    void skip() {
        while (m_at < m_text.size() && m_text[m_at] == ' ') ++m_at;
    }
    bool take(char c) {
        skip();
        if (m_at >= m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }
    std::string_view m_text;
    size_t m_at = 0;
};

} // namespace

Dim::Dim(std::shared_ptr<const DimForm> form) : m_form(std::move(form)) {}

Dim Dim::ofForm(DimForm form) {
    if (form.terms.empty()) return form.constant;
    return Dim(std::make_shared<const DimForm>(std::move(form)));
}

DimForm Dim::form() const {
    if (m_form) return *m_form;
    DimForm constant;
    constant.constant = m_value;
    return constant;
}

Dim Dim::symbol(std::string name) {
    DimForm form;
    addTerm(form, {1, {DimAtom{std::move(name), nullptr, nullptr}}});
    return ofForm(std::move(form));
}

int64_t Dim::value() const {
    LOOPSCOPE_CHECK(isConstant(), text());
    return m_value;
}

std::string Dim::text() const {
    if (isConstant()) return std::to_string(m_value);
    std::string text;
    for (const auto &[product, term] : m_form->terms) {
        const int64_t factor = term.factor;
        if (text.empty())
            text = factor < 0 ? "-" : "";
        else
            text += factor < 0 ? " - " : " + ";
        const uint64_t size = factor < 0 ? 0 - static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor);
        text += size == 1 ? product : fmt::format("{}*{}", size, product);
    }
    const int64_t constant = m_form->constant;
    if (constant > 0) text += fmt::format(" + {}", constant);
    if (constant < 0) text += fmt::format(" - {}", 0 - static_cast<uint64_t>(constant));
    return text;
}

std::vector<std::string> Dim::symbols() const {
    if (isConstant()) return {};
    std::set<std::string> found;
    for (const auto &[product, term] : m_form->terms)
        for (const DimAtom &atom : term.atoms) {
            if (!atom.numerator) {
                found.insert(atom.symbol);
                continue;
            }
            for (const Dim *part : {atom.numerator.get(), atom.divisor.get()})
                for (std::string &name : part->symbols()) found.insert(std::move(name));
        }
    return {found.begin(), found.end()};
}

std::optional<int64_t> Dim::evaluate(const std::map<std::string, int64_t, std::less<>> &symbols) const {
    if (isConstant()) return m_value;
    int64_t total = m_form->constant;
    for (const auto &[text, term] : m_form->terms) {
        int64_t product = term.factor;
        for (const DimAtom &atom : term.atoms) {
            std::optional<int64_t> value;
            if (!atom.numerator) {
                if (const auto at = symbols.find(atom.symbol); at != symbols.end()) value = at->second;
            } else {
                const auto numerator = atom.numerator->evaluate(symbols);
                const auto divisor = atom.divisor->evaluate(symbols);
                if (numerator && divisor && *divisor >= 1) value = floorQuotient(*numerator, *divisor);
            }
            if (!value || __builtin_mul_overflow(product, *value, &product)) return std::nullopt;
        }
        if (__builtin_add_overflow(total, product, &total)) return std::nullopt;
    }
    return total;
}

size_t Dim::terms() const {
    if (isConstant()) return 1;
    return m_form->terms.size() + (m_form->constant != 0 ? 1 : 0);
}

Dim Dim::renamed(const std::map<std::string, std::string, std::less<>> &names) const {
    if (isConstant()) return *this;
    Dim sum = m_form->constant;
    for (const auto &[text, term] : m_form->terms) {
        Dim product = term.factor;
        for (const DimAtom &atom : term.atoms) {
            if (atom.numerator) {
                product = product * floorDiv(atom.numerator->renamed(names), atom.divisor->renamed(names));
            } else {
                const auto at = names.find(atom.symbol);
                product = product * symbol(at == names.end() ? atom.symbol : at->second);
            }
        }
        sum = sum + product;
    }
    return sum;
}

std::optional<Dim> Dim::substituted(const std::map<std::string, Dim, std::less<>> &values) const {
    if (isConstant()) return *this;
    Dim sum = m_form->constant;
    for (const auto &[text, term] : m_form->terms) {
        Dim product = term.factor;
        for (const DimAtom &atom : term.atoms) {
            if (atom.numerator) {
                const auto numerator = atom.numerator->substituted(values);
                const auto divisor = atom.divisor->substituted(values);
                if (!numerator || !divisor || (divisor->isConstant() && divisor->value() < 1)) return std::nullopt;
                product = product * floorDiv(*numerator, *divisor);
            } else {
                const auto at = values.find(atom.symbol);
                product = product * (at == values.end() ? symbol(atom.symbol) : at->second);
            }
        }
        sum = sum + product;
    }
    return sum;
}

Dim operator+(const Dim &a, const Dim &b) {
    if (a.isConstant() && b.isConstant()) return checkedAdd(a.m_value, b.m_value);
    DimForm sum = a.form();
    const DimForm other = b.form();
    sum.constant = checkedAdd(sum.constant, other.constant);
    for (const auto &[text, term] : other.terms) addTerm(sum, term);
    return Dim::ofForm(std::move(sum));
}

Dim operator-(const Dim &a, const Dim &b) { return a + Dim(-1) * b; }

Dim operator*(const Dim &a, const Dim &b) {
    if (a.isConstant() && b.isConstant()) return checkedMul(a.m_value, b.m_value);
    const DimForm left = a.form();
    const DimForm right = b.form();
    DimForm product;
    product.constant = checkedMul(left.constant, right.constant);
    for (const auto &[text, term] : left.terms)
        if (right.constant != 0) addTerm(product, {checkedMul(term.factor, right.constant), term.atoms});
    for (const auto &[text, term] : right.terms)
        if (left.constant != 0) addTerm(product, {checkedMul(term.factor, left.constant), term.atoms});
    for (const auto &[leftText, l] : left.terms)
        for (const auto &[rightText, r] : right.terms) {
            DimForm::Term term = {checkedMul(l.factor, r.factor), l.atoms};
            term.atoms.insert(term.atoms.end(), r.atoms.begin(), r.atoms.end());
            std::sort(term.atoms.begin(), term.atoms.end(),
                      [](const DimAtom &x, const DimAtom &y) { return x.text() < y.text(); });
            addTerm(product, std::move(term));
        }
    return Dim::ofForm(std::move(product));
}

Dim Dim::floorDiv(const Dim &a, const Dim &b) {
    if (b.isConstant()) {
        const int64_t divisor = b.m_value;
        LOOPSCOPE_CHECK(divisor >= 1, b.text());
        if (divisor == 1) return a;
        if (a.isConstant()) return floorQuotient(a.m_value, divisor);
        // What the divisor divides leaves the quotient: floordiv(4*n + 3, 4) is n.
        DimForm whole;
        DimForm rest;
        for (const auto &[text, term] : a.m_form->terms) {
            if (term.factor % divisor == 0)
                addTerm(whole, {term.factor / divisor, term.atoms});
            else
                addTerm(rest, term);
        }
        whole.constant = floorQuotient(a.m_form->constant, divisor);
        rest.constant = a.m_form->constant - whole.constant * divisor;
        if (rest.terms.empty()) return ofForm(std::move(whole));
        DimForm quotient;
        addTerm(
            quotient,
            {1, {DimAtom{"", std::make_shared<const Dim>(ofForm(std::move(rest))), std::make_shared<const Dim>(b)}}});
        return ofForm(std::move(whole)) + ofForm(std::move(quotient));
    }
    if (const auto exact = exactQuotient(a, b)) return *exact;
    DimForm quotient;
    addTerm(quotient, {1, {DimAtom{"", std::make_shared<const Dim>(a), std::make_shared<const Dim>(b)}}});
    return ofForm(std::move(quotient));
}

std::optional<Dim> Dim::exactQuotient(const Dim &a, const Dim &b) {
    if (a.isConstant() && a.m_value == 0) return Dim(0);
    const DimForm divisor = b.form();
    // By one product only.
    if (divisor.terms.size() + (divisor.constant != 0 ? 1 : 0) != 1)
        return a == b ? std::optional<Dim>(1) : std::nullopt;
    DimForm::Term by = {divisor.constant, {}};
    if (!divisor.terms.empty()) by = divisor.terms.begin()->second;
    if (by.factor == 0) return std::nullopt;
    const DimForm dividend = a.form();
    DimForm quotient;
    const auto divide = [&](const DimForm::Term &term) {
        if (by.factor == -1 ? term.factor == INT64_MIN : term.factor % by.factor != 0) return false;
        std::vector<DimAtom> left = term.atoms;
        for (const DimAtom &atom : by.atoms) {
            const auto at = std::find_if(left.begin(), left.end(),
                                         [&](const DimAtom &other) { return other.text() == atom.text(); });
            if (at == left.end()) return false;
            left.erase(at);
        }
        if (left.empty())
            quotient.constant = checkedAdd(quotient.constant, term.factor / by.factor);
        else
            addTerm(quotient, {term.factor / by.factor, std::move(left)});
        return true;
    };
    if (dividend.constant != 0 && !divide({dividend.constant, {}})) return std::nullopt;
    for (const auto &[text, term] : dividend.terms)
        if (!divide(term)) return std::nullopt;
    return ofForm(std::move(quotient));
}

bool Dim::operator==(const Dim &other) const {
    if (isConstant() != other.isConstant()) return false;
    if (isConstant()) return m_value == other.m_value;
    if (m_form == other.m_form) return true;
    if (m_form->constant != other.m_form->constant || m_form->terms.size() != other.m_form->terms.size()) return false;
    return std::equal(
        m_form->terms.begin(), m_form->terms.end(), other.m_form->terms.begin(),
        [](const auto &a, const auto &b) { return a.first == b.first && a.second.factor == b.second.factor; });
}

std::optional<Dim> parseDim(std::string_view text) { return DimReader(text).whole(); }

std::optional<std::vector<int64_t>> constantDims(const Dims &dims) {
    std::vector<int64_t> values;
    values.reserve(dims.size());
    for (const Dim &dim : dims) {
        if (!dim.isConstant()) return std::nullopt;
        values.push_back(dim.value());
    }
    return values;
}

Dims asDims(const std::vector<int64_t> &dims) { return {dims.begin(), dims.end()}; }

std::string dimsText(const Dims &dims) {
    std::string text = "[";
    for (const Dim &dim : dims) text += (text.size() == 1 ? "" : ", ") + dim.text();
    return text + "]";
}

} // namespace loopscope
