/* expect: states=10 transitions=10 verdict=fails plain_states=10 plain_transitions=10 */
byte x; chan q = [1] of { byte };
active proctype P() priority 2 { q?x; set_priority(1, 5); x = 3; set_priority(1, 1); x = 4 }
active proctype R() { q!1; x = 9; x = get_priority(0) + get_priority(1) + get_priority(7); x = _priority }
active proctype S() priority 2 { (x == 9) -> x = 10 }
