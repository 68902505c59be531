import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);

/** Writes a generated file; with `--check` it only says whether it is up to date, and the process fails when it is not. */
export function keepFile(path: string, text: string): void {
  const file = fileURLToPath(new URL(path, ROOT));
  if (read(file) === text) return;
  if (process.argv.includes('--check')) {
    console.error(`${path} is not up to date. Run: make generate`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
