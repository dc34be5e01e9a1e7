/* Squeezed states (squeeze.h). */
#include "squeeze.h"

#include "lexicon.h"

#include <stdlib.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#ifndef QB_FEW
#define QB_FEW ((uint64_t)1 << 16)  /* states up to which all are squeezed anew for each new bit, */
#define QB_MANY ((uint64_t)1 << 20) /* and from which on never: not even to save room */
#endif
#ifndef QB_SPARE_WORK
#define QB_SPARE_WORK ((uint64_t)1 << 20) /* states squeezed anew, beyond two for each state stored */
#endif

#define FILLED_AT_ONCE 64u /* states, while the tables are filled anew */

#ifndef QB_ASK_FIRST
#define QB_ASK_FIRST ((uint64_t)1 << 16) /* states at which it is asked whether their words are to be numbered, */
#define QB_ASK_LAST ((uint64_t)1 << 20)  /* and asked again: that takes less than a tenth of a second */
#endif
#ifndef QB_PAYS /* numbers instead of bits, by the bytes of a state either way, the different words and the states */
#define QB_PAYS(numbers, bits, words, states) ((bits) > 20 && 4 * (numbers) <= 3 * (bits) && 2 * (words) <= (states))
#define QB_STILL_PAYS(numbers, bits, states) ((numbers) < (bits)) /* by the halves of words */
#endif

/* Gathering and scattering bits. */

static uint64_t gather_slowly(uint64_t word, uint64_t mask) {
    uint64_t out = 0;
    uint32_t at = 0;
    while (mask != 0) { /* one stretch of set bits after the other */
        uint32_t shift = (uint32_t)__builtin_ctzll(mask);
        uint64_t rest = ~(mask >> shift);
        uint32_t width = rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
        uint64_t ones = width == 64 ? ~0ull : (1ull << width) - 1;
        out |= (word >> shift & ones) << at;
        at += width;
        mask &= ~(ones << shift);
    }
    return out;
}

static uint64_t scatter_slowly(uint64_t bits, uint64_t mask) {
    uint64_t out = 0;
    while (mask != 0) {
        uint32_t shift = (uint32_t)__builtin_ctzll(mask);
        uint64_t rest = ~(mask >> shift);
        uint32_t width = rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
        uint64_t ones = width == 64 ? ~0ull : (1ull << width) - 1;
        out |= (bits & ones) << shift;
        bits = width == 64 ? 0 : bits >> width;
        mask &= ~(ones << shift);
    }
    return out;
}

/* The same loops with either way to move bits.  SQUEEZE answers the bits of the states that have no room.  It takes one piece of all
 * states after the other: no jump depends on where pieces are. */
#define SQUEEZE(gather) \
    uint64_t strange = 0; \
    const qb_piece *p = q->pieces; \
    if (q->piece_count == 0) memset(out, 0, count * words * sizeof *out); \
    for (uint32_t i = 0; i < q->flat; i++) { \
        const uint64_t *const from = states + i, fixed = q->fixed[i], first = q->first[i]; \
        for (uint64_t k = 0; k < count; k++) strange |= (from[k * stride] ^ first) & fixed; \
        for (; p->from == i; p++) { \
            uint64_t *const to = out + p->word; \
            const uint64_t mask = p->mask, before = p->before; \
            const uint32_t shift = p->shift; \
            for (uint64_t k = 0; k < count; k++) to[k * words] = (to[k * words] & before) | gather(from[k * stride] ^ first, mask) << shift; \
        } \
    } \
    return strange;

#define UNSQUEEZE(scatter) \
    for (uint32_t i = 0; i < q->flat; i++) flat[i] = q->first[i]; \
    for (const qb_piece *p = q->pieces; p->from < q->flat; p++) \
        flat[p->from] ^= scatter(squeezed[p->word] >> p->shift, p->mask);

#if defined(__x86_64__) && defined(__GNUC__) && !defined(QB_SLOW_BITS)
__attribute__((target("bmi2"))) static uint64_t squeeze_fast(const qb_squeeze *q, uint32_t words, const uint64_t *states,
                                                             uint32_t stride, uint64_t count, uint64_t *out) {
    SQUEEZE(__builtin_ia32_pext_di)
}

__attribute__((target("bmi2"))) static void unsqueeze_fast(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat) {
    UNSQUEEZE(__builtin_ia32_pdep_di)
}

/* Asked of the processor itself: __builtin_cpu_supports needs a symbol of the compiler's library, which not every linker
 * can place in a shared object. */
static bool is_fast(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI2);
}
#else
static bool is_fast(void) { return false; }
static uint64_t squeeze_slowly(const qb_squeeze *q, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count,
                               uint64_t *out);
static void unsqueeze_slowly(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat);
#define squeeze_fast squeeze_slowly
#define unsqueeze_fast unsqueeze_slowly
#endif

static uint64_t squeeze_slowly(const qb_squeeze *q, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count,
                               uint64_t *out) {
    SQUEEZE(gather_slowly)
}

static void unsqueeze_slowly(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat) { UNSQUEEZE(scatter_slowly) }

static uint64_t squeeze_states(const qb_squeeze *q, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count,
                               uint64_t *out) {
    return q->fast ? squeeze_fast(q, words, states, stride, count, out) : squeeze_slowly(q, words, states, stride, count, out);
}

void qb_unsqueeze(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat) {
    if (q->lexicons != NULL) qb_lexicons_spell(q->lexicons, squeezed, flat);
    else if (q->whole) memcpy(flat, squeezed, q->flat * sizeof *flat);
    else if (q->fast) unsqueeze_fast(q, squeezed, flat);
    else unsqueeze_slowly(q, squeezed, flat);
}

/* Opening. */

qb_squeeze *qb_squeeze_open(uint32_t flat, bool shared) {
    qb_squeeze *q = calloc(1, sizeof *q);
    if (q == NULL) return NULL;
    q->flat = flat;
    q->fast = is_fast();
    q->shared = shared;
    q->ask_at = shared ? UINT64_MAX : QB_ASK_FIRST;
    q->first = calloc(flat, sizeof *q->first);
    q->fixed = malloc(flat * sizeof *q->fixed);
    q->pieces = calloc(64ull * flat + 1, sizeof *q->pieces);
    q->one = calloc(flat, sizeof *q->one);
    q->other = calloc(flat, sizeof *q->other);
    q->seen = calloc(flat, sizeof *q->seen);
    if (!q->first || !q->fixed || !q->pieces || !q->one || !q->other || !q->seen) {
        qb_squeeze_close(q);
        return NULL;
    }
    memset(q->fixed, 0xff, flat * sizeof *q->fixed);
    q->pieces[0].from = flat;
    return q;
}

void qb_squeeze_close(qb_squeeze *q) {
    if (q == NULL) return;
    qb_lexicons_close(q->lexicons);
    free(q->first);
    free(q->fixed);
    free(q->pieces);
    free(q->one);
    free(q->other);
    free(q->seen);
    free(q);
}

/* Halves of words, as many as bits need.  Where the first half of a word is not its lower one, words are kept whole. */
static void take_halves(uint32_t bits, uint32_t *words, bool *odd) {
    const uint32_t halves = bits == 0 ? 1 : (bits + 31) / 32;
    *words = (halves + 1) / 2;
    *odd = halves % 2 == 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

void qb_squeeze_begin(qb_store *store) {
    take_halves(0, &store->words, &store->odd);
    store->odd = store->odd && !store->squeeze->shared;
}

/* Other bits. */

static uint32_t varying_bits(const qb_squeeze *q) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < q->flat; i++) bits += (uint32_t)__builtin_popcountll(~q->fixed[i]);
    return bits;
}

static uint64_t lowest_bits(uint64_t word, uint32_t count) {
    uint64_t rest = word;
    for (; count > 0 && rest != 0; count--) rest &= rest - 1;
    return word ^ rest;
}

/* The bits in which states differ from the first one and that the squeezed form has no room for. */
static void find_new_bits(qb_squeeze *q, const uint64_t *states, uint32_t stride, uint64_t count) {
    for (uint32_t i = 0; i < q->flat; i++) q->seen[i] = 0;
    for (uint64_t k = 0; k < count; k++, states += stride)
        for (uint32_t i = 0; i < q->flat; i++) q->seen[i] |= (states[i] ^ q->first[i]) & q->fixed[i];
}

/* Only those bits vary that differ in stored states: others were guessed. */
static void drop_guesses(const qb_store *store) {
    qb_squeeze *q = store->squeeze;
    uint64_t *const differing = q->other;
    memset(differing, 0, store->words * sizeof *differing);
    for (uint64_t k = 0; k < store->n; k++) {
        const qb_half_aligned *s = qb_at(store, k, store->words, store->odd);
        for (uint32_t i = 0; i < store->words; i++) differing[i] |= s[i];
    }
    qb_unsqueeze(q, differing, q->one);
    for (uint32_t i = 0; i < q->flat; i++) q->fixed[i] = ~(q->one[i] ^ q->first[i]);
}

/* So many bits more cost nothing: those above bits that vary are the likeliest to follow. */
static void guess_bits(qb_squeeze *q, uint32_t spare) {
    for (bool guessed = true; spare > 0 && guessed;) {
        guessed = false;
        for (uint32_t i = 0; i < q->flat; i++) {
            const uint64_t likely = lowest_bits(q->fixed[i] & ~q->fixed[i] << 1, spare);
            q->fixed[i] ^= likely;
            spare -= (uint32_t)__builtin_popcountll(likely);
            guessed = guessed || likely != 0;
        }
    }
}

/* The bits of these states vary from now on: how many vary. */
static uint32_t take_bits(qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count) {
    qb_squeeze *q = store->squeeze;
    find_new_bits(q, states, stride, count);
    const bool all = q->work > 2 * store->n + QB_SPARE_WORK;
    for (uint32_t i = 0; i < q->flat; i++) q->fixed[i] &= all ? 0 : ~q->seen[i];
    const uint32_t bits = varying_bits(q);
    q->whole = (bits + 63) / 64 >= q->flat;
    for (uint32_t i = 0; q->whole && i < q->flat; i++) q->fixed[i] = 0;
    return q->whole ? 64 * q->flat : bits;
}

/* A piece in its place: those of one flat word stand together. */
static void insert_piece(qb_squeeze *q, qb_piece piece) {
    qb_piece *p = q->pieces + ++q->piece_count;
    *p = p[-1]; /* the end */
    for (p--; p > q->pieces && p[-1].from > piece.from; p--) *p = p[-1];
    *p = piece;
}

/* Lay out those bits that vary and have no place yet. */
static void cut_pieces(qb_squeeze *q) {
    for (uint32_t i = 0; i < q->flat; i++) q->seen[i] = ~q->fixed[i];
    for (const qb_piece *p = q->pieces; p->from < q->flat; p++) q->seen[p->from] ^= p->mask;
    for (uint32_t i = 0; i < q->flat; i++)
        for (uint64_t rest = q->seen[i], part; rest != 0; rest ^= part) {
            part = lowest_bits(rest, 64 - q->bits % 64);
            insert_piece(q, (qb_piece){part, ~0ull, q->bits / 64, q->bits % 64, i});
            q->bits += (uint32_t)__builtin_popcountll(part);
        }
    for (qb_piece *p = q->pieces; p->from < q->flat; p++) p->before = ~0ull;
    for (uint32_t word = 0; 64 * word < q->bits; word++) {
        qb_piece *p = q->pieces;
        while (p->word != word) p++;
        p->before = 0;
    }
}

static void cut_anew(qb_squeeze *q) {
    q->piece_count = q->bits = 0;
    q->pieces[0].from = q->flat;
    cut_pieces(q);
}

/* Every state from its old place to its new one, which is never that of a state which has yet to move: the last one first
 * where states grow, the first one where they shrink. */
static void squeeze_anew(qb_store *store, const qb_squeeze *old, uint32_t words, bool odd) {
    qb_squeeze *q = store->squeeze;
    const bool grow = 2 * words - odd >= 2 * store->words - store->odd;
    for (uint64_t left = store->n; left-- > 0;) {
        const uint64_t k = grow ? left : store->n - 1 - left;
        qb_unsqueeze(old, qb_at(store, k, store->words, store->odd), q->one);
        if (q->lexicons != NULL) (void)qb_lexicons_number(q->lexicons, words, q->one, q->flat, 1, q->other);
        else if (q->whole) qb_copy(q->other, q->one, words);
        else squeeze_states(q, words, q->one, q->flat, 1, q->other);
        memcpy(qb_at(store, k, words, odd), q->other, 4 * (2ull * words - odd));
    }
    q->work += store->n;
    store->words = words;
    store->odd = odd;
}

/* More room for every state: their words are what they were, and so are their hashes (store.h). */
static void stretch(qb_store *store, uint32_t words, bool odd) {
    uint64_t *const s = store->squeeze->other;
    const uint64_t present = qb_state_bytes(store), wanted = 4 * (2ull * words - odd);
    memset(s, 0, words * sizeof *s);
    for (uint64_t k = store->n; wanted > present && k-- > 0;) {
        memcpy(s, qb_at(store, k, store->words, store->odd), present);
        memcpy(qb_at(store, k, words, odd), s, wanted);
    }
    store->words = words;
    store->odd = odd;
}

/* The hash of a stored state, whose slots are fetched. */
static uint64_t hash_of(qb_store *store, uint64_t number) {
    uint64_t *s = store->squeeze->other;
    s[store->words - 1] = 0;
    memcpy(s, qb_at(store, number, store->words, store->odd), qb_state_bytes(store));
    const uint64_t hash = qb_hash(s, store->words);
    const qb_table *table = qb_table_for(store, hash);
    qb_prefetch_slots(table, hash, table->bits);
    return hash;
}

static void fill_tables(qb_store *store) {
    for (uint32_t k = 0; k < store->table_count; k++) {
        memset(store->tables[k].slots, 0, store->tables[k].size * sizeof *store->tables[k].slots);
        store->tables[k].n = 0;
    }
    uint64_t hashes[FILLED_AT_ONCE];
    for (uint64_t begin = 0; begin < store->n; begin += FILLED_AT_ONCE) {
        const uint64_t left = store->n - begin, count = left < FILLED_AT_ONCE ? left : FILLED_AT_ONCE;
        for (uint64_t k = 0; k < count; k++) hashes[k] = hash_of(store, begin + k);
        for (uint64_t k = 0; k < count; k++) {
            qb_table *table = qb_table_for(store, hashes[k]);
            uint64_t at = qb_home_in(hashes[k], table->size, table->bits);
            while (table->slots[at] != 0)
                if (++at == table->size) at = 0;
            table->slots[at] = qb_slot(hashes[k], begin + k, table->bits);
            table->n++;
        }
    }
    store->sure_until = 0;
}

/* Whether there is memory for states of so many words. */
static bool have_room(const qb_store *store, uint32_t words, bool odd, uint64_t most_bytes) {
    const uint64_t all = qb_store_bytes(store) + (4 * (2ull * words - odd) - qb_state_bytes(store)) * store->n;
    return all <= most_bytes && (store->n + 1) * 8ull * words <= store->arena_bytes;
}

/* The bits that vary from now on, and whether all states are squeezed anew for them: then those that were only guessed go.
 * Fixed: the bits that are the same in all stored states by now. */
static uint32_t choose_bits(qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, const uint64_t *fixed, bool *anew) {
    qb_squeeze *q = store->squeeze;
    const uint32_t behind = take_bits(store, states, stride, count);
    const bool must = store->n < QB_FEW || q->whole, exceeds = behind > 8 * qb_state_bytes(store);
    *anew = false;
    if (!must && (!exceeds || store->n >= QB_MANY)) return behind;
    q->whole = false;
    qb_copy(q->fixed, fixed, q->flat);
    drop_guesses(store);
    const uint32_t least = take_bits(store, states, stride, count);
    *anew = must || least <= 8 * qb_state_bytes(store);
    if (*anew) return least;
    qb_copy(q->fixed, fixed, q->flat);
    return take_bits(store, states, stride, count);
}

/* Give room to bits that were not met before: the store has another form then; false: there is no memory for that. */
static bool admit(qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t most_bytes) {
    qb_squeeze *q = store->squeeze;
    const uint64_t bytes = q->flat * sizeof *q->fixed, piece_bytes = (q->piece_count + 1ull) * sizeof *q->pieces;
    qb_squeeze old = *q;
    old.fixed = malloc(bytes);
    old.pieces = malloc(piece_bytes);
    bool fits = old.fixed != NULL && old.pieces != NULL;
    if (fits) {
        memcpy(old.fixed, q->fixed, bytes);
        memcpy(old.pieces, q->pieces, piece_bytes);
        bool anew;
        const uint32_t bits = choose_bits(store, states, stride, count, old.fixed, &anew);
        uint32_t words;
        bool odd;
        take_halves(bits, &words, &odd);
        odd = odd && !q->shared;
        guess_bits(q, 32 * (2 * words - odd) - bits);
        fits = have_room(store, words, odd, most_bytes);
        if (!fits) { /* as it was */
            q->whole = false;
            memcpy(q->fixed, old.fixed, bytes);
        } else if (anew) {
            cut_anew(q);
            squeeze_anew(store, &old, words, odd);
            fill_tables(store);
        } else {
            cut_pieces(q);
            stretch(store, words, odd);
        }
    }
    free(old.fixed);
    free(old.pieces);
    return fits;
}

/* Words by their numbers. */

#define MOST_WORK 16u /* states laid out anew for each state stored, beyond which numbers are given up */

/* Number the words of all states, if they get much smaller and the words are far fewer than the states. */
static bool number_words(qb_store *store) {
    qb_squeeze *q = store->squeeze;
    const uint64_t bytes = qb_state_bytes(store);
    q->ask_at = q->ask_at < QB_ASK_LAST ? QB_ASK_LAST : UINT64_MAX;
    qb_lexicons *l = QB_PAYS(4, bytes, q->flat, store->n) ? qb_lexicons_open(q->flat) : NULL;
    uint32_t words = 1;
    bool odd = true, pays = l != NULL;
    for (uint64_t k = 0; pays && k < store->n; k++) {
        qb_unsqueeze(q, qb_at(store, k, store->words, store->odd), q->one);
        pays = qb_lexicons_learn(l, q->one) && QB_PAYS(4, bytes, l->words, store->n);
    }
    if (pays) {
        take_halves(qb_lexicons_needed(l), &words, &odd);
    }
    if (!pays || words > q->flat || !QB_PAYS(4 * (2ull * words - odd), bytes, l->words, store->n)) {
        qb_lexicons_close(l);
        return false;
    }
    const qb_squeeze old = *q;
    qb_lexicons_lay_out(l, 32 * (2 * words - odd));
    q->lexicons = l;
    q->laid_out_at = store->n;
    q->whole = false;
    squeeze_anew(store, &old, words, odd);
    store->spelling = l->bytes;
    fill_tables(store);
    return true;
}

/* Bits again; false: there is no memory for that. */
static bool spell_words(qb_store *store, uint64_t most_bytes) {
    qb_squeeze *q = store->squeeze;
    const qb_squeeze old = *q;
    uint32_t words;
    bool odd;
    take_halves(varying_bits(q), &words, &odd);
    if (words >= q->flat) words = q->flat, odd = false;
    if (!have_room(store, words, odd, most_bytes)) return false;
    q->lexicons = NULL;
    q->whole = words == q->flat;
    for (uint32_t i = 0; q->whole && i < q->flat; i++) q->fixed[i] = 0;
    cut_anew(q);
    squeeze_anew(store, &old, words, odd);
    fill_tables(store);
    qb_lexicons_close(old.lexicons);
    store->spelling = 0;
    return true;
}

/* Of all states that the lexicons know, the bits that are the same. */
static void find_fixed_bits(qb_squeeze *q) {
    for (uint32_t i = 0; i < q->flat; i++) {
        const qb_lexicon *x = &q->lexicons->of[i];
        q->fixed[i] = ~0ull;
        for (uint32_t k = 0; k < x->n; k++) q->fixed[i] &= ~(x->words[k] ^ q->first[i]);
    }
}

/* Wider numbers, in wider states if need be, or bits where numbers do not pay any more or grow too often; false: there is no memory for that. */
static bool widen_numbers(qb_store *store, uint64_t most_bytes) {
    qb_squeeze *q = store->squeeze;
    uint32_t words, bit_words;
    bool odd, bit_odd;
    const uint32_t needed = qb_lexicons_needed(q->lexicons), present = 8 * (uint32_t)qb_state_bytes(store);
    const uint32_t least = store->n < 2 * q->laid_out_at ? present + 1 : present; /* soon again: they would not be enough for long */
    take_halves(needed < least ? least : needed, &words, &odd);
    find_fixed_bits(q);
    take_halves(varying_bits(q), &bit_words, &bit_odd);
    const bool too_often = q->work > MOST_WORK * store->n + QB_SPARE_WORK;
    if (too_often || !QB_STILL_PAYS(2 * words - odd, 2 * bit_words - bit_odd, store->n)) {
        q->ask_at = UINT64_MAX;
        return spell_words(store, most_bytes);
    }
    if (!have_room(store, words, odd, most_bytes)) return false;
    qb_lexicons before = *q->lexicons;
    before.digits = malloc(before.digit_count * sizeof *before.digits);
    if (before.digits == NULL) return false;
    memcpy(before.digits, q->lexicons->digits, before.digit_count * sizeof *before.digits);
    qb_squeeze old = *q;
    old.lexicons = &before;
    qb_lexicons_lay_out(q->lexicons, 32 * (2 * words - odd));
    q->laid_out_at = store->n;
    squeeze_anew(store, &old, words, odd);
    fill_tables(store);
    free(before.digits);
    return true;
}

/* As qb_squeeze_states. */
static int number_states(qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t *out, uint64_t most_bytes) {
    qb_lexicons *l = store->squeeze->lexicons;
    const int done = qb_lexicons_number(l, store->words, states, stride, count, out);
    store->spelling = l->bytes;
    if (done != 0) return done > 0;
    if (!widen_numbers(store, most_bytes)) return 0;
    return qb_squeeze_states(store, states, stride, count, out, most_bytes) == 0 ? 0 : 2;
}

bool qb_squeeze_known(const qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t *out) {
    return squeeze_states(store->squeeze, store->words, states, stride, count, out) == 0;
}

int qb_squeeze_states(qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t *out, uint64_t most_bytes) {
    qb_squeeze *q = store->squeeze;
    if (count == 0) return 1;
    const bool numbered = q->lexicons == NULL && store->n >= q->ask_at && number_words(store);
    if (q->lexicons != NULL) {
        const int done = number_states(store, states, stride, count, out, most_bytes);
        return done == 1 && numbered ? 2 : done;
    }
    if (q->whole) return 1;
    if (store->n == 0 && q->work == 0) {
        qb_copy(q->first, states, q->flat);
        q->work = 1;
    }
    if (squeeze_states(q, store->words, states, stride, count, out) == 0) return 1;
    if (!admit(store, states, stride, count, most_bytes)) return 0;
    if (!q->whole) squeeze_states(q, store->words, states, stride, count, out);
    return 2;
}
