/* expect: states=10 transitions=11 verdict=fails plain_states=10 plain_transitions=11 */
chan c = [1] of { byte }; byte x;
notrace { c!1; c!1 }
active proctype P() { if :: c!1 :: c!2 fi; c!1 }
active proctype Q() { c?x; c?x }
