import { EncodingFinder, type TextEncodingName } from '../../../base/decode-text.ts';

/** What an uploaded file may be. Source: catalog svc_import_leads_csv. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
export const MAX_UPLOAD_ROWS = 100_000;
/** Lines that no row is: remarks above the header, and blank ones at the end. */
const SPARE_LINES = 100;

/** What an upload turned out to be. */
export interface UploadedText {
  bytes: number;
  /** Lines outside of quotes without the first: an import counts the rows that hold something. */
  rows: number;
  encoding: TextEncodingName;
}

/** How files begin that are no text. */
const NO_TEXT: readonly (readonly [begin: string, what: string])[] = [
  ['PK\x03\x04', 'an Excel workbook or another archive'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook'],
  ['%PDF', 'a PDF'],
  ['\x1f\x8b', 'compressed'],
  ['<!DOCTYPE', 'a web page'],
  ['<html', 'a web page'],
  ['<?xml', 'XML'],
];

/** Looks at a file while it arrives, and holds none of it. */
export class UploadCheck {
  readonly #encoding = new EncodingFinder();
  #bytes = 0;
  #lines = 0;
  #quoted = false;
  /** The last byte ended a line. */
  #ended = true;

  /**
   * @param bytes the next ones; an even number, but for the last
   * @returns why the file is refused, as the end of a sentence; null: nothing is wrong so far
   */
  add(bytes: Uint8Array): { status: 413 | 415; why: string } | null {
    const first = this.#bytes === 0;
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_UPLOAD_BYTES) return { status: 413, why: `is larger than ${MAX_UPLOAD_BYTES} bytes` };
    if (first) {
      const begin = String.fromCharCode(...bytes.subarray(0, 16));
      const other = NO_TEXT.find(([mark]) => begin.replace(/^\xef\xbb\xbf/, '').startsWith(mark));
      if (other) return { status: 415, why: `is ${other[1]}` };
    }
    this.#encoding.add(bytes);
    const wide = this.#encoding.so().startsWith('utf-16');
    if (!wide && bytes.includes(0)) return { status: 415, why: 'is no text' };
    this.#count(bytes);
    if (this.#lines > MAX_UPLOAD_ROWS + SPARE_LINES)
      return { status: 413, why: `has more than ${MAX_UPLOAD_ROWS} rows` };
    return null;
  }

  /** Once the file is whole. @returns null for an empty one */
  end(): UploadedText | null {
    if (this.#bytes === 0) return null;
    const lines = this.#lines + (this.#ended ? 0 : 1);
    return { bytes: this.#bytes, rows: Math.max(0, lines - 1), encoding: this.#encoding.end() };
  }

  /** By characters of one byte, or of two where the file is UTF-16. */
  #count(bytes: Uint8Array): void {
    const encoding = this.#encoding.so();
    const step = encoding.startsWith('utf-16') ? 2 : 1;
    const [letter, rest] = encoding === 'utf-16be' ? [1, 0] : [0, 1];
    for (let at = 0; at < bytes.length; at += step) {
      if (step === 2 && bytes[at + rest] !== 0) {
        this.#ended = false;
        continue;
      }
      const byte = bytes[at + (step === 2 ? letter : 0)];
      if (byte === 0x22) this.#quoted = !this.#quoted;
      const ends = byte === 0x0a || byte === 0x0d;
      if (ends && !this.#quoted && !this.#ended) this.#lines++;
      this.#ended = ends;
    }
  }
}
