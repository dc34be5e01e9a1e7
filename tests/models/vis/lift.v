// expect: states=72
// A lift between three floors: a macro in bounds of loops, a function of single bits, an index that is a register.
typedef enum {UP,DOWN} dir;
typedef enum {OPEN, CLOSED} door;
`define TOP 2
module elev(clk, call);
    input clk;
    input [2:0] call;
    reg [1:0] loc;
    dir reg d;
    door reg dr;
    reg req[0:2];
    integer i;
    initial begin loc = 0; d = UP; dr = CLOSED; for (i = 0; i <= `TOP; i = i + 1) req[i] = 0; end
    function above;
        input [1:0] l;
        input r1, r2; above = (l < 1 && r1) || (l < 2 && r2);
    endfunction
    always @(posedge clk) begin
        for (i = 0; i <= `TOP; i = i + 1) if (call[i]) req[i] = 1;
        if (dr == OPEN) begin dr = CLOSED; end
        else if (req[loc]) begin dr = OPEN; req[loc] = 0; end
        else if (d == UP) begin if (above(loc, req[1], req[2])) loc = loc + 1; else d = DOWN; end
        else if (loc > 0 && (req[0] || (loc == 2 && req[1]))) loc = loc - 1;
        else d = UP;
    end
endmodule
