# What the MicroBlaze firmware of this folder shares: macros, and the vectors. Included by each.
	.macro	function name
	.align	2
	.globl	\name
	.type	\name, @function
\name:
	.endm
# a function that counts its calls in the word at n_NAME
	.macro	counted name
	function \name
	lwi	r18, r0, n_\name
	addik	r18, r18, 1
	swi	r18, r0, n_\name
	.endm
	.macro	ends name
	.size	\name, . - \name
	.endm
	.macro	variable name
	.globl	\name
	.type	\name, @object
	.size	\name, 4
\name:	.space	4
	.endm
	.macro	counter name
	variable n_\name
	.endm

	.section .vectors, "ax"
	.globl	_reset
_reset:	brai	start		# 0x00; with its imm each of them fills its 8 bytes
	brai	on_user		# 0x08
	brai	on_interrupt	# 0x10
	brai	on_break	# 0x18
	brai	on_exception	# 0x20
	.text
