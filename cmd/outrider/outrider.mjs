#!/usr/bin/env node
// Starts the command line with the Node.js that npm brought, whatever Node.js the machine has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const node = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));
const main = fileURLToPath(new URL('./main.ts', import.meta.url));
if (!existsSync(node)) {
  console.error('Outrider is not installed yet. Run: make run (or npm install)');
  process.exit(1);
}
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
