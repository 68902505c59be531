import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = new URL('../../docs/', import.meta.url).pathname;

/** Pages for platform engineers. */
export const PAGES = [
  'install.md',
  'upgrade.md',
  'backup-restore.md',
  'tenancy.md',
  'sizing.md',
  'capability-levels.md',
  'conditions.md',
  'resources.md',
  'kubernetes.md',
  'gitops.md',
  'troubleshooting.md',
  'observability.md',
  'reference/secrets.md',
] as const;

/** A block of shell commands and how it is proven: on a running home, by rendering, on a cluster, or in a case of a restore. */
export interface CommandBlock {
  page: string;
  marker: 'run: home' | 'run: render' | 'needs: cluster' | `restore: ${string}` | 'unmarked';
  lines: string[];
}

export function pageText(page: string): string {
  return readFileSync(join(DOCS, page), 'utf8');
}

/** Every block of shell commands of a page, in order. */
export function commandBlocks(page: string): CommandBlock[] {
  const found = pageText(page).matchAll(
    /(?:<!-- (run: home|run: render|needs: cluster|restore: [a-z]+) -->\n\s*)?```sh\n([\s\S]*?)```/g,
  );
  return [...found].map(([, marker, body = '']) => ({
    page,
    marker: (marker ?? 'unmarked') as CommandBlock['marker'],
    lines: body
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  }));
}
