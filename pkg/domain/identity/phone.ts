import { bareCell, type Reading, read, unread } from './reading.ts';

/** Reads a phone number as it was written; of several the first. Digits that a spreadsheet rounded are none. */
export function readPhone(text: string): Reading<string> {
  const cell = bareCell(text).normalize('NFKC').replace(/^tel:/i, '');
  if (/^\d+[.,]\d+e\+?\d+$/i.test(cell)) return unread('was rounded by a spreadsheet and is no phone number any more');
  const [first = '', ...more] = cell.split(/\s*(?:[;|\n]|:::|,(?!\d{1,3}\b)|\s\/\s)\s*/).filter((part) => part !== '');
  const number = first.replace(/^(?:[\p{L} ]+:\s*)/u, '').trim();
  const [main = ''] = number.split(/(?:ext\.?|x|durchwahl|poste|#)\s*\d+$/i);
  const digits = main.replace(/\D/g, '').length;
  if (digits < 5 || digits > 17 || !/^[+\d\s().\-/–]+$/.test(main)) return unread('is no phone number');
  return read(number.slice(0, 40), more.length > 0 ? 'gives several phone numbers: the first one is used' : null);
}
