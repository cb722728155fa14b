/* See named_boards.h. A row is what has been published of a board, with its source; it was not tried on a board. Chips
 * have the names of their family's rows (targets/cortexm/vendor). */
#include "cli/named_boards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/util.h"
#include "probes/registry.h"

/* --- probes on boards --------------------------------------------------------------------------------------------- */

/* The first four digits of the serial number identify the board. Source: DAPLink, source/daplink/info.c;
 * docs/PORT_BOARD.md */
static const struct pt_onboard_probe daplink = { "DAPLink", "0d28:0204", "DAPLink CMSIS-DAP" };
/* Source of the next three: pyOCD 0.45 and probe-rs, lists of CMSIS-DAP probes. An LPC-Link2 with J-Link firmware has other
 * numbers */
static const struct pt_onboard_probe lpclink2 = { "LPC-Link2", "1fc9:0090", "LPC-LINK2 CMSIS-DAP" };
static const struct pt_onboard_probe edbg = { "EDBG", "03eb:2111", "EDBG CMSIS-DAP" };
static const struct pt_onboard_probe debugprobe = { "Debug Probe (not on the board)", "2e8a:000c",
						    "Debugprobe on Pico (CMSIS-DAP)" };
/* Source: OpenOCD 0.12, interface/stlink.cfg */
static const struct pt_onboard_probe stlink = { "ST-LINK", "0483:374b|0483:374e|0483:3752|0483:3753|0483:3754",
						"STM32 STLink" };
/* Source: libjaylink 0.3.1, product numbers */
static const struct pt_onboard_probe jlink = { "J-Link OB", "1366:0101|1366:0105|1366:1015|1366:1051|1366:1061", "J-Link" };
/* Source: OpenOCD 0.12, interface/ti-icdi.cfg */
static const struct pt_onboard_probe icdi = { "ICDI", "1cbe:00fd", "In-Circuit Debug Interface" };

/* --- boards ------------------------------------------------------------------------------------------------------- */

/* Source of names, chips and the digits of DAPLink: pyOCD 0.45, pyocd/board/board_ids.py, under the number behind each
 * row; of the others the file of OpenOCD 0.12 there. That ST's boards have an ST-LINK: OpenOCD, board/st_nucleo_*.cfg and
 * board/stm32*disco*.cfg. 64 MHz: nRF52 data sheets, CLOCK (the CPU's clock is HFCLK, which has one frequency);
 * nrf52832-hal has the same. */
const struct pt_named_board pt_named_boards[] = {
	{ "bambino-210e", &daplink, "1605*", "LPC43xx", NULL },				/* 1605 */
	{ "disco-f303vc", &stlink, NULL, "STM32F302/F303xB/C", NULL },			/* 0746 */
	{ "disco-f407vg", &stlink, NULL, "STM32F405/F407", NULL },			/* 0830 */
	{ "disco-f413zh", &stlink, NULL, "STM32F413/F423", NULL },			/* 0743 */
	{ "disco-f429zi", &stlink, NULL, "STM32F42x/F43x", NULL },			/* 0795 */
	{ "disco-f469ni", &stlink, NULL, "STM32F469/F479", NULL },			/* 0788 */
	{ "disco-f746ng", &stlink, NULL, "STM32F74x/F75x", NULL },			/* 0815 */
	{ "disco-f769ni", &stlink, NULL, "STM32F76x/F77x", NULL },			/* 0817 */
	{ "disco-l475vg-iot01a", &stlink, NULL, "STM32L47x/L48x", NULL },		/* 0764 */
	{ "disco-l476vg", &stlink, NULL, "STM32L47x/L48x", NULL },			/* 0820 */
	{ "disco-l496ag", &stlink, NULL, "STM32L49x/L4Ax", NULL },			/* 0822 */
	{ "efm32gg-stk3700", &jlink, NULL, "EFM32GG", NULL },				/* board/efm32.cfg */
	{ "ek-tm4c123gxl", &icdi, NULL, "TM4C123", NULL },				/* board/ti_ek-tm4c123gxl.cfg */
	{ "frdm-k22f", &daplink, "0231*", "MK22", NULL },				/* 0231 */
	{ "frdm-k64f", &daplink, "0240*", "MK64", NULL },				/* 0240 */
	{ "frdm-k66f", &daplink, "0311*", "MK66", NULL },				/* 0311 */
	{ "frdm-kl25z", &daplink, "0200*", "MKL25Z128", NULL },				/* 0200 */
	{ "frdm-kl26z", &daplink, "0260*", "MKL26Z128", NULL },				/* 0260 */
	{ "frdm-kl27z", &daplink, "0261*", "MKL27Z64", NULL },				/* 0261 */
	{ "frdm-kl43z", &daplink, "0262*", "MKL43Z256", NULL },				/* 0262 */
	{ "frdm-kl46z", &daplink, "0220*", "MKL46Z256", NULL },				/* 0220 */
	{ "hexiwear", &daplink, "0214*", "MK64", NULL },				/* 0214 */
	{ "lpcxpresso4337", &daplink, "4337*", "LPC43xx", NULL },			/* 4337 */
	{ "lpcxpresso54628", &lpclink2, NULL, NULL, NULL },				/* Zephyr, boards/nxp/lpcxpresso54628 */
	{ "lpcxpresso55s69", &lpclink2, NULL, NULL, NULL },				/* Zephyr, boards/nxp/lpcxpresso55s69 */
	{ "mbed-lpc1768", &daplink, "1010*", NULL, NULL },				/* 1010 */
	{ "microbit", &daplink, "9900*|9901*", NULL, NULL },				/* 9900, 9901 */
	{ "microbit-v2", &daplink, "9903*|9904*|9905*|9906*", "nRF52833", "64M" },	/* 9903 to 9906 */
	{ "nitrogen-96b", &daplink, "9014*", "nRF52832", "64M" },			/* 9014 */
	{ "nrf52-dk", &jlink, NULL, "nRF52832", "64M" },				/* board/nordic_nrf52_dk.cfg */
	{ "nrf52832-mdk", &daplink, NULL, "nRF52832", "64M" },				/* RIOT, boards/nrf52832-mdk */
	{ "nrf52840-mdk", &daplink, NULL, "nRF52840", "64M" },				/* RIOT, boards/nrf52840-mdk */
	{ "nucleo-f103rb", &stlink, NULL, "STM32F10x medium density", NULL },		/* 0700 */
	{ "nucleo-f302r8", &stlink, NULL, "STM32F301/F302x6/8", NULL },			/* 0705 */
	{ "nucleo-f303k8", &stlink, NULL, "STM32F303x6/8, F334", NULL },		/* 0775 */
	{ "nucleo-f303re", &stlink, NULL, "STM32F303xD/E", NULL },			/* 0745 */
	{ "nucleo-f303ze", &stlink, NULL, "STM32F303xD/E", NULL },			/* 0747 */
	{ "nucleo-f334r8", &stlink, NULL, "STM32F303x6/8, F334", NULL },		/* 0735 */
	{ "nucleo-f401re", &stlink, NULL, "STM32F401xD/E", NULL },			/* 0720 */
	{ "nucleo-f410rb", &stlink, NULL, "STM32F410", NULL },				/* 0744 */
	{ "nucleo-f411re", &stlink, NULL, "STM32F411", NULL },				/* 0740 */
	{ "nucleo-f412zg", &stlink, NULL, "STM32F412", NULL },				/* 0826 */
	{ "nucleo-f413zh", &stlink, NULL, "STM32F413/F423", NULL },			/* 0742 */
	{ "nucleo-f429zi", &stlink, NULL, "STM32F42x/F43x", NULL },			/* 0796 */
	{ "nucleo-f446re", &stlink, NULL, "STM32F446", NULL },				/* 0777 */
	{ "nucleo-f446ze", &stlink, NULL, "STM32F446", NULL },				/* 0778 */
	{ "nucleo-f722ze", &stlink, NULL, "STM32F72x/F73x", NULL },			/* 0812 */
	{ "nucleo-f746zg", &stlink, NULL, "STM32F74x/F75x", NULL },			/* 0816 */
	{ "nucleo-f767zi", &stlink, NULL, "STM32F76x/F77x", NULL },			/* 0818 */
	{ "nucleo-g431kb", &stlink, NULL, "STM32G431/G441", NULL },			/* 0851 */
	{ "nucleo-g431rb", &stlink, NULL, "STM32G431/G441", NULL },			/* 0850 */
	{ "nucleo-g474re", &stlink, NULL, "STM32G47x/G48x", NULL },			/* 0841 */
	{ "nucleo-g491re", &stlink, NULL, "STM32G491/G4A1", NULL },			/* 0882 */
	{ "nucleo-h743zi", &stlink, NULL, "STM32H74x/H75x", NULL },			/* 0813 */
	{ "nucleo-h743zi2", &stlink, NULL, "STM32H74x/H75x", NULL },			/* 0836 */
	{ "nucleo-h753zi", &stlink, NULL, "STM32H74x/H75x", NULL },			/* 0842 */
	{ "nucleo-l412kb", &stlink, NULL, "STM32L41x/L42x", NULL },			/* 0846 */
	{ "nucleo-l432kc", &stlink, NULL, "STM32L43x/L44x", NULL },			/* 0770 */
	{ "nucleo-l433rc-p", &stlink, NULL, "STM32L43x/L44x", NULL },			/* 0779 */
	{ "nucleo-l452re", &stlink, NULL, "STM32L45x/L46x", NULL },			/* 0821 */
	{ "nucleo-l476rg", &stlink, NULL, "STM32L47x/L48x", NULL },			/* 0765 */
	{ "nucleo-l486rg", &stlink, NULL, "STM32L47x/L48x", NULL },			/* 0827 */
	{ "nucleo-l496zg", &stlink, NULL, "STM32L49x/L4Ax", NULL },			/* 0823 */
	{ "pico", &debugprobe, NULL, "RP2040", NULL },		/* Raspberry Pi Pico data sheet, debugging */
	{ "sam4s-xplained-pro", &edbg, NULL, "SAM4", NULL },	/* board/atmel_sam4s_xplained_pro.cfg */
	{ "samd20-xplained-pro", &edbg, NULL, "SAMD20", NULL },	/* board/atmel_samd20_xplained_pro.cfg */
	{ "samd21-xplained-pro", &edbg, NULL, "SAMD21", NULL },	/* board/atmel_samd21_xplained_pro.cfg */
};
const size_t pt_n_named_boards = PT_LEN(pt_named_boards);

/* --- one of them -------------------------------------------------------------------------------------------------- */

const struct pt_named_board *pt_named_board_find(const char *name, struct pt_err *err)
{
	char question[PT_NEAREST_QUESTION], address[80];
	struct pt_nearest near;
	size_t len;

	pt_nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < pt_n_named_boards; i++) {
		if (strcmp(pt_named_boards[i].name, name) == 0)
			return &pt_named_boards[i];
		pt_nearest_offer(&near, pt_named_boards[i].name);
	}
	snprintf(address, sizeof(address), "virtual:%s", name);
	if (pt_probe_demo(address, &len) != NULL) {
		pt_fail(err, PT_EARG, "--board %s: this is a virtual board; its address is --probe %s", name, address);
		return NULL;
	}
	pt_fail(err, PT_EARG,
		"--board %s: there is no board of this name%s`proftap boards` lists them; without --board any board "
		"works, with --probe URI",
		name, pt_nearest_question(&near, question, sizeof(question)));
	return NULL;
}

bool pt_named_board_is_driven(const struct pt_named_board *board)
{
	char *end;
	unsigned long vid = strtoul(board->probe->ids, &end, 16), pid = strtoul(end + 1, NULL, 16);

	return pt_probe_of_usb((uint16_t)vid, (uint16_t)pid, board->probe->product) != NULL;
}

int pt_named_board_uri(const struct pt_named_board *board, char *uri, size_t room, struct pt_err *err)
{
	if (!pt_named_board_is_driven(board))
		return pt_fail(
			err, PT_EARG,
			"--board %s: this version has no driver for the %s on the board. Connect a probe that proftap "
			"probes lists to the debug pins of the board and add --probe usb: to the command, or let another GDB "
			"server, such as OpenOCD, drive the %s and add --probe rsp:HOST:PORT",
			board->name, board->probe->name, board->probe->name);
	snprintf(uri, room, "usb:id=%s%s%s", board->probe->ids, board->serials != NULL ? "&serial=" : "",
		 board->serials != NULL ? board->serials : "");
	return 0;
}

void pt_named_board_words(const struct pt_named_board *board, void (*say)(void *arg, const char *word), void *arg)
{
	char word[80];

	if (board->chip != NULL) {
		snprintf(word, sizeof(word), "expected-chip=%s", board->chip);
		say(arg, word);
	}
	if (board->core_clock != NULL) {
		snprintf(word, sizeof(word), "core-clock=%s", board->core_clock);
		say(arg, word);
	}
}
