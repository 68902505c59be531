/** A text as one line: what breaks lines, and other control characters, becomes a space. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
