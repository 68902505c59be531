import { UserError } from '../../../base/errors.ts';
import { afterLetter, type CellState } from '../../../domain/csv-cell.ts';
import { looksLikeHeader } from './headers.ts';
import { type CsvFile, type CsvSlice, csvForm } from './parse-csv.ts';
import { MAX_UPLOAD_ROWS } from './upload-check.ts';

/** A slice with its text. */
export type TextSlice = CsvSlice & { text: string };

/** Letters that tell how cells are separated. */
const HEAD = 50_000;
/** A slice ends with the record with which it has so many records, or letters. */
const SLICE_RECORDS = 2_000;
const SLICE_LETTERS = 1_000_000;
/** A record that has no end in so many letters has none: the parser says why. */
const MOST_LETTERS = 4 * SLICE_LETTERS;
/** Records that are no rows: remarks, the header, blank lines. */
const SPARE_RECORDS = 1_000;

/**
 * Cuts a file between records, as it comes, so that no more of it is in memory than a slice. The same file is always cut at the same
 * places. Where a quote stands inside a cell that is not quoted it opens nothing, as the parser has it.
 */
export class CsvSlices {
  readonly #mapping: Record<string, unknown>;
  #text = '';
  /** Letters of `#text` that were looked at. */
  #at = 0;
  #state: CellState = 'start';
  #form: { delimiter: string; skipsFirst: boolean } | undefined;
  #header: Pick<CsvFile, 'headers' | 'headerLine'> | undefined;
  /** Of the slice under way: where it begins, and what was met in it. */
  #line = 1;
  #record = 1;
  #lines = 0;
  #records = 0;
  /** Behind the last whole record. */
  #whole = 0;
  #cr = '';

  constructor(mapping: Record<string, unknown>) {
    this.#mapping = mapping;
  }

  /** What names the columns, as the first slice said: the others have no header of their own. */
  named(header: Pick<CsvFile, 'headers' | 'headerLine'>): void {
    this.#header = header;
  }

  /** The next letters of the file. */
  add(letters: string): void {
    const text = `${this.#cr}${letters}`;
    // What belongs to a line feed that comes next is kept until then.
    this.#cr = text.endsWith('\r') ? '\r' : '';
    this.#text += (this.#cr === '' ? text : text.slice(0, -1)).replace(/\r\n?/g, '\n');
  }

  /** A slice that is whole; undefined: more letters are needed, or there are none at all. @param last no more come */
  next(last: boolean): TextSlice | undefined {
    if (last && this.#cr !== '') {
      this.#text += '\n';
      this.#cr = '';
    }
    if (!this.#form) {
      if (!last && this.#text.length < HEAD) return undefined;
      this.#form = csvForm(this.#text.slice(0, HEAD), (cells) => looksLikeHeader(cells, this.#mapping));
    }
    if (this.#full(this.#form.delimiter)) return this.#cut(this.#whole);
    if (this.#text.length > MOST_LETTERS) return this.#cut(this.#text.length);
    return last && this.#text !== '' ? this.#cut(this.#text.length) : undefined;
  }

  /** Looks at the letters that came. @returns whether the slice is full */
  #full(delimiter: string): boolean {
    const text = this.#text;
    for (; this.#at < text.length; this.#at++) {
      const letter = text[this.#at] ?? '';
      if (letter === '\n') this.#lines++;
      if (letter === '\n' && this.#state !== 'quoted') {
        this.#state = 'start';
        this.#records++;
        this.#whole = this.#at + 1;
        if (this.#records >= SLICE_RECORDS || this.#whole >= SLICE_LETTERS) {
          this.#at++;
          return true;
        }
      } else this.#state = afterLetter(this.#state, letter, delimiter);
    }
    return false;
  }

  #cut(end: number): TextSlice {
    const { delimiter = ',', skipsFirst = false } = this.#form ?? {};
    const slice = {
      text: this.#text.slice(0, end),
      delimiter,
      line: this.#line,
      row: this.#record - (skipsFirst && this.#header ? 1 : 0),
      header: this.#header,
    };
    this.#line += this.#lines;
    this.#record += this.#records;
    if (this.#record > MAX_UPLOAD_ROWS + SPARE_RECORDS) throw tooMany();
    this.#text = this.#text.slice(end);
    this.#at = 0;
    this.#whole = 0;
    this.#lines = 0;
    this.#records = 0;
    return slice;
  }
}

function tooMany(): UserError {
  return new UserError(
    `Invalid input: csvUrl: the file has more than ${MAX_UPLOAD_ROWS} rows. Split it and call svc_import_leads_csv for each part.`,
    'TooManyRows',
  );
}
