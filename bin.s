	.file	"<string>"
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI0_0:
	.byte	0
	.byte	1
	.byte	4
	.byte	5
	.byte	8
	.byte	9
	.byte	12
	.byte	13
	.byte	8
	.byte	9
	.byte	12
	.byte	13
	.byte	12
	.byte	13
	.byte	14
	.byte	15
	.byte	16
	.byte	17
	.byte	20
	.byte	21
	.byte	24
	.byte	25
	.byte	28
	.byte	29
	.byte	24
	.byte	25
	.byte	28
	.byte	29
	.byte	28
	.byte	29
	.byte	30
	.byte	31
.LCPI0_2:
	.byte	0
	.byte	1
	.byte	4
	.byte	5
	.byte	8
	.byte	9
	.byte	12
	.byte	13
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.byte	16
	.byte	17
	.byte	20
	.byte	21
	.byte	24
	.byte	25
	.byte	28
	.byte	29
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.zero	1
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI0_1:
	.byte	0
	.byte	1
	.byte	4
	.byte	5
	.byte	8
	.byte	9
	.byte	12
	.byte	13
	.byte	8
	.byte	9
	.byte	12
	.byte	13
	.byte	12
	.byte	13
	.byte	14
	.byte	15
	.section	.ltext,"axl",@progbits
	.globl	_ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE,@function
_ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	200(%rsp), %rsi
	movq	64(%rsp), %r9
	movq	192(%rsp), %rax
	movq	120(%rsp), %r11
	movq	56(%rsp), %rcx
	movq	112(%rsp), %r15
	movq	%rdi, -8(%rsp)
	movq	%r9, %rdx
	sarq	$63, %rdx
	movq	%rsi, %r12
	sarq	$63, %r12
	movq	%r11, %rdi
	sarq	$63, %rdi
	andq	%r9, %rdx
	andq	%rsi, %r12
	andq	%r11, %rdi
	leaq	(%rcx,%rdx,4), %rbx
	leaq	(%rax,%r12,2), %r14
	leaq	1072(%rcx,%rdx,4), %rcx
	leaq	536(%rax,%r12,2), %rax
	leaq	1072(%r15,%rdi,4), %rsi
	leaq	(%r15,%rdi,4), %r15
	cmpq	%rcx, %r14
	movl	144(%rsp), %ecx
	setb	%r8b
	cmpq	%rax, %rbx
	setb	%r10b
	cmpq	%rsi, %r14
	setb	%r13b
	cmpq	%rax, %r15
	movl	152(%rsp), %eax
	setb	%sil
	leal	8(%rax), %ebp
	testb	%r10b, %r8b
	jne	.LBB0_2
	andb	%sil, %r13b
	jne	.LBB0_2
	movq	112(%rsp), %rsi
	movabsq	$.LCPI0_0, %r10
	movq	192(%rsp), %r8
	vmovd	%ecx, %xmm5
	vmovd	%ebp, %xmm3
	vbroadcastss	%xmm0, %ymm4
	vbroadcastss	%xmm1, %ymm6
	vpxor	%xmm8, %xmm8, %xmm8
	vmovdqa	(%r10), %ymm9
	vpbroadcastd	%xmm5, %ymm7
	vpbroadcastw	%xmm3, %xmm3
	leaq	96(%rsi,%rdi,4), %r13
	movq	56(%rsp), %rsi
	leaq	48(%r8,%r12,2), %r12
	xorl	%edi, %edi
	leaq	96(%rsi,%rdx,4), %rdx
	.p2align	4
.LBB0_13:
	vmovups	-96(%rdx,%rdi,4), %ymm10
	vmovups	-64(%rdx,%rdi,4), %ymm11
	vmovups	-32(%rdx,%rdi,4), %ymm12
	vmovups	(%rdx,%rdi,4), %ymm13
	vsubps	-96(%r13,%rdi,4), %ymm10, %ymm10
	vsubps	-64(%r13,%rdi,4), %ymm11, %ymm11
	vsubps	-32(%r13,%rdi,4), %ymm12, %ymm12
	vsubps	(%r13,%rdi,4), %ymm13, %ymm13
	vmulps	%ymm4, %ymm10, %ymm10
	vmulps	%ymm4, %ymm11, %ymm11
	vmulps	%ymm4, %ymm12, %ymm12
	vmulps	%ymm4, %ymm13, %ymm13
	vaddps	%ymm6, %ymm10, %ymm10
	vaddps	%ymm6, %ymm11, %ymm11
	vaddps	%ymm6, %ymm12, %ymm12
	vaddps	%ymm6, %ymm13, %ymm13
	vcvttps2dq	%ymm10, %ymm10
	vcvttps2dq	%ymm11, %ymm11
	vcvttps2dq	%ymm12, %ymm12
	vcvttps2dq	%ymm13, %ymm13
	vpmaxsd	%ymm8, %ymm10, %ymm10
	vpmaxsd	%ymm8, %ymm11, %ymm11
	vpmaxsd	%ymm8, %ymm12, %ymm12
	vpmaxsd	%ymm8, %ymm13, %ymm13
	vpminsd	%ymm10, %ymm7, %ymm10
	vpminsd	%ymm11, %ymm7, %ymm11
	vpminsd	%ymm12, %ymm7, %ymm12
	vpminsd	%ymm13, %ymm7, %ymm13
	vpshufb	%ymm9, %ymm10, %ymm10
	vpshufb	%ymm9, %ymm11, %ymm11
	vpshufb	%ymm9, %ymm12, %ymm12
	vpshufb	%ymm9, %ymm13, %ymm13
	vpermq	$232, %ymm10, %ymm10
	vpermq	$232, %ymm11, %ymm11
	vpermq	$232, %ymm12, %ymm12
	vpermq	$232, %ymm13, %ymm13
	vpsllw	$4, %xmm10, %xmm10
	vpsllw	$4, %xmm11, %xmm11
	vpsllw	$4, %xmm12, %xmm12
	vpsllw	$4, %xmm13, %xmm13
	vpaddw	%xmm3, %xmm10, %xmm10
	vpaddw	%xmm3, %xmm11, %xmm11
	vpaddw	%xmm3, %xmm12, %xmm12
	vpaddw	%xmm3, %xmm13, %xmm13
	vmovdqu	%xmm10, -48(%r12,%rdi,2)
	vmovdqu	%xmm11, -32(%r12,%rdi,2)
	vmovdqu	%xmm12, -16(%r12,%rdi,2)
	vmovdqu	%xmm13, (%r12,%rdi,2)
	addq	$32, %rdi
	cmpq	$256, %rdi
	jne	.LBB0_13
	vmovups	1024(%rbx), %xmm6
	vpbroadcastd	%xmm5, %xmm3
	vbroadcastss	%xmm0, %xmm5
	vbroadcastss	%xmm1, %xmm4
	movabsq	$.LCPI0_1, %rdx
	vpxor	%xmm7, %xmm7, %xmm7
	vmovd	%ebp, %xmm1
	vsubps	1024(%r15), %xmm6, %xmm6
	vmovdqa	(%rdx), %xmm8
	vpbroadcastw	%xmm1, %xmm1
	vmulps	%xmm6, %xmm5, %xmm6
	vaddps	%xmm6, %xmm4, %xmm6
	vcvttps2dq	%xmm6, %xmm6
	vpmaxsd	%xmm7, %xmm6, %xmm6
	vpminsd	%xmm6, %xmm3, %xmm6
	vpshufb	%xmm8, %xmm6, %xmm6
	vpsllw	$4, %xmm6, %xmm6
	vpaddw	%xmm6, %xmm1, %xmm6
	vmovq	%xmm6, 512(%r14)
	vmovups	1040(%rbx), %xmm6
	vsubps	1040(%r15), %xmm6, %xmm6
	vmulps	%xmm6, %xmm5, %xmm6
	vaddps	%xmm6, %xmm4, %xmm6
	vcvttps2dq	%xmm6, %xmm6
	vpmaxsd	%xmm7, %xmm6, %xmm6
	vpminsd	%xmm6, %xmm3, %xmm6
	vpshufb	%xmm8, %xmm6, %xmm6
	vpsllw	$4, %xmm6, %xmm6
	vpaddw	%xmm6, %xmm1, %xmm6
	vmovq	%xmm6, 520(%r14)
	vmovups	1056(%rbx), %xmm6
	vsubps	1056(%r15), %xmm6, %xmm6
	vmulps	%xmm6, %xmm5, %xmm5
	vaddps	%xmm5, %xmm4, %xmm4
	vcvttps2dq	%xmm4, %xmm4
	vpmaxsd	%xmm7, %xmm4, %xmm4
	vpminsd	%xmm4, %xmm3, %xmm3
	vpshufb	%xmm8, %xmm3, %xmm3
	vpsllw	$4, %xmm3, %xmm3
	vpaddw	%xmm3, %xmm1, %xmm1
	vmovq	%xmm1, 528(%r14)
.LBB0_15:
	movl	$268, %r12d
	movl	$268, %r13d
	cmpq	$268, %r9
	jle	.LBB0_16
	movq	112(%rsp), %r15
	movq	200(%rsp), %rsi
	cmpq	$268, %r11
	jle	.LBB0_18
.LBB0_19:
	movq	%r9, %r11
	subq	%r13, %r11
	movl	$268, %edx
	cmpq	$268, %rsi
	jle	.LBB0_20
	testq	%r11, %r11
	jle	.LBB0_38
.LBB0_22:
	movq	56(%rsp), %rdi
	leaq	(%r15,%r12,4), %rbx
	leaq	(%r8,%rdx,2), %r14
	leaq	(%rdi,%r13,4), %r10
	cmpq	$8, %r11
	jae	.LBB0_24
	xorl	%r9d, %r9d
	jmp	.LBB0_35
.LBB0_2:
	movq	192(%rsp), %r8
	movl	$3, %r12d
	jmp	.LBB0_3
	.p2align	4
.LBB0_11:
	shll	$4, %edx
	addl	%ebp, %edx
	movw	%dx, (%r14,%r12,2)
	addq	$4, %r12
	cmpq	$271, %r12
	je	.LBB0_15
.LBB0_3:
	vmovss	-12(%rbx,%r12,4), %xmm3
	vsubss	-12(%r15,%r12,4), %xmm3, %xmm3
	vmulss	%xmm3, %xmm0, %xmm3
	vaddss	%xmm3, %xmm1, %xmm3
	vcvttss2si	%xmm3, %edx
	movl	%edx, %esi
	sarl	$31, %esi
	andnl	%edx, %esi, %esi
	movl	%ecx, %edx
	cmpl	%esi, %ecx
	jl	.LBB0_5
	movl	%esi, %edx
.LBB0_5:
	shll	$4, %edx
	addl	%ebp, %edx
	movw	%dx, -6(%r14,%r12,2)
	vmovss	-8(%rbx,%r12,4), %xmm3
	vsubss	-8(%r15,%r12,4), %xmm3, %xmm3
	vmulss	%xmm3, %xmm0, %xmm3
	vaddss	%xmm3, %xmm1, %xmm3
	vcvttss2si	%xmm3, %edx
	movl	%edx, %esi
	sarl	$31, %esi
	andnl	%edx, %esi, %esi
	movl	%ecx, %edx
	cmpl	%esi, %ecx
	jl	.LBB0_7
	movl	%esi, %edx
.LBB0_7:
	shll	$4, %edx
	addl	%ebp, %edx
	movw	%dx, -4(%r14,%r12,2)
	vmovss	-4(%rbx,%r12,4), %xmm3
	vsubss	-4(%r15,%r12,4), %xmm3, %xmm3
	vmulss	%xmm3, %xmm0, %xmm3
	vaddss	%xmm3, %xmm1, %xmm3
	vcvttss2si	%xmm3, %edx
	movl	%edx, %esi
	sarl	$31, %esi
	andnl	%edx, %esi, %esi
	movl	%ecx, %edx
	cmpl	%esi, %ecx
	jl	.LBB0_9
	movl	%esi, %edx
.LBB0_9:
	shll	$4, %edx
	addl	%ebp, %edx
	movw	%dx, -2(%r14,%r12,2)
	vmovss	(%rbx,%r12,4), %xmm3
	vsubss	(%r15,%r12,4), %xmm3, %xmm3
	vmulss	%xmm3, %xmm0, %xmm3
	vaddss	%xmm3, %xmm1, %xmm3
	vcvttss2si	%xmm3, %edx
	movl	%edx, %esi
	sarl	$31, %esi
	andnl	%edx, %esi, %esi
	movl	%ecx, %edx
	cmpl	%esi, %ecx
	jl	.LBB0_11
	movl	%esi, %edx
	jmp	.LBB0_11
.LBB0_24:
	leaq	(%rdx,%r9), %rsi
	leaq	(%rdi,%r9,4), %rdi
	addq	%r12, %r9
	subq	%r13, %rsi
	subq	%r13, %r9
	leaq	(%r8,%rsi,2), %rsi
	cmpq	%rdi, %r14
	leaq	(%r15,%r9,4), %r8
	setb	%bpl
	cmpq	%rsi, %r10
	setb	%r15b
	cmpq	%r8, %r14
	setb	%dil
	cmpq	%rsi, %rbx
	setb	%sil
	xorl	%r9d, %r9d
	testb	%r15b, %bpl
	jne	.LBB0_35
	andb	%sil, %dil
	movq	192(%rsp), %rsi
	movq	112(%rsp), %rdi
	jne	.LBB0_35
	movabsq	$9223372036854775776, %r15
	cmpq	$32, %r11
	jae	.LBB0_28
	xorl	%r9d, %r9d
	jmp	.LBB0_32
.LBB0_28:
	leaq	48(%rsi,%rdx,2), %rdx
	leaq	96(%rdi,%r12,4), %rsi
	movq	56(%rsp), %rdi
	vmovd	%ecx, %xmm4
	vmovd	%eax, %xmm5
	vbroadcastss	%xmm0, %ymm1
	vbroadcastss	%xmm2, %ymm3
	movq	%r11, %r9
	andq	%r15, %r9
	xorl	%r8d, %r8d
	vxorps	%xmm6, %xmm6, %xmm6
	vpbroadcastd	%xmm4, %ymm4
	vpbroadcastw	%xmm5, %xmm5
	leaq	96(%rdi,%r13,4), %rdi
	movabsq	$.LCPI0_0, %r13
	vmovdqa	(%r13), %ymm7
	.p2align	4
.LBB0_29:
	vmovups	-96(%rdi,%r8,4), %ymm8
	vmovups	-64(%rdi,%r8,4), %ymm9
	vmovups	-32(%rdi,%r8,4), %ymm10
	vmovups	(%rdi,%r8,4), %ymm11
	vsubps	-96(%rsi,%r8,4), %ymm8, %ymm8
	vsubps	-64(%rsi,%r8,4), %ymm9, %ymm9
	vsubps	-32(%rsi,%r8,4), %ymm10, %ymm10
	vsubps	(%rsi,%r8,4), %ymm11, %ymm11
	vmulps	%ymm1, %ymm8, %ymm8
	vmulps	%ymm1, %ymm9, %ymm9
	vmulps	%ymm1, %ymm10, %ymm10
	vmulps	%ymm1, %ymm11, %ymm11
	vaddps	%ymm3, %ymm8, %ymm8
	vaddps	%ymm3, %ymm9, %ymm9
	vaddps	%ymm3, %ymm10, %ymm10
	vaddps	%ymm3, %ymm11, %ymm11
	vcvttps2dq	%ymm8, %ymm8
	vcvttps2dq	%ymm9, %ymm9
	vcvttps2dq	%ymm10, %ymm10
	vcvttps2dq	%ymm11, %ymm11
	vpmaxsd	%ymm6, %ymm8, %ymm8
	vpmaxsd	%ymm6, %ymm9, %ymm9
	vpmaxsd	%ymm6, %ymm10, %ymm10
	vpmaxsd	%ymm6, %ymm11, %ymm11
	vpminsd	%ymm8, %ymm4, %ymm8
	vpminsd	%ymm9, %ymm4, %ymm9
	vpminsd	%ymm10, %ymm4, %ymm10
	vpminsd	%ymm11, %ymm4, %ymm11
	vpshufb	%ymm7, %ymm8, %ymm8
	vpshufb	%ymm7, %ymm9, %ymm9
	vpshufb	%ymm7, %ymm10, %ymm10
	vpshufb	%ymm7, %ymm11, %ymm11
	vpermq	$232, %ymm8, %ymm8
	vpermq	$232, %ymm9, %ymm9
	vpermq	$232, %ymm10, %ymm10
	vpermq	$232, %ymm11, %ymm11
	vpsllw	$4, %xmm8, %xmm8
	vpsllw	$4, %xmm9, %xmm9
	vpsllw	$4, %xmm10, %xmm10
	vpsllw	$4, %xmm11, %xmm11
	vpaddw	%xmm5, %xmm8, %xmm8
	vpaddw	%xmm5, %xmm9, %xmm9
	vpaddw	%xmm5, %xmm10, %xmm10
	vpaddw	%xmm5, %xmm11, %xmm11
	vmovdqu	%xmm8, -48(%rdx,%r8,2)
	vmovdqu	%xmm9, -32(%rdx,%r8,2)
	vmovdqu	%xmm10, -16(%rdx,%r8,2)
	vmovdqu	%xmm11, (%rdx,%r8,2)
	addq	$32, %r8
	cmpq	%r8, %r9
	jne	.LBB0_29
	cmpq	%r9, %r11
	je	.LBB0_38
	testb	$24, %r11b
	je	.LBB0_35
.LBB0_32:
	movabsq	$.LCPI0_2, %rsi
	vmovd	%ecx, %xmm4
	vmovd	%eax, %xmm5
	addq	$24, %r15
	vbroadcastss	%xmm0, %ymm1
	vbroadcastss	%xmm2, %ymm3
	movq	%r9, %rdx
	vpxor	%xmm6, %xmm6, %xmm6
	vmovdqa	(%rsi), %ymm7
	vpbroadcastd	%xmm4, %ymm4
	movq	%r15, %r9
	andq	%r11, %r9
	vpbroadcastw	%xmm5, %xmm5
	.p2align	4
.LBB0_33:
	vmovups	(%r10,%rdx,4), %ymm8
	vsubps	(%rbx,%rdx,4), %ymm8, %ymm8
	vmulps	%ymm1, %ymm8, %ymm8
	vaddps	%ymm3, %ymm8, %ymm8
	vcvttps2dq	%ymm8, %ymm8
	vpmaxsd	%ymm6, %ymm8, %ymm8
	vpminsd	%ymm8, %ymm4, %ymm8
	vpshufb	%ymm7, %ymm8, %ymm8
	vpermq	$232, %ymm8, %ymm8
	vpsllw	$4, %xmm8, %xmm8
	vpaddw	%xmm5, %xmm8, %xmm8
	vmovdqu	%xmm8, (%r14,%rdx,2)
	addq	$8, %rdx
	cmpq	%rdx, %r9
	jne	.LBB0_33
	jmp	.LBB0_34
.LBB0_16:
	movq	%r9, %r13
	movq	112(%rsp), %r15
	movq	200(%rsp), %rsi
	cmpq	$268, %r11
	jg	.LBB0_19
.LBB0_18:
	movq	%r11, %r12
	jmp	.LBB0_19
.LBB0_20:
	movq	%rsi, %rdx
	testq	%r11, %r11
	jg	.LBB0_22
	jmp	.LBB0_38
.LBB0_34:
	cmpq	%r9, %r11
	je	.LBB0_38
.LBB0_35:
	vmovss	(%r10,%r9,4), %xmm1
	vsubss	(%rbx,%r9,4), %xmm1, %xmm1
	vmulss	%xmm1, %xmm0, %xmm1
	vaddss	%xmm1, %xmm2, %xmm1
	vcvttss2si	%xmm1, %edx
	movl	%edx, %esi
	sarl	$31, %esi
	andnl	%edx, %esi, %esi
	movl	%ecx, %edx
	cmpl	%esi, %ecx
	jl	.LBB0_37
	movl	%esi, %edx
.LBB0_37:
	shll	$4, %edx
	addl	%eax, %edx
	movw	%dx, (%r14,%r9,2)
	incq	%r9
	jmp	.LBB0_34
.LBB0_38:
	movq	-8(%rsp), %rax
	movq	$0, (%rax)
	xorl	%eax, %eax
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end0:
	.size	_ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE, .Lfunc_end0-_ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE
	.cfi_endproc

	.globl	_ZN7cpython5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE
	.p2align	4
	.type	_ZN7cpython5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE,@function
_ZN7cpython5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$360, %rsp
	.cfi_def_cfa_offset 416
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	%rsi, %rdi
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	leaq	80(%rsp), %r10
	xorl	%ebx, %ebx
	leaq	88(%rsp), %r11
	leaq	96(%rsp), %r14
	leaq	104(%rsp), %r15
	leaq	112(%rsp), %r12
	leaq	120(%rsp), %r13
	leaq	128(%rsp), %rbp
	movabsq	$.const.bin_row, %rsi
	leaq	144(%rsp), %r8
	leaq	136(%rsp), %r9
	movl	$9, %edx
	movl	$9, %ecx
	xorl	%eax, %eax
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	movabsq	$PyArg_UnpackTuple, %r10
	callq	*%r10
	addq	$64, %rsp
	.cfi_adjust_cfa_offset -64
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 144(%rsp)
	vmovups	%ymm0, 168(%rsp)
	testl	%eax, %eax
	je	.LBB1_20
	movabsq	$_ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE, %rax
	cmpq	$0, (%rax)
	je	.LBB1_25
	movq	136(%rsp), %rdi
	movabsq	$NRT_adapt_ndarray_from_python, %r12
	leaq	288(%rsp), %rsi
	vmovups	%ymm0, 288(%rsp)
	vmovups	%ymm0, 312(%rsp)
	vzeroupper
	callq	*%r12
	testl	%eax, %eax
	jne	.LBB1_26
	cmpq	$4, 312(%rsp)
	jne	.LBB1_26
	movq	128(%rsp), %rdi
	movq	288(%rsp), %rbx
	movq	320(%rsp), %r14
	movq	328(%rsp), %r15
	leaq	224(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 224(%rsp)
	vmovups	%ymm0, 248(%rsp)
	vzeroupper
	callq	*%r12
	testl	%eax, %eax
	jne	.LBB1_27
	cmpq	$4, 248(%rsp)
	jne	.LBB1_27
	movq	224(%rsp), %rax
	movq	256(%rsp), %rdx
	movq	264(%rsp), %rcx
	movq	120(%rsp), %rdi
	movq	%r14, 64(%rsp)
	movabsq	$PyNumber_Float, %r14
	movq	%r15, 56(%rsp)
	movq	%rbx, 32(%rsp)
	movq	%rax, 24(%rsp)
	movq	%rdx, 48(%rsp)
	movq	%rcx, 40(%rsp)
	callq	*%r14
	movabsq	$PyFloat_AsDouble, %r12
	movq	%rax, %rdi
	movq	%rax, %r15
	callq	*%r12
	movabsq	$Py_DecRef, %rbp
	movq	%r15, %rdi
	vmovsd	%xmm0, 16(%rsp)
	callq	*%rbp
	movabsq	$PyErr_Occurred, %rbx
	callq	*%rbx
	testq	%rax, %rax
	jne	.LBB1_31
	movq	112(%rsp), %rdi
	callq	*%r14
	movq	%rax, %rdi
	movq	%rax, %r15
	callq	*%r12
	movq	%r15, %rdi
	vmovsd	%xmm0, 8(%rsp)
	callq	*%rbp
	callq	*%rbx
	testq	%rax, %rax
	jne	.LBB1_31
	movq	104(%rsp), %rdi
	callq	*%r14
	movq	%rax, %rdi
	movq	%rax, %r15
	callq	*%r12
	movq	%r15, %rdi
	vmovsd	%xmm0, (%rsp)
	callq	*%rbp
	callq	*%rbx
	testq	%rax, %rax
	jne	.LBB1_31
	movq	96(%rsp), %rdi
	movabsq	$PyNumber_Long, %r13
	callq	*%r13
	movabsq	$PyLong_AsLongLong, %r14
	testq	%rax, %rax
	je	.LBB1_11
	movq	%rax, %rdi
	movq	%rax, %r15
	callq	*%r14
	movq	%r15, %rdi
	callq	*%rbp
.LBB1_11:
	callq	*%rbx
	testq	%rax, %rax
	jne	.LBB1_31
	movq	88(%rsp), %rdi
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_28
	movq	%rax, %rdi
	movq	%rax, %r12
	callq	*%r14
	movq	%r12, %rdi
	movq	%rax, %r15
	callq	*%rbp
	callq	*%rbx
	testq	%rax, %rax
	jne	.LBB1_31
.LBB1_14:
	movq	80(%rsp), %rdi
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_29
	movq	%rax, %rdi
	movq	%rax, %r13
	callq	*%r14
	movq	%r13, %rdi
	movq	%rax, %r12
	callq	*%rbp
	callq	*%rbx
	testq	%rax, %rax
	jne	.LBB1_31
.LBB1_16:
	movq	72(%rsp), %rdi
	leaq	144(%rsp), %rsi
	movabsq	$NRT_adapt_ndarray_from_python, %rax
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 144(%rsp)
	vmovups	%ymm0, 168(%rsp)
	vzeroupper
	callq	*%rax
	testl	%eax, %eax
	jne	.LBB1_30
	cmpq	$2, 168(%rsp)
	jne	.LBB1_30
	vmovsd	16(%rsp), %xmm0
	vmovaps	176(%rsp), %xmm1
	movq	144(%rsp), %r13
	movabsq	$PyEval_SaveThread, %rax
	vcvtsd2ss	%xmm0, %xmm0, %xmm0
	vmovaps	%xmm1, 208(%rsp)
	vmovss	%xmm0, 16(%rsp)
	vmovsd	8(%rsp), %xmm0
	vcvtsd2ss	%xmm0, %xmm0, %xmm0
	vmovss	%xmm0, 8(%rsp)
	vmovsd	(%rsp), %xmm0
	vcvtsd2ss	%xmm0, %xmm0, %xmm0
	vmovss	%xmm0, (%rsp)
	callq	*%rax
	movq	%rax, %rbx
	subq	$160, %rsp
	.cfi_adjust_cfa_offset 160
	vmovaps	368(%rsp), %xmm0
	vmovups	%xmm0, 136(%rsp)
	movl	%r15d, 88(%rsp)
	movq	%r13, 104(%rsp)
	movl	%r12d, 96(%rsp)
	movq	208(%rsp), %rdx
	vmovss	176(%rsp), %xmm0
	vmovss	168(%rsp), %xmm1
	vmovss	160(%rsp), %xmm2
	movq	200(%rsp), %rax
	movq	216(%rsp), %rdi
	movq	184(%rsp), %r15
	movq	192(%rsp), %r14
	movq	%rdx, 56(%rsp)
	movq	224(%rsp), %rdx
	movq	%rax, 64(%rsp)
	movq	%rdi, 8(%rsp)
	movabsq	$_ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE, %rax
	leaq	512(%rsp), %rdi
	movq	%r15, 24(%rsp)
	movq	%rdx, (%rsp)
	movq	%r14, %rdx
	callq	*%rax
	addq	$160, %rsp
	.cfi_adjust_cfa_offset -160
	movabsq	$PyEval_RestoreThread, %r12
	movq	%rbx, %rdi
	movl	%eax, %ebp
	callq	*%r12
	movabsq	$NRT_decref, %rbx
	movq	%r14, %rdi
	callq	*%rbx
	movq	%r15, %rdi
	callq	*%rbx
	movq	%r13, %rdi
	callq	*%rbx
	testl	%ebp, %ebp
	jne	.LBB1_21
	movabsq	$_Py_NoneStruct, %rbx
	movabsq	$Py_IncRef, %rax
	movq	%rbx, %rdi
	callq	*%rax
.LBB1_20:
	movq	%rbx, %rax
	addq	$360, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB1_21:
	.cfi_def_cfa_offset 416
	jg	.LBB1_37
	cmpl	$-1, %ebp
	je	.LBB1_34
	cmpl	$-3, %ebp
	jne	.LBB1_35
	movabsq	$PyExc_StopIteration, %rdi
	movabsq	$PyErr_SetNone, %rax
	jmp	.LBB1_33
.LBB1_25:
	movabsq	$PyExc_RuntimeError, %rdi
	movabsq	$".const.missing Environment: _ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE", %rsi
	jmp	.LBB1_36
.LBB1_26:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	jmp	.LBB1_36
.LBB1_27:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	jmp	.LBB1_32
.LBB1_28:
	xorl	%r15d, %r15d
	callq	*%rbx
	testq	%rax, %rax
	je	.LBB1_14
	jmp	.LBB1_31
.LBB1_29:
	xorl	%r12d, %r12d
	callq	*%rbx
	testq	%rax, %rax
	je	.LBB1_16
	jmp	.LBB1_31
.LBB1_30:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
.LBB1_31:
	movq	24(%rsp), %rdi
	movabsq	$NRT_decref, %rax
	callq	*%rax
	movq	32(%rsp), %rbx
.LBB1_32:
	movabsq	$NRT_decref, %rax
	movq	%rbx, %rdi
.LBB1_33:
	callq	*%rax
.LBB1_34:
	xorl	%ebx, %ebx
	jmp	.LBB1_20
.LBB1_35:
	movabsq	$PyExc_SystemError, %rdi
	movabsq	$".const.unknown error when calling native function", %rsi
.LBB1_36:
	movabsq	$PyErr_SetString, %rax
	vzeroupper
	callq	*%rax
	xorl	%ebx, %ebx
	jmp	.LBB1_20
.LBB1_37:
	movabsq	$PyErr_Clear, %rax
	callq	*%rax
.Lfunc_end1:
	.size	_ZN7cpython5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE, .Lfunc_end1-_ZN7cpython5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE
	.cfi_endproc

	.globl	cfunc._ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE
	.p2align	4
	.type	cfunc._ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE,@function
cfunc._ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%r14
	.cfi_def_cfa_offset 16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	subq	$184, %rsp
	.cfi_def_cfa_offset 208
	.cfi_offset %rbx, -24
	.cfi_offset %r14, -16
	vmovups	248(%rsp), %xmm3
	vmovups	328(%rsp), %xmm4
	movq	%rdi, %rdx
	movq	216(%rsp), %rax
	movl	280(%rsp), %ecx
	movl	288(%rsp), %esi
	movq	296(%rsp), %rdi
	movq	$0, 176(%rsp)
	vmovups	%xmm4, 136(%rsp)
	movq	%rdi, 104(%rsp)
	movl	%esi, 96(%rsp)
	movl	%ecx, 88(%rsp)
	vmovups	%xmm3, 56(%rsp)
	movq	%rax, 24(%rsp)
	movabsq	$_ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE, %rax
	leaq	176(%rsp), %rdi
	movq	%r9, 8(%rsp)
	movq	%r8, (%rsp)
	callq	*%rax
	movq	176(%rsp), %rcx
	movl	$0, 172(%rsp)
	testl	%eax, %eax
	jne	.LBB2_1
.LBB2_5:
	movq	%rcx, %rax
	addq	$184, %rsp
	.cfi_def_cfa_offset 24
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	retq
.LBB2_1:
	.cfi_def_cfa_offset 208
	movq	%rcx, %r14
	movabsq	$numba_gil_ensure, %rcx
	leaq	172(%rsp), %rdi
	movl	%eax, %ebx
	callq	*%rcx
	testl	%ebx, %ebx
	jg	.LBB2_2
	movl	%ebx, %eax
	cmpl	$-1, %ebx
	je	.LBB2_4
	cmpl	$-3, %eax
	jne	.LBB2_3
	movabsq	$PyExc_StopIteration, %rdi
	movabsq	$PyErr_SetNone, %rax
	callq	*%rax
	jmp	.LBB2_4
.LBB2_3:
	movabsq	$PyExc_SystemError, %rdi
	movabsq	$".const.unknown error when calling native function.2", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
.LBB2_4:
	movabsq	$".const.<numba.core.cpu.CPUContext>", %rdi
	movabsq	$PyUnicode_FromString, %rax
	callq	*%rax
	movq	%rax, %rbx
	movabsq	$PyErr_WriteUnraisable, %rax
	movq	%rbx, %rdi
	callq	*%rax
	movabsq	$Py_DecRef, %rax
	movq	%rbx, %rdi
	callq	*%rax
	movabsq	$numba_gil_release, %rax
	leaq	172(%rsp), %rdi
	callq	*%rax
	movq	%r14, %rcx
	jmp	.LBB2_5
.LBB2_2:
	movabsq	$PyErr_Clear, %rax
	callq	*%rax
.Lfunc_end2:
	.size	cfunc._ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE, .Lfunc_end2-cfunc._ZN5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE
	.cfi_endproc

	.weak	NRT_incref
	.p2align	4
	.type	NRT_incref,@function
NRT_incref:
	testq	%rdi, %rdi
	je	.LBB3_2
	lock		incq	(%rdi)
.LBB3_2:
	retq
.Lfunc_end3:
	.size	NRT_incref, .Lfunc_end3-NRT_incref

	.weak	NRT_decref
	.p2align	4
	.type	NRT_decref,@function
NRT_decref:
	.cfi_startproc
	testq	%rdi, %rdi
	je	.LBB4_2
	#MEMBARRIER
	lock		decq	(%rdi)
	je	.LBB4_3
.LBB4_2:
	retq
.LBB4_3:
	movabsq	$NRT_MemInfo_call_dtor, %rax
	#MEMBARRIER
	jmpq	*%rax
.Lfunc_end4:
	.size	NRT_decref, .Lfunc_end4-NRT_decref
	.cfi_endproc

	.type	.const.bin_row,@object
	.section	.lrodata,"al",@progbits
.const.bin_row:
	.asciz	"bin_row"
	.size	.const.bin_row, 8

	.type	_ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE,8,8
	.type	".const.missing Environment: _ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE",@object
	.p2align	4, 0x0
".const.missing Environment: _ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE":
	.asciz	"missing Environment: _ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE"
	.size	".const.missing Environment: _ZN08NumbaEnv5proto7bin_rowB2v2B40c8tJTIeFIjxB2IKSgI4CrvQClQZ6FcpCShpgEU0AE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEfff25Literal_5bint_5d_28268_29ii5ArrayItLi1E1C7mutable7alignedE", 222

	.type	".const.can't unbox array from PyObject into native value.  The object maybe of a different type",@object
	.p2align	4, 0x0
".const.can't unbox array from PyObject into native value.  The object maybe of a different type":
	.asciz	"can't unbox array from PyObject into native value.  The object maybe of a different type"
	.size	".const.can't unbox array from PyObject into native value.  The object maybe of a different type", 89

	.type	".const.unknown error when calling native function",@object
	.p2align	4, 0x0
".const.unknown error when calling native function":
	.asciz	"unknown error when calling native function"
	.size	".const.unknown error when calling native function", 43

	.type	".const.unknown error when calling native function.2",@object
	.p2align	4, 0x0
".const.unknown error when calling native function.2":
	.asciz	"unknown error when calling native function"
	.size	".const.unknown error when calling native function.2", 43

	.type	".const.<numba.core.cpu.CPUContext>",@object
	.p2align	4, 0x0
".const.<numba.core.cpu.CPUContext>":
	.asciz	"<numba.core.cpu.CPUContext>"
	.size	".const.<numba.core.cpu.CPUContext>", 28

	.type	_ZN08NumbaEnv5numba7cpython8builtins6ol_max12_3clocals_3e4implB2v3B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE15StarArgUniTupleIiLi2EE,@object
	.comm	_ZN08NumbaEnv5numba7cpython8builtins6ol_max12_3clocals_3e4implB2v3B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE15StarArgUniTupleIiLi2EE,8,8
	.type	_ZN08NumbaEnv5numba7cpython8builtins6ol_min12_3clocals_3e4implB2v4B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE15StarArgUniTupleIiLi2EE,@object
	.comm	_ZN08NumbaEnv5numba7cpython8builtins6ol_min12_3clocals_3e4implB2v4B42c8tJTIeFIjxB2IKSgI4CrvQClcaMQ5hEEUSJJgA_3dE15StarArgUniTupleIiLi2EE,8,8
	.section	".note.GNU-stack","",@progbits
