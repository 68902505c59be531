import { decodeText } from '../../../../base/decode-text.ts';
import { plainText, readRecords } from './csv-text.ts';

/** A file that somebody chose, read. */
export interface PickedFile {
  name: string;
  file: Blob;
  /** With `\n` as line ends. */
  text: string;
  /** Its beginning: by it columns are found while somebody maps them. */
  head: string;
  /** It does not fit into a call: it goes to an address of its own. */
  large: boolean;
}

/** What an upload address takes. */
const MAX_BYTES = 50 * 1024 * 1024;
/** What a call takes: characters of a file, as JSON with room for escapes, and rows. */
const CALL_CHARS = 3_500_000;
const CALL_LINES = 10_000;

const HEAD_RECORDS = 200;
const HEAD_CHARS = 200_000;

/** First bytes of what people take for a CSV: workbooks, documents, pictures. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a workbook or another packed file'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old workbook'],
  ['%PDF', 'a PDF'],
  ['\u0089PNG', 'a picture'],
];

/** Reads a file. @throws Error in words for people, when it can not be one of leads */
export async function pickFile(file: File): Promise<PickedFile> {
  if (file.size === 0) throw new Error('The file is empty.');
  if (file.size > MAX_BYTES)
    throw new Error('The file is larger than 50 MB. Split it, and import one part after another.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  const begin = String.fromCharCode(...bytes.subarray(0, 4));
  const other = OTHERS.find(([magic]) => begin.startsWith(magic));
  if (other) throw new Error(`This is ${other[1]}. Save it as CSV (UTF-8) and drop that file here.`);
  return fileOf(file.name, file, plainText(decodeText(bytes)));
}

/** A file of a text. */
export function fileOf(name: string, file: Blob, text: string): PickedFile {
  const large = text.length > CALL_CHARS || lines(text) > CALL_LINES;
  return { name, file, text, head: headOf(text), large };
}

function lines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** The first whole records: a cell that is cut in its middle would be a broken file. */
function headOf(text: string): string {
  // Which separator it is changes no line at which a record ends, but where a quote stands inside of a cell.
  const records = readRecords(text.slice(0, HEAD_CHARS * 2), ',', HEAD_RECORDS);
  const fitting = records.findLast(({ line }) => offsetOf(text, line) <= HEAD_CHARS);
  const whole = records.length < HEAD_RECORDS && text.length <= HEAD_CHARS;
  if (whole || !fitting || fitting === records[0]) return text.slice(0, CALL_CHARS);
  return text.slice(0, offsetOf(text, fitting.line));
}

/** Where a line begins. */
function offsetOf(text: string, line: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) at = text.indexOf('\n', at) + 1;
  return at;
}
