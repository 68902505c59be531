import { readFileSync } from 'node:fs';
import { COLUMN_MARKS } from '../../pkg/store/erasure/column-marks.ts';

/** Each column of the schema says whether an erasure empties it; what this prints is what `make verify` refuses. */
const SCHEMA = new URL('../contract/schema.txt', import.meta.url).pathname;
const MARKS = 'pkg/store/erasure/column-marks.ts';
/** Of the migrations, which hold nothing but names of files. */
const OURS = /^public\./;

/** Columns by table, as test/contract/schema.txt tells them. Partitions have those of their table. */
function columnsOf(schema: string): Map<string, Set<string>> {
  const tables = new Map<string, Set<string>>();
  let columns: Set<string> | undefined;
  for (const line of schema.split('\n')) {
    const table = /^table (\S+)/.exec(line)?.[1];
    if (table !== undefined) {
      columns = new Set();
      if (!OURS.test(table) && !/_default$/.test(table)) tables.set(table.replace(/^outrider\./, ''), columns);
    } else if (/^\S/.test(line)) columns = undefined;
    const column = /^ {2}column (\S+)/.exec(line)?.[1];
    if (column !== undefined) columns?.add(column);
  }
  return tables;
}

const words = (text = ''): string[] => text.split(/\s+/).filter((word) => word !== '');
const problems: string[] = [];
const schema = columnsOf(readFileSync(SCHEMA, 'utf8'));
for (const [table, columns] of schema) {
  const marks = COLUMN_MARKS[table];
  const marked = [...words(marks?.none), ...words(marks?.erase), ...words(marks?.hash), ...words(marks?.keys)];
  for (const column of columns)
    if (!marked.includes(column)) problems.push(`${table}.${column} has no mark: give it one in ${MARKS}`);
  for (const [index, column] of marked.entries()) {
    if (!columns.has(column)) problems.push(`${table}.${column} is marked in ${MARKS} and is no column any more`);
    if (marked.indexOf(column) !== index) problems.push(`${table}.${column} is marked twice in ${MARKS}`);
  }
  const emptied = Object.keys(marks?.emptied ?? {}).filter((column) => !words(marks?.erase).includes(column));
  for (const column of words(marks?.facts).filter((one) => !words(marks?.erase).includes(one)))
    problems.push(`${table}.${column} is a fact in ${MARKS} and is not marked erase`);
  for (const column of emptied)
    problems.push(`${table}.${column} says in ${MARKS} how it is emptied and is not marked erase`);
}
for (const table of Object.keys(COLUMN_MARKS))
  if (!schema.has(table)) problems.push(`${table} is marked in ${MARKS} and is no table any more`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
