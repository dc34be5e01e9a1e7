/* expect: states=13 transitions=16 verdict=holds plain_states=13 plain_transitions=16 */
byte x;
bool stop;
active proctype P() {
    {
        atomic {
            x++;
            x++;
            x = x - 2
        };
        x = 5
    } unless {
        atomic {
            stop;
            x = 7
        }
    }
}
active proctype S() {
    stop = true
}
