// expect: order=24
// A lock whose owner is stored as a number.  Requesters are alike: whoever waits alone gets the lock, and gives it back
// when it leaves.  The values of `owner` move with the requesters they name.
module encoded(clock, request, leave);
    input clock;
    input [3:0] request, leave;
    reg [3:0] waiting;
    reg [1:0] owner;
    reg held;
    integer i;
    initial begin waiting = 0; owner = 0; held = 0; end
    always @(posedge clock) begin
        waiting <= waiting | request;
        if (held) begin
            if (leave[owner]) held <= 0;
            waiting[owner] <= 0;
        end
        else
            for (i = 0; i < 4; i = i + 1)
                if (waiting == (1 << i)) begin held <= 1; owner <= i; end
    end
endmodule
