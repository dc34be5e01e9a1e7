/* Readers and writers by semaphores; with -D BUG=1 the last reader but one gives the room back.
 */
/* expect: verdict=holds own_orbits=147 */
#ifndef READERS
#define READERS 3
#endif
#define WRITERS 2
byte mutex = 1, room = 1;      /* semaphores */
byte readers, reading, writing;

inline wait(s)   { atomic { s > 0 -> s-- } }
inline signal(s) { s++ }

active [READERS] proctype reader() {
    do
    :: wait(mutex);
       readers++;
       if
       :: readers == 1 -> wait(room)
       :: else
       fi;
       signal(mutex);
       reading++;
       assert(writing == 0);
       reading--;
       wait(mutex);
       readers--;
       if
#ifdef BUG
       :: readers == 1 -> signal(room)    /* the last but one gives the room back */
#else
       :: readers == 0 -> signal(room)
#endif
       :: else
       fi;
       signal(mutex)
    od
}

active [WRITERS] proctype writer() {
    do
    :: wait(room);
       writing++;
       assert(writing == 1 && reading == 0);
       writing--;
       signal(room)
    od
}
