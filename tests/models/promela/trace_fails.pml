/* expect: states=56 transitions=96 verdict=fails plain_states=96 plain_transitions=168 */
mtype = {a, b};
chan q = [2] of { mtype, byte };
trace { do :: q!a(1) ; q!b,_ od }
active proctype S() { byte i; do :: i < 3 -> q!a(i); i++ :: q!b(2) od }
active proctype R() { byte z; do :: q?a(z) :: q?b(z) od }
