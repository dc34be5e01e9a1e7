/* expect: states=667 transitions=1711 verdict=holds plain_states=667 plain_transitions=1711 */
byte done[2];
proctype worker(byte boss) { done[boss]++ }
active [2] proctype master() { run worker(_pid); run worker(_pid); done[_pid] == 2 -> skip }
