// Keywords of C up to C23, and what the headers of the text define with GCC and glibc under any -std: macros, types,
// functions. A tensor of such a name would not compile, or would change what the text calls.

#include "codegen/c/reserved_names.h"

namespace loopscope {

namespace {

constexpr std::string_view kWords =
    "BIG_ENDIAN BYTE_ORDER EXIT_FAILURE EXIT_SUCCESS FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO FP_FAST_FMA "
    "FP_FAST_FMAF FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_INT_DOWNWARD FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO "
    "FP_INT_TOWARDZERO FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF "
    "HUGE_VALL INFINITY INT16_C INT16_MAX INT16_MIN INT16_WIDTH INT32_C INT32_MAX INT32_MIN INT32_WIDTH INT64_C "
    "INT64_MAX INT64_MIN INT64_WIDTH INT8_C INT8_MAX INT8_MIN INT8_WIDTH INTMAX_C INTMAX_MAX INTMAX_MIN "
    "INTMAX_WIDTH INTPTR_MAX INTPTR_MIN INTPTR_WIDTH INT_FAST16_MAX INT_FAST16_MIN INT_FAST16_WIDTH INT_FAST32_MAX "
    "INT_FAST32_MIN INT_FAST32_WIDTH INT_FAST64_MAX INT_FAST64_MIN INT_FAST64_WIDTH INT_FAST8_MAX INT_FAST8_MIN "
    "INT_FAST8_WIDTH INT_LEAST16_MAX INT_LEAST16_MIN INT_LEAST16_WIDTH INT_LEAST32_MAX INT_LEAST32_MIN "
    "INT_LEAST32_WIDTH INT_LEAST64_MAX INT_LEAST64_MIN INT_LEAST64_WIDTH INT_LEAST8_MAX INT_LEAST8_MIN "
    "INT_LEAST8_WIDTH LITTLE_ENDIAN MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 "
    "M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN NFDBITS NULL PDP_ENDIAN PTRDIFF_MAX PTRDIFF_MIN "
    "PTRDIFF_WIDTH RAND_MAX SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH SIZE_MAX SIZE_WIDTH UINT16_C UINT16_MAX "
    "UINT16_WIDTH UINT32_C UINT32_MAX UINT32_WIDTH UINT64_C UINT64_MAX UINT64_WIDTH UINT8_C UINT8_MAX UINT8_WIDTH "
    "UINTMAX_C UINTMAX_MAX UINTMAX_WIDTH UINTPTR_MAX UINTPTR_WIDTH UINT_FAST16_MAX UINT_FAST16_WIDTH "
    "UINT_FAST32_MAX UINT_FAST32_WIDTH UINT_FAST64_MAX UINT_FAST64_WIDTH UINT_FAST8_MAX UINT_FAST8_WIDTH "
    "UINT_LEAST16_MAX UINT_LEAST16_WIDTH UINT_LEAST32_MAX UINT_LEAST32_WIDTH UINT_LEAST64_MAX UINT_LEAST64_WIDTH "
    "UINT_LEAST8_MAX UINT_LEAST8_WIDTH WCHAR_MAX WCHAR_MIN WCHAR_WIDTH WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED "
    "WIFEXITED WIFSIGNALED WIFSTOPPED WINT_MAX WINT_MIN WINT_WIDTH WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG "
    "WUNTRACED a64l abort abs acos acosf acosh acoshf acoshl acosl alignas aligned_alloc alignof alloca arc4random "
    "arc4random_buf arc4random_uniform asin asinf asinh asinhf asinhl asinl asm at_quick_exit atan atan2 atan2f "
    "atan2l atanf atanh atanhf atanhl atanl atexit atof atoi atol atoll auto bcmp bcopy be16toh be32toh be64toh "
    "blkcnt_t blksize_t bool break bsearch bzero caddr_t calloc canonicalize canonicalizef canonicalizel case cbrt "
    "cbrtf cbrtl ceil ceilf ceill char clearenv clock_t clockid_t const constexpr continue copysign copysignf "
    "copysignl cos cosf cosh coshf coshl cosl daddl daddr_t ddivl default dev_t dfmal div div_t dmull do double "
    "double_t drand48 drand48_r drem dremf dreml dsqrtl dsubl ecvt ecvt_r else enum erand48 erand48_r erf erfc "
    "erfcf erfcl erff erfl exit exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl explicit_bzero expm1 expm1f "
    "expm1l extern fabs fabsf fabsl fadd faddl false fcvt fcvt_r fd_mask fd_set fdim fdimf fdiml fdiv fdivl ffma "
    "ffmal ffs ffsl ffsll finite finitef finitel float float_t floor floorf floorl fma fmaf fmal fmax fmaxf "
    "fmaximum fmaximum_mag fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf fmaximum_magl "
    "fmaximum_num fmaximum_numf fmaximum_numl fmaximumf fmaximuml fmaxl fmin fminf fminimum fminimum_mag "
    "fminimum_mag_num fminimum_mag_numf fminimum_mag_numl fminimum_magf fminimum_magl fminimum_num fminimum_numf "
    "fminimum_numl fminimumf fminimuml fminl fmod fmodf fmodl fmul fmull for fpclassify free frexp frexpf frexpl "
    "fromfp fromfpf fromfpl fromfpx fromfpxf fromfpxl fsblkcnt_t fsfilcnt_t fsid_t fsqrt fsqrtl fsub fsubl gamma "
    "gammaf gammal gcvt getenv getloadavg getsubopt gid_t goto htobe16 htobe32 htobe64 htole16 htole32 htole64 "
    "hypot hypotf hypotl i386 id_t if ilogb ilogbf ilogbl index initstate initstate_r inline ino_t int int16_t "
    "int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t int_least32_t "
    "int_least64_t int_least8_t intmax_t intptr_t iscanonical iseqsig isfinite isgreater isgreaterequal isinf "
    "isinff isinfl isless islessequal islessgreater isnan isnanf isnanl isnormal issignaling issubnormal "
    "isunordered iszero j0 j0f j0l j1 j1f j1l jn jnf jnl jrand48 jrand48_r key_t l64a labs lcong48 lcong48_r ldexp "
    "ldexpf ldexpl ldiv ldiv_t le16toh le32toh le64toh lgamma lgamma_r lgammaf lgammaf_r lgammal lgammal_r linux "
    "llabs lldiv lldiv_t llogb llogbf llogbl llrint llrintf llrintl llround llroundf llroundl locale_t loff_t log "
    "log10 log10f log10l log1p log1pf log1pl log2 log2f log2l logb logbf logbl logf logl long lrand48 lrand48_r "
    "lrint lrintf lrintl lround lroundf lroundl main malloc math_errhandling mblen mbstowcs mbtowc memccpy memchr "
    "memcmp memcpy memmove memset mkdtemp mkstemp mkstemps mktemp mode_t modf modff modfl mrand48 mrand48_r nan "
    "nanf nanl nearbyint nearbyintf nearbyintl nextafter nextafterf nextafterl nextdown nextdownf nextdownl "
    "nexttoward nexttowardf nexttowardl nextup nextupf nextupl nlink_t nrand48 nrand48_r nullptr off_t on_exit "
    "pid_t posix_memalign pow powf powl pselect pthread_attr_t pthread_barrier_t pthread_barrierattr_t "
    "pthread_cond_t pthread_condattr_t pthread_key_t pthread_mutex_t pthread_mutexattr_t pthread_once_t "
    "pthread_rwlock_t pthread_rwlockattr_t pthread_spinlock_t pthread_t putenv qecvt qecvt_r qfcvt qfcvt_r qgcvt "
    "qsort quad_t quick_exit rand rand_r random random_r realloc reallocarray realpath register remainder "
    "remainderf remainderl remquo remquof remquol restrict return rindex rint rintf rintl round roundeven "
    "roundevenf roundevenl roundf roundl rpmatch scalb scalbf scalbl scalbln scalblnf scalblnl scalbn scalbnf "
    "scalbnl seed48 seed48_r select setenv setstate setstate_r short signbit signed significand significandf "
    "significandl sigset_t sin sinf sinh sinhf sinhl sinl size_t sizeof sqrt sqrtf sqrtl srand srand48 srand48_r "
    "srandom srandom_r ssize_t static static_assert stpcpy stpncpy strcasecmp strcasecmp_l strcat strchr strcmp "
    "strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strfromd strfromf strfroml strlen "
    "strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn "
    "strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoq strtoul strtoull strtouq struct strxfrm "
    "strxfrm_l suseconds_t switch system tan tanf tanh tanhf tanhl tanl tgamma tgammaf tgammal thread_local time_t "
    "timer_t true trunc truncf truncl typeof typeof_unqual u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t "
    "u_long u_quad_t u_short ufromfp ufromfpf ufromfpl ufromfpx ufromfpxf ufromfpxl uid_t uint uint16_t uint32_t "
    "uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t "
    "uint_least64_t uint_least8_t uintmax_t uintptr_t ulong union unix unsetenv unsigned ushort valloc void "
    "volatile wchar_t wcstombs wctomb while y0 y0f y0l y1 y1f y1l yn ynf ynl ";

std::set<std::string_view> split(std::string_view words) {
    std::set<std::string_view> result;
    for (size_t end = words.find(' '); end != std::string_view::npos; end = words.find(' ')) {
        result.insert(words.substr(0, end));
        words.remove_prefix(end + 1);
    }
    return result;
}

} // namespace

const std::set<std::string_view> &wordsReservedInC() {
    static const std::set<std::string_view> words = split(kWords);
    return words;
}

bool isReservedInC(std::string_view name) { return name.starts_with('_') || wordsReservedInC().contains(name); }

} // namespace loopscope
