// expect: states=44
// A protocol for two with a turn, processes that are scheduled by a drawn bit, expressions as connections.
typedef enum {NON, TRY, CRIT, WT} st;
module main(clk);
    input clk;
    wire sel;
    assign sel = $ND(0,1);
    wire turn_next0, turn_next1;
    reg turn;
    initial turn = $ND(0,1);
    wire c0, c1;
    proc p0(clk, sel==0, c1, turn==0, c0, d0);
    proc p1(clk, sel==1, c0, turn==1, c1, d1);
    reg run0;
    initial run0=0;
    always @(posedge clk) begin if (d0) turn = 1; else if (d1) turn = 0; run0 = (sel==0); end
endmodule

module proc(clk, run, other, mine, c, done);
    input clk, run, other, mine;
    output c, done;
    st reg s;
    initial s = NON;
    reg c;
    initial c = 0;
    wire leave;
    assign leave = $ND(0,1);
    assign done = run && (s == CRIT) && leave;
    always @(posedge clk) if (run) begin
        case (s)
            NON: if (leave) begin s = TRY; c = 1; end
            TRY: if (!other) s = CRIT; else if (!mine) begin c = 0; s = WT; end
            WT: if (mine) begin c = 1; s = TRY; end
            CRIT: if (leave) begin s = NON; c = 0; end
        endcase
    end
endmodule
