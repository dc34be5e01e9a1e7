// expect: states=60
// The bakery algorithm for two, with tickets up to 3: enumerations and words in memories, one block for both.
typedef enum {N, CH, W, CS} loc;
module bakery(clock, sel);
    input clock, sel;
    reg [1:0] tick[0:1];
    loc reg pc[0:1];
    reg s;
    integer i;
    wire o;
    assign o = ~s;
    initial begin for (i=0;i<2;i=i+1) begin tick[i]=0; pc[i]=N; end s=0; end
    always @(posedge clock) begin
        s = sel;
        case (pc[s])
            N: pc[s] = CH;
            CH: begin if (tick[~s] == 3) tick[s] = 3; else tick[s] = tick[~s] + 1; pc[s] = W; end
            W: if (tick[~s] == 0 || tick[s] < tick[~s] || (tick[s] == tick[~s] && s == 0)) pc[s] = CS;
            CS: begin tick[s] = 0; pc[s] = N; end
        endcase
    end
endmodule
