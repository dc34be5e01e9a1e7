/* Messages (message.h). */
#include "message.h"

#include <stdlib.h>

static bool make_room(uint64_t **words, uint64_t *room, uint64_t needed) {
    if (needed <= *room) return true;
    uint64_t more_room = *room < 1024 ? 1024 : *room;
    while (more_room < needed) more_room *= 2;
    uint64_t *more = realloc(*words, more_room * sizeof *more);
    if (more == NULL) return false;
    *words = more;
    *room = more_room;
    return true;
}

/* The dictionary. */

static uint64_t place_of(const qb_outbox *box, uint32_t value) {
    uint64_t at = qb_mix(value ^ 0x9e3779b97f4a7c15ull, 0xd6e8feb86659fd93ull) & (box->place_size - 1);
    while (box->places[at] != 0 && box->places[at] >> 32 != value) at = (at + 1) & (box->place_size - 1);
    return at;
}

static bool grow_places(qb_outbox *box) {
    if (2 * (box->value_count + 1) <= box->place_size) return true;
    qb_outbox larger = {.place_size = box->place_size == 0 ? 256 : 2 * box->place_size};
    larger.places = calloc(larger.place_size, sizeof *larger.places);
    if (larger.places == NULL) return false;
    for (uint64_t k = 0; k < box->place_size; k++)
        if (box->places[k] != 0) larger.places[place_of(&larger, (uint32_t)(box->places[k] >> 32))] = box->places[k];
    free(box->places);
    box->places = larger.places;
    box->place_size = larger.place_size;
    return true;
}

/* The place of a value in the dictionary, where it is put if it is not there; -1: no memory. */
static int64_t enter(qb_outbox *box, const qb_structure *x, uint32_t value) {
    if (!grow_places(box)) return -1;
    uint64_t at = place_of(box, value);
    if (box->places[at] != 0) return (int64_t)(box->places[at] & 0xffffffffu) - 1;
    int64_t few[16], *parts = few;
    uint32_t kind = QB_INTEGER;
    uint64_t count = qb_value_parts(x->values, value, &kind, few, 16);
    if (count > 16) {
        if ((parts = malloc(count * sizeof *parts)) == NULL) return -1;
        qb_value_parts(x->values, value, &kind, parts, count);
    }
    bool good = true;
    for (uint64_t k = 0; kind != QB_INTEGER && k < count && good; k++) good = (parts[k] = enter(box, x, (uint32_t)parts[k])) >= 0;
    good = good && make_room(&box->values, &box->value_room, box->value_words + count + 1) && grow_places(box);
    if (good) {
        box->values[box->value_words++] = (uint64_t)kind | count << 8;
        memcpy(box->values + box->value_words, parts, count * sizeof *parts);
        box->value_words += count;
        box->places[place_of(box, value)] = (uint64_t)value << 32 | ++box->value_count;
    }
    if (parts != few) free(parts);
    return good ? (int64_t)box->value_count - 1 : -1;
}

/* Writing. */

bool qb_outbox_add(qb_outbox *box, qb_structure *x, const uint64_t *s, uint64_t hash) {
    uint64_t at = QB_HEADER_WORDS + box->rows * x->words;
    if (!make_room(&box->data, &box->room, at + x->words)) return false;
    uint64_t *row = box->data + at;
    qb_copy(row, s, x->words);
    for (uint32_t k = 0; k < x->field_count; k++) {
        int64_t place = enter(box, x, qb_value_in(s, x->fields[k]));
        if (place < 0) return false;
        qb_put_value(row, x->fields[k], (uint32_t)place);
    }
    box->rows++;
    box->checksum += hash;
    return true;
}

bool qb_outbox_seal(qb_outbox *box, uint32_t words, uint64_t epoch, uint32_t sender, uint32_t owner, uint64_t seq, uint64_t *bytes) {
    uint64_t end = QB_HEADER_WORDS + box->rows * words;
    if (!make_room(&box->data, &box->room, end + box->value_words)) return false;
    qb_header header = {QB_MESSAGE_MARK, words, epoch, seq, sender, owner, box->rows, box->value_words, box->value_count, box->checksum};
    memcpy(box->data, &header, sizeof header);
    if (box->value_words > 0) memcpy(box->data + end, box->values, box->value_words * sizeof *box->values);
    *bytes = (end + box->value_words) * sizeof *box->data;
    return true;
}

void qb_outbox_clear(qb_outbox *box) {
    box->rows = box->checksum = box->value_words = 0;
    if (box->value_count > 0) memset(box->places, 0, box->place_size * sizeof *box->places);
    box->value_count = 0;
}

void qb_outbox_close(qb_outbox *box) {
    free(box->data);
    free(box->values);
    free(box->places);
    *box = (qb_outbox){0};
}

/* Reading. */

/* Give the values of the dictionary the numbers that they have here. */
static bool number_values(qb_letter *letter, const qb_structure *x) {
    const qb_header *h = letter->header;
    const uint64_t *at = letter->rows + h->rows * h->words, *end = at + h->value_words;
    letter->numbers = malloc((h->value_count + 1) * sizeof *letter->numbers);
    int64_t *parts = malloc((h->value_words + 1) * sizeof *parts);
    bool good = letter->numbers != NULL && parts != NULL;
    for (uint64_t k = 0; k < h->value_count && good; k++) {
        uint32_t kind = at < end ? (uint32_t)(*at & 0xff) : UINT32_MAX;
        uint64_t count = at < end ? *at++ >> 8 : 0;
        if (kind > QB_SET || count > (uint64_t)(end - at) || (kind == QB_INTEGER && count != 1)) good = false;
        for (uint64_t j = 0; j < count && good; j++) {
            if (kind != QB_INTEGER && at[j] >= k) good = false;
            else parts[j] = kind == QB_INTEGER ? (int64_t)at[j] : (int64_t)letter->numbers[at[j]];
        }
        if (!good) break;
        letter->numbers[k] = qb_value_number(x->values, kind, parts, count);
        at += count;
    }
    free(parts);
    return good && at == end && !qb_values_failed(x->values);
}

bool qb_letter_open(qb_letter *letter, qb_structure *x, const void *message, uint64_t bytes) {
    const qb_header *h = message;
    *letter = (qb_letter){.header = h};
    if (bytes < sizeof *h || bytes % sizeof(uint64_t) != 0 || (uintptr_t)message % sizeof(uint64_t) != 0) return false;
    uint64_t words = bytes / sizeof(uint64_t) - QB_HEADER_WORDS;
    if (h->mark != QB_MESSAGE_MARK || h->words != x->words || h->rows > words || h->value_words > words) return false;
    if (h->rows * h->words + h->value_words != words || h->value_count > h->value_words) return false;
    letter->rows = (const uint64_t *)message + QB_HEADER_WORDS;
    if (x->field_count == 0) return h->value_words == 0;
    return number_values(letter, x);
}

void qb_letter_close(qb_letter *letter) {
    free(letter->numbers);
    letter->numbers = NULL;
}

bool qb_letter_state(const qb_letter *letter, const qb_structure *x, uint64_t row, uint64_t *s) {
    qb_copy(s, letter->rows + row * x->words, x->words);
    for (uint32_t k = 0; k < x->field_count; k++) {
        uint32_t place = qb_value_in(s, x->fields[k]);
        if (place >= letter->header->value_count) return false;
        qb_put_value(s, x->fields[k], letter->numbers[place]);
    }
    return true;
}
