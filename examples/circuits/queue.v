// expect: order=1
// A queue of four places that says too late that it is full: quorbit check queue.v --property "AG lost=0".
module queue(clock, push, pop, din, full, empty, lost);
    input clock, push, pop, din;
    output full, empty, lost;
    reg [3:0] place;
    reg [2:0] count;
    reg lost;
    wire full, empty;

    assign full = count == 5;       // one too late
    assign empty = count == 0;
    initial begin place = 0; count = 0; lost = 0; end

    always @(posedge clock) begin
        if (push && !full) begin
            lost = count == 4;
            place = {place[2:0], din};
            count = count + 1;
        end else if (pop && !empty)
            count = count - 1;
    end
endmodule
