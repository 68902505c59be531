import { UserError } from '../../../base/errors.ts';
import { answerInputs } from '../../../base/foreign-bytes/parse-worker.ts';
import type { CsvSlice } from './parse-csv.ts';
import { type CsvReading, readCsv } from './read-csv.ts';

export interface CsvInput {
  csv: string;
  mapping: Record<string, unknown>;
  slice?: CsvSlice | undefined;
}

/** `refused`: what the caller has to change. */
export type CsvAnswer = { read: CsvReading } | { refused: string; reason: string };

/** The program of a worker that reads files of leads. */
answerInputs(({ csv, mapping, slice }: CsvInput): CsvAnswer => {
  try {
    return { read: readCsv(csv, mapping, slice) };
  } catch (error) {
    if (error instanceof UserError) return { refused: error.message, reason: error.reason };
    throw error;
  }
});
