/* expect: verdict=fails */
byte n;
active proctype S() {
    if
    :: n = 1
    :: n = 2
    fi;
    d_step {
        n = n + 1;
        n == 2;
        n = 0
    }
}
