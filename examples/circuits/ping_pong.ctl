# Properties of ping_pong.mv (and of ping_pong.v, where the second fails) in the syntax of VIS: every formula ends with a semicolon.
\define both (ball_a=1 * ball_b=1)

# Player a can always get the ball again.
AG(EF(ball_a=1));
# Two balls in play can be avoided for ever once there is only one.
AG(!\both -> EG(!\both));
