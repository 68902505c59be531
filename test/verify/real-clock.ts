import { readFileSync } from 'node:fs';
import { houseFiles } from './house-files.ts';

/** Clock and timers are injected: only pkg/base may read the machine's clock or set a timer; browsers have their own. */
const FORBIDDEN = /\b(Date\.now\(|new Date\(\)|setTimeout\(|setInterval\(|performance\.now\()/;
const files = houseFiles('pkg/**/*.ts', 'cmd/**/*.ts').filter((file) => !/^pkg\/(base|console)\//.test(file));
const found = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      FORBIDDEN.test(line.split('//')[0] ?? '') && !line.trim().startsWith('*')
        ? [`${file}:${index + 1}: ${line.trim()}`]
        : [],
    ),
);
for (const line of found) console.error(line);
if (found.length > 0) {
  console.error('Use pkg/base/clock.ts instead of the machine clock.');
  process.exit(1);
}
