/* The operations of the register machine, in the order of machine/compile/instructions.py, with what each of their
 * operands a, b, c, x, y is: d destination register, r register, f field (shift | width << 8), t table (start | count <<
 * 32), l label, s table of labels, n number, b bits, w whole state (its first register), - unused. */
#ifndef QB_OPS_H
#define QB_OPS_H

#define QB_OPERATIONS(X) \
    X(END, "---n-") \
    X(JMP, "---l-") \
    X(JZ, "r--l-") \
    X(JNZ, "r--l-") \
    X(JEQ, "rr-l-") \
    X(JNE, "rr-l-") \
    X(JLT, "rr-l-") \
    X(JLE, "rr-l-") \
    X(JEQI, "r--ln") \
    X(JNEI, "r--ln") \
    X(JLTI, "r--ln") \
    X(JLEI, "r--ln") \
    X(JGTI, "r--ln") \
    X(JGEI, "r--ln") \
    X(JFEQ, "r-fln") \
    X(JFNE, "r-fln") \
    X(SWITCH, "r--s-") \
    X(LI, "d---n") \
    X(MOV, "dr---") \
    X(ADD, "drr--") \
    X(SUB, "drr--") \
    X(MUL, "drr--") \
    X(ADDO, "drr--") \
    X(SUBO, "drr--") \
    X(MULO, "drr--") \
    X(ADDI, "dr--n") \
    X(MULI, "dr--n") \
    X(DIV, "drr--") \
    X(MOD, "drr--") \
    X(AND, "drr--") \
    X(OR, "drr--") \
    X(XOR, "drr--") \
    X(ANDN, "drr--") \
    X(ANDI, "dr--n") \
    X(ORI, "dr--n") \
    X(XORI, "dr--n") \
    X(SHL, "drr--") \
    X(SHR, "drr--") \
    X(SAR, "drr--") \
    X(SHLI, "dr--n") \
    X(SHRI, "dr--n") \
    X(POP, "dr---") \
    X(CTZ, "dr---") \
    X(TOP, "dr---") \
    X(EQ, "drr--") \
    X(NE, "drr--") \
    X(LT, "drr--") \
    X(LE, "drr--") \
    X(EQI, "dr--n") \
    X(NEI, "dr--n") \
    X(LTI, "dr--n") \
    X(LEI, "dr--n") \
    X(GTI, "dr--n") \
    X(GEI, "dr--n") \
    X(SEL, "drrr-") \
    X(WRAP, "drb-n") \
    X(LDF, "drf-n") \
    X(STF, "rrf-n") \
    X(STC, "r--nn") \
    X(LDX, "drwtn") \
    X(STX, "wrrtn") \
    X(LUT, "dr-tn") \
    X(LDR, "drrn-") \
    X(STR, "rrrn-") \
    X(COPY, "-----") \
    X(CNT, "d----") \
    X(RET, "r----") \
    X(EMIT, "-r-ln") \
    X(CALL, "dr-ln") \
    X(SWF, "r-fs-") \

typedef enum {
#define X(name, operands) OP_##name,
    QB_OPERATIONS(X)
#undef X
    OP_COUNT
} qb_op;

#endif
