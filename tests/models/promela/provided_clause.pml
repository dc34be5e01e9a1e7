/* expect: states=14 transitions=14 verdict=fails plain_states=14 plain_transitions=14 */
bool turn;
active proctype A() provided (turn == 0) {
    byte i;
    do
    :: i < 2 -> i++;
        turn = 1
    :: else -> break
    od
}
active proctype B() provided (turn == 1) {
    byte i;
    do
    :: i < 2 -> i++;
        turn = 0
    :: else -> break
    od
}
