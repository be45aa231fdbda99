// Written by scripts/elementary_constants: change that, not this. What each number is and how
// it is derived stands there. Included by elementary.c alone.
#ifndef GMC_ENGINE_MATH_ELEMENTARY_CONSTANTS_INTERNAL_H
#define GMC_ENGINE_MATH_ELEMENTARY_CONSTANTS_INTERNAL_H

#include <stdint.h>

// clang-format off

// ---- sin, cos, tan -----------------------------------------------------------------------------

static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1; // 2/π
static const double HALF_PI_1 = 0x1.921fb54400000p+0; // π/2 in three parts: 33 bits,
static const double HALF_PI_2 = 0x1.0b4611a600000p-34; // the next 33 bits,
static const double HALF_PI_3 = 0x1.3198a2e037073p-69; // the next 53 bits
static const double HALF_PI_HIGH = 0x1.921fb54442d18p+0; // π/2 in two parts
static const double HALF_PI_LOW = 0x1.1a62633145c07p-54;

// (sin x / x − 1) / x² in powers of x², |x| <= 0.7854
static const double SIN_TAIL[6] = {
    -0x1.5555555555548p-3, 0x1.111111110f721p-7, -0x1.a01a019be5626p-13,
    0x1.71de35506b37bp-19, -0x1.ae5e46ba5d76ep-26, 0x1.5d89aa92d66bdp-33,
};

// (cos x − 1 + x²/2) / x⁴ in powers of x²
static const double COS_TAIL[6] = {
    0x1.555555555554bp-5, -0x1.6c16c16c1500ap-10, 0x1.a01a019c8c5f2p-16,
    -0x1.27e4f7ee2cfc5p-22, 0x1.1ee9d88942b4fp-29, -0x1.8fa45499c90cfp-37,
};

// 2/π = Σ word_i 2^(-32 (i + 1)): enough for the largest double, [payne1983]
static const uint32_t TWO_OVER_PI_WORDS[40] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

// ---- atan2 -------------------------------------------------------------------------------------

// atan(j/32) in two parts
static const double ATAN_TABLE[33][2] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.ffd55bba97625p-6, -0x1.5ec431444912cp-60},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.7ee182602f10fp-4, -0x1.cfb654c0c3d98p-58},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.3d6eee8c6626cp-3, 0x1.61a3b0ce9281bp-57},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.b90d7529260a2p-3, 0x1.17b10d2e0e5abp-61},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.18bf5a30bf178p-2, 0x1.30ca4748b1bf9p-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.530ad9951cd4ap-2, -0x1.2566480884082p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.8b24d394a1b25p-2, 0x1.b6d0ba3748fa8p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.c0db4c94ec9f0p-2, -0x1.cc1ce70934c34p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.f40dd0b541418p-2, -0x1.a3992dc382a23p-57},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1255d9bfbd2a9p-1, -0x1.2bdaee1c0ee35p-58},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.2958e59308e31p-1, -0x1.09e73b0c6c087p-56},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.3f13fb89e96f4p-1, 0x1.ecf8b492644f0p-56},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.538f57b89061fp-1, -0x1.1bb74abda520cp-55},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.66d663923e087p-1, -0x1.6ea6febe8bbbap-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.78f6bbd5d315ep-1, 0x1.406a089803740p-55},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.89ff5ff57f1f8p-1, -0x1.55b9a5e177a1bp-55},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// (atan t / t − 1) / t² in powers of t², |t| <= 1/64
static const double ATAN_TAIL[4] = {
    -0x1.5555555555555p-2, 0x1.99999999924c8p-3, -0x1.249247b2220e0p-3,
    0x1.c6e427833d421p-4,
};

// the same for |t| <= 1/16
static const double ATAN_TAIL_LONG[6] = {
    -0x1.5555555555555p-2, 0x1.9999999999183p-3, -0x1.249249225c897p-3,
    0x1.c71c688bbf9dep-4, -0x1.74532f0544575p-4, 0x1.35d8aeb8ce22bp-4,
};

// ---- exp, expm1, pow ---------------------------------------------------------------------------

static const double EXP_STEPS = 0x1.71547652b82fep+7; // 128 / log 2
static const double EXP_STEP_HIGH = 0x1.62e42fefc0000p-8; // log 2 / 128 in two parts: a multiple of 2^-42,
static const double EXP_STEP_LOW = -0x1.c610ca86c3899p-44; // and the rest

// 2^(j/128), and by what share the rounded value is too small
static const double EXP_TABLE[128][2] = {
    {0x1p+0, 0x0.0p+0},
    {0x1.0163da9fb3335p+0, 0x1.b3b4f1a88bf6ep-54},
    {0x1.02c9a3e778061p+0, -0x1.160139cd8dc5dp-56},
    {0x1.04315e86e7f85p+0, -0x1.05e7a108766d1p-54},
    {0x1.059b0d3158574p+0, 0x1.cd2523567f613p-55},
    {0x1.0706b29ddf6dep+0, -0x1.bce8023f98efap-55},
    {0x1.0874518759bc8p+0, 0x1.0f74e61e6c861p-57},
    {0x1.09e3ecac6f383p+0, 0x1.0a3e45b33d399p-54},
    {0x1.0b5586cf9890fp+0, 0x1.79aa65d837b6dp-54},
    {0x1.0cc922b7247f7p+0, 0x1.eb51a92fdeffcp-55},
    {0x1.0e3ec32d3d1a2p+0, 0x1.ebe3d702f9cd1p-60},
    {0x1.0fb66affed31bp+0, -0x1.a033489906e0bp-57},
    {0x1.11301d0125b51p+0, -0x1.556522a2fbd0ep-54},
    {0x1.12abdc06c31ccp+0, -0x1.080ef8c4eea55p-58},
    {0x1.1429aaea92de0p+0, -0x1.1c923b9d5f416p-54},
    {0x1.15a98c8a58e51p+0, 0x1.0d3e3e95c55afp-55},
    {0x1.172b83c7d517bp+0, -0x1.01b15eaa59348p-55},
    {0x1.18af9388c8deap+0, -0x1.f1ff055de323dp-55},
    {0x1.1a35beb6fcb75p+0, 0x1.b898c3f1353bfp-55},
    {0x1.1bbe084045cd4p+0, -0x1.6d99c7611eb26p-54},
    {0x1.1d4873168b9aap+0, 0x1.aecf73e3a2f60p-54},
    {0x1.1ed5022fcd91dp+0, -0x1.fe782cb86389dp-55},
    {0x1.2063b88628cd6p+0, 0x1.a6f4144a6c38dp-55},
    {0x1.21f49917ddc96p+0, 0x1.07a05b0e4047dp-55},
    {0x1.2387a6e756238p+0, 0x1.68efde3a8a894p-54},
    {0x1.251ce4fb2a63fp+0, 0x1.75e18f274487dp-55},
    {0x1.26b4565e27cddp+0, 0x1.0472b981fe7f2p-55},
    {0x1.284dfe1f56381p+0, -0x1.6b87b3f71085ep-54},
    {0x1.29e9df51fdee1p+0, 0x1.2f7e16d09ab31p-55},
    {0x1.2b87fd0dad990p+0, -0x1.d219b1a6fbffap-60},
    {0x1.2d285a6e4030bp+0, 0x1.b3782720c0ab4p-55},
    {0x1.2ecafa93e2f56p+0, 0x1.e149289cecb8fp-57},
    {0x1.306fe0a31b715p+0, 0x1.34d754db0abb6p-55},
    {0x1.32170fc4cd831p+0, 0x1.64201e2ac744cp-55},
    {0x1.33c08b26416ffp+0, 0x1.fdd395dd3f84ap-55},
    {0x1.356c55f929ff1p+0, -0x1.6a3803b8e5b04p-55},
    {0x1.371a7373aa9cbp+0, -0x1.24aedcc4b5068p-54},
    {0x1.38cae6d05d866p+0, -0x1.907f81b512d8ep-54},
    {0x1.3a7db34e59ff7p+0, -0x1.1d1e83e9436d2p-56},
    {0x1.3c32dc313a8e5p+0, -0x1.91919b3ce1b15p-54},
    {0x1.3dea64c123422p+0, 0x1.59f48a72a4c6dp-55},
    {0x1.3fa4504ac801cp+0, -0x1.312607a28698ap-54},
    {0x1.4160a21f72e2ap+0, -0x1.8a78f4817895bp-58},
    {0x1.431f5d950a897p+0, -0x1.c2c9b67499a1bp-56},
    {0x1.44e086061892dp+0, 0x1.363ed60c2ac11p-59},
    {0x1.46a41ed1d0057p+0, 0x1.666093b0664efp-54},
    {0x1.486a2b5c13cd0p+0, 0x1.ecce1daa10379p-57},
    {0x1.4a32af0d7d3dep+0, 0x1.3ff8e3f0f1230p-54},
    {0x1.4bfdad5362a27p+0, 0x1.690cebb7aafb0p-56},
    {0x1.4dcb299fddd0dp+0, 0x1.31dbdeb54e077p-54},
    {0x1.4f9b2769d2ca7p+0, -0x1.f94340071a38ep-55},
    {0x1.516daa2cf6642p+0, -0x1.7deccdc93a349p-55},
    {0x1.5342b569d4f82p+0, -0x1.8dec6bd0f385fp-56},
    {0x1.551a4ca5d920fp+0, -0x1.61246ec7b5cf6p-55},
    {0x1.56f4736b527dap+0, 0x1.3350518fdd78ep-54},
    {0x1.58d12d497c7fdp+0, 0x1.b98b72f8a9b05p-56},
    {0x1.5ab07dd485429p+0, 0x1.063e1e21c5409p-54},
    {0x1.5c9268a5946b7p+0, 0x1.4c7855019c6eap-60},
    {0x1.5e76f15ad2148p+0, 0x1.432e62b64c035p-54},
    {0x1.605e1b976dc09p+0, -0x1.ce44a6199769fp-55},
    {0x1.6247eb03a5585p+0, -0x1.c33c53bef4da8p-55},
    {0x1.6434634ccc320p+0, -0x1.45378892be9aep-55},
    {0x1.6623882552225p+0, -0x1.3cedd78565858p-54},
    {0x1.68155d44ca973p+0, 0x1.710aa807e1964p-58},
    {0x1.6a09e667f3bcdp+0, -0x1.3b3efbf5e2228p-54},
    {0x1.6c012750bdabfp+0, -0x1.a12ad8734b982p-57},
    {0x1.6dfb23c651a2fp+0, -0x1.367efb86da9eep-57},
    {0x1.6ff7df9519484p+0, -0x1.0dc3d54e08851p-55},
    {0x1.71f75e8ec5f74p+0, -0x1.81f647e5a3ecfp-56},
    {0x1.73f9a48a58174p+0, -0x1.6ee4ac08b7db0p-55},
    {0x1.75feb564267c9p+0, -0x1.619321e55e68ap-55},
    {0x1.780694fde5d3fp+0, 0x1.09ccb5e09d4d3p-54},
    {0x1.7a11473eb0187p+0, -0x1.b32dcb94da51dp-56},
    {0x1.7c1ed0130c132p+0, 0x1.4ecfd5467c06bp-54},
    {0x1.7e2f336cf4e62p+0, 0x1.5ebe1abd66c55p-57},
    {0x1.80427543e1a12p+0, -0x1.8a1c52fb3cf42p-55},
    {0x1.82589994cce13p+0, -0x1.369b6f13b3734p-54},
    {0x1.8471a4623c7adp+0, -0x1.05e843a19ff1ep-55},
    {0x1.868d99b4492edp+0, -0x1.4d450d872576ep-54},
    {0x1.88ac7d98a6699p+0, 0x1.0ad675b0e8a00p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.db72fc1f0eab4p-55},
    {0x1.8cf3216b5448cp+0, -0x1.5b6609cc5e7ffp-57},
    {0x1.8f1ae99157736p+0, 0x1.bf68359f35f44p-56},
    {0x1.9145b0b91ffc6p+0, -0x1.3091fa71e3d83p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.da9b88b6c1e29p-58},
    {0x1.95a44cbc8520fp+0, -0x1.c23f97c90b959p-57},
    {0x1.97d829fde4e50p+0, -0x1.2434322f4f9aap-54},
    {0x1.9a0f170ca07bap+0, -0x1.5ca6cd7668e4bp-55},
    {0x1.9c49182a3f090p+0, 0x1.1affc2b91ce27p-56},
    {0x1.9e86319e32323p+0, 0x1.dd235e10a73bbp-57},
    {0x1.a0c667b5de565p+0, -0x1.7c50422622263p-55},
    {0x1.a309bec4a2d33p+0, 0x1.b1c86e3e231d5p-55},
    {0x1.a5503b23e255dp+0, -0x1.1bbd1d3bcbb15p-54},
    {0x1.a799e1330b358p+0, 0x1.0cc319cee31d2p-54},
    {0x1.a9e6b5579fdbfp+0, 0x1.469846e735ab3p-55},
    {0x1.ac36bbfd3f37ap+0, -0x1.2dfcd978e9db4p-55},
    {0x1.ae89f995ad3adp+0, 0x1.c1a7792cb3387p-55},
    {0x1.b0e07298db666p+0, -0x1.07b8f4ad1d9fap-54},
    {0x1.b33a2b84f15fbp+0, -0x1.5c3d956dcaebap-58},
    {0x1.b59728de5593ap+0, -0x1.0a40e3da6f640p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.8d6f438ad9334p-57},
    {0x1.ba5b030a1064ap+0, -0x1.1eee26b588a35p-54},
    {0x1.bcc1e904bc1d2p+0, 0x1.4ffd70a5fddcdp-56},
    {0x1.bf2c25bd71e09p+0, -0x1.1bdfbfa9298acp-54},
    {0x1.c199bdd85529cp+0, 0x1.36eae30af0cb3p-56},
    {0x1.c40ab5fffd07ap+0, 0x1.ee3325c9ffd94p-55},
    {0x1.c67f12e57d14bp+0, 0x1.4e08fd10959acp-55},
    {0x1.c8f6d9406e7b5p+0, 0x1.3cdaf384e1a67p-57},
    {0x1.cb720dcef9069p+0, 0x1.76b2c6c921968p-57},
    {0x1.cdf0b555dc3fap+0, -0x1.08a1883ccb5d2p-55},
    {0x1.d072d4a07897cp+0, -0x1.fad5d3ffffa6fp-55},
    {0x1.d2f87080d89f2p+0, -0x1.00dae3875a949p-54},
    {0x1.d5818dcfba487p+0, 0x1.4a385a63d07a7p-56},
    {0x1.d80e316c98398p+0, -0x1.2919e2040220fp-55},
    {0x1.da9e603db3285p+0, 0x1.e5a50d5c192acp-55},
    {0x1.dd321f301b460p+0, 0x1.43a59ac016b4bp-55},
    {0x1.dfc97337b9b5fp+0, -0x1.2d52107b43e1fp-55},
    {0x1.e264614f5a129p+0, -0x1.92ab93b470dc9p-55},
    {0x1.e502ee78b3ff6p+0, 0x1.4b604603a88d3p-56},
    {0x1.e7a51fbc74c83p+0, 0x1.3c5ec519d7271p-55},
    {0x1.ea4afa2a490dap+0, -0x1.ff7128fd391f0p-55},
    {0x1.ecf482d8e67f1p+0, -0x1.dae98e223747dp-55},
    {0x1.efa1bee615a27p+0, 0x1.ec3bc41aa2008p-55},
    {0x1.f252b376bba97p+0, 0x1.42b94c3a9eb32p-55},
    {0x1.f50765b6e4540p+0, 0x1.a64a931d185eep-55},
    {0x1.f7bfdad9cbe14p+0, -0x1.e37bae43be3edp-55},
    {0x1.fa7c1819e90d8p+0, 0x1.7893b4d91cd9dp-56},
    {0x1.fd3c22b8f71f1p+0, 0x1.305c14160cc89p-58},
};

// (exp r − 1 − r) / r² in powers of r, |r| <= log 2 / 256
static const double EXP_TAIL[4] = {
    0x1.ffffffffffd83p-2, 0x1.555555555547bp-3, 0x1.55555d4be4eddp-5,
    0x1.111115f1076a7p-7,
};

// (exp r − 1 − r − r²/2) / r³, |r| <= 1/4
static const double EXPM1_TAIL[9] = {
    0x1.5555555555555p-3, 0x1.5555555555354p-5, 0x1.11111111112e4p-7,
    0x1.6c16c16e18126p-10, 0x1.a01a019fd2281p-13, 0x1.a019ec3d2cd0ap-16,
    0x1.71de33666cfa4p-19, 0x1.284249a8b566ep-22, 0x1.aec4f37a4f611p-26,
};

// ---- log, log1p, pow ---------------------------------------------------------------------------

static const double LN2_HIGH = 0x1.62e42fefa3800p-1; // log 2 in two parts: a multiple of 2^-42,
static const double LN2_LOW = 0x1.ef35793c76730p-45; // and the rest
enum { LOG_TABLE_BITS = 7 };
#define LOG_FIRST UINT64_C(0x3fe6000000000000) // 0.6875, where the table begins

// near 1/c for the middle c of an interval, 11 bits; its −log in two parts as above
static const double LOG_TABLE[128][3] = {
    {0x1.7340000000000p+0, -0x1.7c9e7703f9000p-2, 0x1.82d5517117a8cp-45},
    {0x1.7140000000000p+0, -0x1.77166c7440000p-2, -0x1.2d333f054aa72p-45},
    {0x1.6f40000000000p+0, -0x1.7186b11381000p-2, -0x1.934e2677d272bp-46},
    {0x1.6d00000000000p+0, -0x1.6b3bb22359000p-2, -0x1.0f6257a933268p-44},
    {0x1.6b00000000000p+0, -0x1.659b57303e000p-2, -0x1.f281db0af8efcp-46},
    {0x1.6900000000000p+0, -0x1.5ff3070a79000p-2, -0x1.e9e439f105039p-45},
    {0x1.6700000000000p+0, -0x1.5a42ab0f4d000p-2, 0x1.e63af2df7ba69p-50},
    {0x1.6540000000000p+0, -0x1.5541aec91c000p-2, 0x1.816aadc72eeb9p-48},
    {0x1.6340000000000p+0, -0x1.4f81fe4764000p-2, 0x1.7fcf6434ff08dp-45},
    {0x1.6140000000000p+0, -0x1.49b9feb7c1000p-2, -0x1.dac1c58ab60d7p-44},
    {0x1.5f80000000000p+0, -0x1.44a41b463c000p-2, -0x1.1ee28f37cf612p-44},
    {0x1.5d80000000000p+0, -0x1.3ecc460ef6000p-2, 0x1.6028627c1300fp-47},
    {0x1.5bc0000000000p+0, -0x1.39a8619f45000p-2, -0x1.8ee51937354f5p-46},
    {0x1.59c0000000000p+0, -0x1.33c05f128e000p-2, 0x1.2b906380e1a7dp-45},
    {0x1.5800000000000p+0, -0x1.2e8e2bae12000p-2, 0x1.67b1e99b72bd8p-45},
    {0x1.5640000000000p+0, -0x1.29552f81ff000p-2, -0x1.48d301771c408p-44},
    {0x1.5480000000000p+0, -0x1.241558bfd1000p-2, -0x1.00fff3228fcadp-44},
    {0x1.52c0000000000p+0, -0x1.1ece95528b000p-2, 0x1.84e7b09b4a3b8p-46},
    {0x1.5100000000000p+0, -0x1.1980d2dd42000p-2, -0x1.b7b3a7a361c9ap-45},
    {0x1.4f40000000000p+0, -0x1.142bfeb9a0000p-2, -0x1.1ce6185b58a9ep-44},
    {0x1.4d80000000000p+0, -0x1.0ed005f658000p-2, 0x1.2dc75285aa803p-45},
    {0x1.4bc0000000000p+0, -0x1.096cd55591000p-2, -0x1.f998d20550a31p-44},
    {0x1.4a40000000000p+0, -0x1.04c8de1842000p-2, 0x1.fe6ba512ceb86p-46},
    {0x1.4880000000000p+0, -0x1.feb0233e60000p-3, -0x1.f316e32d5e8c7p-45},
    {0x1.46c0000000000p+0, -0x1.f3bfa934d6000p-3, -0x1.d9f2a937b903bp-45},
    {0x1.4540000000000p+0, -0x1.ea5349e23a000p-3, -0x1.81b934c73ccb5p-44},
    {0x1.43c0000000000p+0, -0x1.e0dbc3d92a000p-3, -0x1.59233f0529bf1p-44},
    {0x1.4200000000000p+0, -0x1.d5c216b4fc000p-3, 0x1.1ba91bbca681bp-45},
    {0x1.4080000000000p+0, -0x1.cc320c0176000p-3, -0x1.409039a653794p-45},
    {0x1.3f00000000000p+0, -0x1.c2968558c2000p-3, 0x1.cfd73dee38a40p-45},
    {0x1.3d40000000000p+0, -0x1.b7526a22e4000p-3, -0x1.c0dbf2e785490p-45},
    {0x1.3bc0000000000p+0, -0x1.ad9da1f828000p-3, 0x1.882b7c803f050p-44},
    {0x1.3a40000000000p+0, -0x1.a3dd04b938000p-3, -0x1.97da1366e2c5ap-45},
    {0x1.38c0000000000p+0, -0x1.9a10756988000p-3, -0x1.64aa6242cd098p-45},
    {0x1.3740000000000p+0, -0x1.9037d6a180000p-3, -0x1.30dea57c1c8d9p-45},
    {0x1.35c0000000000p+0, -0x1.86530a8c70000p-3, -0x1.98bb0cb4ea3e3p-44},
    {0x1.3480000000000p+0, -0x1.7e0afd630c000p-3, -0x1.39e7c1d8f1034p-46},
    {0x1.3300000000000p+0, -0x1.740f8f5404000p-3, 0x1.0b66c99018aa1p-44},
    {0x1.3180000000000p+0, -0x1.6a079d0f7a000p-3, -0x1.5a3f8448d14f5p-44},
    {0x1.3000000000000p+0, -0x1.5ff3070a7a000p-3, 0x1.8586f183bebf2p-44},
    {0x1.2ec0000000000p+0, -0x1.5782cb3092000p-3, 0x1.3a46351794442p-44},
    {0x1.2d40000000000p+0, -0x1.4d56b5798e000p-3, -0x1.8058015a96555p-44},
    {0x1.2c00000000000p+0, -0x1.44d2b6ccb8000p-3, 0x1.70cc16135783cp-46},
    {0x1.2a80000000000p+0, -0x1.3a8eb2d31a000p-3, -0x1.bafb77d5d503ep-46},
    {0x1.2940000000000p+0, -0x1.31f693eb1a000p-3, 0x1.a6726e5a396fbp-45},
    {0x1.27c0000000000p+0, -0x1.279a300ab4000p-3, -0x1.ef432b3235108p-44},
    {0x1.2680000000000p+0, -0x1.1eed90e2dc000p-3, -0x1.615637097648fp-46},
    {0x1.2540000000000p+0, -0x1.16377fb124000p-3, -0x1.91e1abf41763ep-47},
    {0x1.2400000000000p+0, -0x1.0d77e7cd08000p-3, -0x1.cb2cd2ee2f482p-44},
    {0x1.22c0000000000p+0, -0x1.04aeb449f6000p-3, -0x1.afa9065ccd35cp-45},
    {0x1.2140000000000p+0, -0x1.f42dba3a24000p-4, 0x1.312b732df6c0dp-44},
    {0x1.2000000000000p+0, -0x1.e27076e2b0000p-4, 0x1.a342c2af0003cp-45},
    {0x1.1ec0000000000p+0, -0x1.d09f72b4c4000p-4, -0x1.048c000354e33p-45},
    {0x1.1d80000000000p+0, -0x1.beba818148000p-4, 0x1.89b78b6df1f57p-44},
    {0x1.1c40000000000p+0, -0x1.acc1768434000p-4, 0x1.aa783a0b7fa4cp-45},
    {0x1.1b00000000000p+0, -0x1.9ab4246204000p-4, 0x1.8a64826787061p-45},
    {0x1.1a00000000000p+0, -0x1.8c345d6318000p-4, -0x1.b20f5acb42a66p-44},
    {0x1.18c0000000000p+0, -0x1.7a0216f648000p-4, -0x1.e124ca18418ffp-44},
    {0x1.1780000000000p+0, -0x1.67bb0726ec000p-4, -0x1.f724b69ef5912p-49},
    {0x1.1640000000000p+0, -0x1.555efe40b4000p-4, -0x1.0b4978c868e23p-44},
    {0x1.1500000000000p+0, -0x1.42edcbea64000p-4, -0x1.bc0eeea7c9acdp-46},
    {0x1.1400000000000p+0, -0x1.341d7961bc000p-4, -0x1.1d09299837610p-44},
    {0x1.12c0000000000p+0, -0x1.2185b3b75c000p-4, 0x1.e3189f8f32304p-44},
    {0x1.11c0000000000p+0, -0x1.1296444030000p-4, 0x1.d53bb751aa773p-44},
    {0x1.1080000000000p+0, -0x1.ffae9119b8000p-5, -0x1.303374262c554p-45},
    {0x1.0f40000000000p+0, -0x1.da0478be38000p-5, -0x1.252c7b1f6fe05p-45},
    {0x1.0e40000000000p+0, -0x1.bbc2bfc450000p-5, 0x1.7d18691417dafp-46},
    {0x1.0d40000000000p+0, -0x1.9d644fdff8000p-5, -0x1.13c90539a473bp-44},
    {0x1.0c00000000000p+0, -0x1.77458f6330000p-5, 0x1.181dce586af09p-44},
    {0x1.0b00000000000p+0, -0x1.58a5bafc90000p-5, 0x1.b2b739570ad39p-45},
    {0x1.09c0000000000p+0, -0x1.32348c7000000p-5, -0x1.696db90b1e49fp-45},
    {0x1.08c0000000000p+0, -0x1.1352378598000p-5, 0x1.c1ac3b71fa59bp-46},
    {0x1.07c0000000000p+0, -0x1.e8a3ee30d0000p-6, 0x1.1a9fa3de53900p-45},
    {0x1.06c0000000000p+0, -0x1.aa6721ee80000p-6, -0x1.ad4eb5c5af494p-45},
    {0x1.0580000000000p+0, -0x1.5c45a51b90000p-6, 0x1.63bb6216d87d8p-45},
    {0x1.0480000000000p+0, -0x1.1d7f7eb9f0000p-6, 0x1.4193a83fcc7a6p-46},
    {0x1.0380000000000p+0, -0x1.bcf712c740000p-7, -0x1.c25e097bd9771p-46},
    {0x1.0280000000000p+0, -0x1.3e7295d260000p-7, 0x1.609c1ff29a114p-45},
    {0x1.0180000000000p+0, -0x1.7ee11ebd80000p-8, -0x1.749d3c2d23a07p-47},
    {0x1p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.fa00000000000p-1, 0x1.82448a3880000p-7, 0x1.4554412c584e0p-44},
    {0x1.f600000000000p-1, 0x1.432a925980000p-6, 0x1.98139928637fep-47},
    {0x1.f280000000000p-1, 0x1.b5cc258b70000p-6, 0x1.8e611b8afbfe8p-46},
    {0x1.ee80000000000p-1, 0x1.1ce5a62bc0000p-5, 0x1.a9cc78d8df999p-44},
    {0x1.eb00000000000p-1, 0x1.5715c4c040000p-5, -0x1.8888ddfc47628p-44},
    {0x1.e780000000000p-1, 0x1.91b073efd8000p-5, -0x1.9d7c53f76ca96p-46},
    {0x1.e380000000000p-1, 0x1.d52ed64060000p-5, -0x1.3c85d2a29bbd6p-44},
    {0x1.e000000000000p-1, 0x1.08598b59e4000p-4, -0x1.7e5dd7009902cp-46},
    {0x1.dc80000000000p-1, 0x1.26536c3d8c000p-4, 0x1.b4bac097c5ba3p-47},
    {0x1.d900000000000p-1, 0x1.4485e03dbc000p-4, 0x1.fad46e8d26ab7p-44},
    {0x1.d600000000000p-1, 0x1.5e95a4d978000p-4, 0x1.1cb7ce1d17171p-44},
    {0x1.d280000000000p-1, 0x1.7d33687c28000p-4, 0x1.3c88c3e706706p-44},
    {0x1.cf00000000000p-1, 0x1.9c0c32d4d4000p-4, -0x1.ab7c09e838668p-44},
    {0x1.cc00000000000p-1, 0x1.b6ac88dad4000p-4, 0x1.b1bdff50225c7p-44},
    {0x1.c880000000000p-1, 0x1.d5f5565920000p-4, 0x1.0e239cc185469p-44},
    {0x1.c580000000000p-1, 0x1.f0f70cdd98000p-4, 0x1.2e31f6c272c1ep-44},
    {0x1.c280000000000p-1, 0x1.06135354d4000p-3, 0x1.6304628340ee9p-44},
    {0x1.bf80000000000p-1, 0x1.13c2605c3a000p-3, -0x1.cf5fdd94f6509p-45},
    {0x1.bc80000000000p-1, 0x1.2188fd9808000p-3, -0x1.b3a1e7f50c701p-44},
    {0x1.b980000000000p-1, 0x1.2f677cbbc0000p-3, 0x1.52b302160f40dp-44},
    {0x1.b680000000000p-1, 0x1.3d5e3126bc000p-3, 0x1.3fb2f85096c4bp-46},
    {0x1.b380000000000p-1, 0x1.4b6d6fefe2000p-3, 0x1.522ecf56e7952p-46},
    {0x1.b080000000000p-1, 0x1.59958ff1d6000p-3, -0x1.a1d059769ca05p-44},
    {0x1.ad80000000000p-1, 0x1.67d6e9d786000p-3, -0x1.11e8830a706d3p-44},
    {0x1.ab00000000000p-1, 0x1.73cb9074fe000p-3, -0x1.d66a90d0005a6p-44},
    {0x1.a800000000000p-1, 0x1.823c16551a000p-3, 0x1.e0ddb9a631e83p-46},
    {0x1.a580000000000p-1, 0x1.8e588ebac2000p-3, 0x1.b7d5cab2d1140p-44},
    {0x1.a300000000000p-1, 0x1.9a8778deba000p-3, 0x1.470fa3efec390p-44},
    {0x1.a000000000000p-1, 0x1.a93ed3c8ae000p-3, -0x1.8724350562169p-45},
    {0x1.9d80000000000p-1, 0x1.b5971a213a000p-3, 0x1.9b50e83aa91dfp-44},
    {0x1.9b00000000000p-1, 0x1.c2028ab180000p-3, -0x1.92e0ee55c7ac6p-45},
    {0x1.9880000000000p-1, 0x1.ce816157f2000p-3, -0x1.9e0aba2099515p-45},
    {0x1.9600000000000p-1, 0x1.db13db0d48000p-3, 0x1.2806a847527e6p-44},
    {0x1.9380000000000p-1, 0x1.e7ba35eb78000p-3, -0x1.d5eee23793649p-47},
    {0x1.9100000000000p-1, 0x1.f474b134e0000p-3, -0x1.bae49f1df7b5ep-44},
    {0x1.8e80000000000p-1, 0x1.00a1c6adda000p-2, 0x1.1cd8d688b9e18p-44},
    {0x1.8c00000000000p-1, 0x1.07138604d6000p-2, -0x1.e76324e912b17p-44},
    {0x1.8980000000000p-1, 0x1.0d8fb813eb000p-2, 0x1.ee8c88753fa35p-46},
    {0x1.8780000000000p-1, 0x1.12c77cd007000p-2, 0x1.3b2948a11f797p-46},
    {0x1.8500000000000p-1, 0x1.1956d3b9bc000p-2, 0x1.7d2f73ad1aa14p-45},
    {0x1.8280000000000p-1, 0x1.1ff0fe7cf4000p-2, 0x1.e9d5b513ff0c1p-44},
    {0x1.8080000000000p-1, 0x1.25410494e5000p-2, 0x1.b1d7ac0ef77f2p-44},
    {0x1.7e00000000000p-1, 0x1.2bef07cdc9000p-2, 0x1.a9cfa4a5004f4p-45},
    {0x1.7c00000000000p-1, 0x1.314f1e1d36000p-2, -0x1.8e27ad3213cb8p-45},
    {0x1.7980000000000p-1, 0x1.3811728565000p-2, -0x1.a71e493a0702bp-45},
    {0x1.7780000000000p-1, 0x1.3d81fb5947000p-2, -0x1.22c7c2a9d37a4p-45},
    {0x1.7580000000000p-1, 0x1.42f9f3ff62000p-2, 0x1.906440f7d3354p-44},
};

// (log(1 + r) − r + r²/2) / r³ in powers of r, −1/256 <= r <= 1/128
static const double LOG_TAIL[6] = {
    0x1.5555555555545p-2, -0x1.fffffffffe559p-3, 0x1.9999999f06162p-3,
    -0x1.55555a5dd9499p-3, 0x1.248fc6772725bp-3, -0x1.f8e1acc662e52p-4,
};

// the same with more terms, for pow
static const double POW_TAIL[8] = {
    0x1.5555555555555p-2, -0x1.fffffffffffd8p-3, 0x1.99999999b3c5cp-3,
    -0x1.5555556115a19p-3, 0x1.2492396ed4fddp-3, -0x1.ffeb7c0de0830p-4,
    0x1.c737ce92e0599p-4, -0x1.762e43108e202p-3,
};

// ---- erf, erfc ---------------------------------------------------------------------------------

enum { ERFCX_TERMS = 17, ERFCX_FAR_TERMS = 12 };
static const double ERFCX_FAR_FROM = 0x1.8000000000000p+2; // from where ERFCX_FAR

// erf(x) / x − 1 in powers of x², |x| <= 3/4
static const double ERF_TAIL[12] = {
    0x1.06eba8214db69p-3, -0x1.812746b037a0ap-2, 0x1.ce2f21a044560p-4,
    -0x1.b82ce313109ddp-6, 0x1.565bcd278a47ep-8, -0x1.c02db9ab34720p-11,
    0x1.f9a3f8d5c1580p-14, -0x1.f4e63580589cfp-17, 0x1.bb1ed7d2cef83p-20,
    -0x1.6b630fda0d4e0p-23, 0x1.3f8479a3974bep-26, -0x1.3474bd25967fbp-29,
};

// exp(x²) erfc(x) for x from 0.75 up to ...,
static const double ERFCX_END[5] = {
    0x1.4000000000000p+0, 0x1.e000000000000p+0, 0x1.6000000000000p+1,
    0x1p+2, 0x1.8000000000000p+2,
};

// middles of these intervals,
static const double ERFCX_MIDDLE[5] = {
    0x1p+0, 0x1.9000000000000p+0, 0x1.2800000000000p+1,
    0x1.b000000000000p+1, 0x1.4000000000000p+2,
};

// and coefficients of powers of x − middle, the first one in two parts
static const double ERFCX[5][17] = {
    {0x1.b5d8780f956b2p-2, 0x1.825447f231a67p-58, -0x1.17c4e3f17c050p-2, 0x1.3c27283c32cc4p-3, -0x1.44837f890705dp-4, 0x1.33cad0ef5e9a8p-5, -0x1.10fcf1b5464a5p-6, 0x1.c8cb958c8f609p-8, -0x1.6af26574733ccp-9, 0x1.135262d7a4ee8p-10, -0x1.9081f9a089495p-12, 0x1.184fd527086bdp-13, -0x1.7acad62aaf1d1p-15, 0x1.eef0ef2c0429bp-17, -0x1.31f7f527ab7b0p-18, 0x1.8a762b51035b5p-20, -0x1.e5da0bdd23454p-21},
    {0x1.3f20d017f3530p-2, 0x1.69b190a5a8b26p-57, -0x1.3c5e938b9cefbp-3, 0x1.1fdbb34b82defp-4, -0x1.e7e4fd2df9421p-6, 0x1.8519019636515p-7, -0x1.2642531a481d7p-8, 0x1.a88dd71957089p-10, -0x1.2586ac044eb35p-11, 0x1.867941cdc2c85p-13, -0x1.f5524bc733aa6p-15, 0x1.376e68b83d857p-16, -0x1.77840e81c0c77p-18, 0x1.b765d9ea5bacep-20, -0x1.df14813a14a0bp-22, 0x1.1e48036ae8527p-23, -0x1.7da21bb9eec56p-24},
    {0x1.ce30e45ab6494p-3, 0x1.c455704a0693fp-57, -0x1.5a930ffb85474p-4, 0x1.ebb6ceff21776p-6, -0x1.4c4757001fa32p-7, 0x1.ae11499bf2aabp-9, -0x1.0baab49fe0fbdp-10, 0x1.418a6cb41bc08p-12, -0x1.75d56396edc81p-14, 0x1.a5ac3aecfcd4bp-16, -0x1.ce69ffcc59f57p-18, 0x1.ede428e96e34bp-20, -0x1.014a79363ba8cp-21, 0x1.05a57b2887b9ap-23, -0x1.04735f3d75418p-25, 0x1.09308f4e406cdp-27, -0x1.fac3ae5017f99p-30},
    {0x1.48f8f10299b71p-3, 0x1.635e7b3452b79p-59, -0x1.696d353f008b5p-5, 0x1.804cc1571419cp-7, -0x1.8c84c13afb929p-9, 0x1.8de5f26a7937cp-11, -0x1.8511846dacc08p-13, 0x1.7350e3a7223bcp-15, -0x1.5a6138854056dp-17, 0x1.3c3b6afbcfbacp-19, -0x1.1ae0423d24a2fp-21, 0x1.f05e474d8588dp-24, -0x1.ab7fcd4f9b51bp-26, 0x1.691f49e5183c0p-28, -0x1.2cb11644c2b60p-30, 0x1.062c4ce17fc8ep-32, -0x1.a1823f5d86e17p-35},
    {0x1.c57239e943d1ap-4, -0x1.0e682190858dbp-59, -0x1.5d843497d4f3bp-6, 0x1.08cf82b79a213p-8, -0x1.8abc1987077a6p-11, 0x1.219f2c332270fp-13, -0x1.a2a81d25117f2p-16, 0x1.2a41156298853p-18, -0x1.a3193ce8b0016p-21, 0x1.228a5df778f3ap-23, -0x1.8dabb14c5a7a0p-26, 0x1.0cce8df99a295p-28, -0x1.66fce16d9f992p-31, 0x1.d7b1111d5c722p-34, -0x1.3435dd2ef7214p-36, 0x1.b96ea023cc095p-39, -0x1.1675571b52711p-41},
};

// x exp(x²) erfc(x) in powers of 1/x², the first one in two parts, 6 <= x <= 28
static const double ERFCX_FAR[12] = {
    0x1.20dd750429b6dp-1, 0x1.1ae3a914fed80p-57, -0x1.20dd75042993ep-2,
    0x1.b14c2f8579786p-2, -0x1.0ecf9d4a59676p+0, 0x1.d9eb19407ad0dp+1,
    -0x1.0a8f87e10f8fbp+4, 0x1.6e0a5c3ec5822p+6, -0x1.255cbd7b297ffp+9,
    0x1.fa240a2cb1c70p+11, -0x1.856d84cbae4dap+14, 0x1.657c76cc5f74fp+16,
};

// ---- lgamma ------------------------------------------------------------------------------------

enum {
    LGAMMA_ONE_TERMS = 22,
    LGAMMA_MIDDLE_TERMS = 18,
    LGAMMA_TWO_TERMS = 18,
    LGAMMA_FAR_TERMS = 7,
};
static const double LOG_PI = 0x1.250d048e7a1bdp+0; // log π
static const double STIRLING_HIGH = 0x1.acfe390c97d69p-2; // (log 2π − 1) / 2 in two parts
static const double STIRLING_LOW = 0x1.3494bc9001442p-56;

// log Γ(1 + y) / y in powers of y, −0.3 <= y <= 0.25
static const double LGAMMA_ONE[22] = {
    -0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab27ap-2,
    0x1.151322ac7d8cbp-2, -0x1.a8b9c17ab4151p-3, 0x1.5b40cb0fffcfep-3,
    -0x1.2703a1d5251fbp-3, 0x1.010b36b549c86p-3, -0x1.c8067531dd1eep-4,
    0x1.9a01dfdc5ed75p-4, -0x1.748b50599ec87p-4, 0x1.556b9d2ed43c7p-4,
    -0x1.3b3836b9afafep-4, 0x1.247b85b420c40p-4, -0x1.0f1499c526accp-4,
    0x1.02606e9023d60p-4, -0x1.08b6de4e816b9p-4, 0x1.8756942c192f2p-5,
    -0x1.abfb4f31efa0cp-7, 0x1.b7ce123e9efffp-4, -0x1.5ce6309fc3449p-3,
    -0x1.063e1949e4376p-3,
};

// log Γ(3/2 + y) in powers of y, the first one in two parts, |y| <= 0.25
static const double LGAMMA_MIDDLE[18] = {
    -0x1.eeb95b094c191p-4, -0x1.346863f58b075p-58, 0x1.2aed059bd608bp-5,
    0x1.de9e64df22ef3p-2, -0x1.1ae55b1807306p-3, 0x1.e0f840dad60e1p-5,
    -0x1.da59d5370dad3p-6, 0x1.f9ca39daa4309p-7, -0x1.1a8ba51d64e78p-7,
    0x1.456f1aee85ac5p-8, -0x1.7edb5df898bd9p-9, 0x1.c9733e45f95fep-10,
    -0x1.14922cce847a7p-10, 0x1.51843bb56b608p-11, -0x1.9cedea6fb5fa6p-12,
    0x1.ff3e7a407441dp-13, -0x1.63996bf388298p-13, 0x1.ba5c9724a3776p-14,
};

// log Γ(2 + y) / y, −0.25 <= y <= 0.5
static const double LGAMMA_TWO[18] = {
    0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a55757ap-4,
    0x1.51322ac7d8784p-6, -0x1.e404fc21cf7fep-8, 0x1.7add6eadac86ap-9,
    -0x1.38ac5bf744f22p-10, 0x1.0b36af19b51c1p-11, -0x1.d3fd78e601e59p-13,
    0x1.a12867c12a24ap-14, -0x1.78d4e5613a69dp-15, 0x1.57d0ad2288220p-16,
    -0x1.3d7f522ff7ad7p-17, 0x1.2eb10ddb5ccfcp-18, -0x1.1b32547dbcec5p-19,
    0x1.19c9041c01f81p-21, 0x1.925e9bdeeb31dp-22, -0x1.435bdf27e14f4p-22,
};

// x (log Γ(x) − (x − 1/2) log x + x − (log 2π) / 2) in powers of 1/x², x >= 8
static const double LGAMMA_FAR[7] = {
    0x1.5555555555555p-4, -0x1.6c16c16c10957p-9, 0x1.a01a015d9dfcfp-11,
    -0x1.381331ca80625p-11, 0x1.b920c2e7ceed1p-11, -0x1.ee6910ec571b5p-10,
    0x1.466272eadade1p-8,
};

// clang-format on

#endif
