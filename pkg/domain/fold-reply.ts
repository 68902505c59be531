/** Lower case without accents and with plain apostrophes, one blank between words and nothing that nobody sees, as the word lists are written. */
export function foldReply(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]|\p{Cf}/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ß/g, 'ss')
    .replace(/[łŁ]/g, 'l')
    .replace(/[øØ]/g, 'o')
    .replace(/[\u2018\u2019\u00b4`]/g, "'")
    .toLowerCase();
}
