/** What bytes of UTF-8 become when they are read as Windows-1252: the signs for 0x80 to 0xBF. */
const REST = '[\\u0080-\\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]';
const READ_WRONGLY = new RegExp(`[ÂÃÄÅ]${REST}|â€|ï¿½|(?:[ÎÏÐÑ×ØÙ]${REST}){2}`, 'u');

/** Whether letters were lost or read in another encoding: `J\uFFFDrg`, `JÃ¼rgen`. */
export function isDamaged(text: string): boolean {
  return text.includes('\uFFFD') || READ_WRONGLY.test(text);
}
