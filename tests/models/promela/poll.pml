/* expect: states=11 transitions=13 verdict=holds plain_states=11 plain_transitions=13 */
chan q = [2] of { mtype };
mtype = { ping, pong };
active proctype P() {
    q!ping;
    q!pong
}
active proctype C() {
    do
    :: q?[ping] -> q?ping
    :: q?[pong] -> q?pong;
        break
    :: timeout -> assert(false)
    od
}
