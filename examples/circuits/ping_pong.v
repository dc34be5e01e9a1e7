// expect: order=2
// Two players of table tennis; each may return the ball or miss it, a miss gives the other one a point.
module game(clock);
    input clock;
    wire ball_a, ball_b, a_point, b_point;

    player a(clock, ball_a, ball_b, a_point, b_point);
    player b(clock, ball_b, ball_a, b_point, a_point);
endmodule

module player(clock, has, other_has, point, other_point);
    input clock, other_has, other_point;
    output has, point;
    reg has, point;
    wire returns;

    assign returns = $ND(0, 1);
    initial begin
        has = $ND(0, 1);
        point = 0;
    end

    always @(posedge clock) begin
        has = (other_has && returns) || (has && other_has) || (!has && !other_has);
        point = other_has && !returns && !other_point;
    end
endmodule
