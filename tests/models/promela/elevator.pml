/* expect: states=18 transitions=21 verdict=holds plain_states=18 plain_transitions=21 */
mtype = { up, down, still };
mtype dir = still;
byte floor;
active proctype Lift() {
    do
    :: floor < 3 && dir != down -> atomic {
            dir = up;
            floor++
        }
    :: floor > 0 && dir != up -> atomic {
            dir = down;
            floor--
        }
    :: floor == 0 || floor == 3 -> dir = still
    od
}
