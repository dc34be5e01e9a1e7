/* expect: states=7 transitions=7 verdict=fails plain_states=7 plain_transitions=7 */
mtype = {a, b};
chan q = [1] of { mtype };
notrace { do :: q!a; q!b; break :: q!b od }
active proctype S() { q!a; q!b }
active proctype R() { q?a; q?b }
