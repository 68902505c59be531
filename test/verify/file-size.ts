import { readFileSync } from 'node:fs';
import { houseFiles } from './house-files.ts';

/** No code file over 600 lines (docs/contributing.md); prints the offenders and the size of the house. */
const LIMIT = 600;
const files = houseFiles('*.ts', '*.tsx', '*.css', '*.mjs', '*.cjs', '*.sql');
const sizes = files
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
  .sort((a, b) => a.lines - b.lines);
const median = sizes[Math.floor(sizes.length / 2)]?.lines ?? 0;
const largest = sizes.at(-1);
console.log(`${files.length} files, median ${median} lines, largest ${largest?.lines} (${largest?.file})`);
const over = sizes.filter((entry) => entry.lines > LIMIT);
for (const { file, lines } of over) console.error(`${file}: ${lines} lines, more than ${LIMIT}: split it by concern`);
if (over.length > 0) process.exit(1);
