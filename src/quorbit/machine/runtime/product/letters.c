/* Letters of states (letters.h). */
#include "letters.h"

#include <stdlib.h>
#include <string.h>

void qb_letters_close(qb_letter_list *letters) {
    free(letters->narrow);
    free(letters->wide);
}

static void *longer(void *array, uint64_t old, uint64_t room, size_t size) {
    uint8_t *more = realloc(array, room * size);
    if (more != NULL) memset(more + old * size, 0, (room - old) * size);
    return more;
}

static bool grow(qb_letter_list *letters, uint32_t state) {
    uint64_t room = letters->room < 1024 ? 1024 : letters->room;
    while (room <= state) room += room / 4;
    void *more = letters->wide != NULL ? longer(letters->wide, letters->room, room, sizeof *letters->wide)
                                       : longer(letters->narrow, letters->room, room, 1);
    if (more == NULL) return false;
    if (letters->wide != NULL) letters->wide = more;
    else letters->narrow = more;
    letters->room = room;
    return true;
}

static bool make_wide(qb_letter_list *letters) {
    uint32_t *wide = malloc(letters->room * sizeof *wide);
    if (wide == NULL) return false;
    for (uint64_t k = 0; k < letters->room; k++) wide[k] = letters->narrow[k];
    free(letters->narrow);
    letters->narrow = NULL;
    letters->wide = wide;
    return true;
}

bool qb_set_letter(qb_letter_list *letters, uint32_t state, uint32_t letter) {
    if (state >= letters->room && !grow(letters, state)) return false;
    if (letters->wide == NULL && letter >= UINT8_MAX && !make_wide(letters)) return false;
    if (letters->wide != NULL) letters->wide[state] = letter + 1;
    else letters->narrow[state] = (uint8_t)(letter + 1);
    return true;
}
