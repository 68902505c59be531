import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Programs of the image. Each becomes one file, and one more for each part that is loaded when it is needed first. */
export const ENTRIES = ['mcp-server', 'operator', 'executor', 'sandbox', 'outrider'] as const;

/** Programs of worker threads, each beside the programs that start it and under its own name (pkg/base/foreign-bytes/worker-file.ts). */
const WORKERS: Partial<Record<(typeof ENTRIES)[number], readonly string[]>> = {
  executor: [
    'pkg/providers/mail/mail-worker.ts',
    'pkg/providers/site/site-worker.ts',
    'pkg/providers/calendar/ical/ical-worker.ts',
  ],
  outrider: ['pkg/providers/mail/mail-worker.ts'],
  'mcp-server': [
    'pkg/tools/leads/csv/csv-worker.ts',
    'pkg/providers/calendar/ical/ical-worker.ts',
    'pkg/mcp/pictures/picture-worker.ts',
  ],
};

/** CommonJS packages in the bundle ask for `require`, which modules do not have. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`;

/** Bundles every entry to `<folder>/cmd/<entry>/main.mjs`. The output depends on the sources and the lock file alone. */
export async function bundleEntries(root: string, folder: string): Promise<void> {
  await Promise.all(ENTRIES.map((entry) => bundleEntry(root, folder, entry)));
}

/** Bundles one entry to `<folder>/cmd/<entry>/main.mjs`, and returns that path. */
export async function bundleEntry(root: string, folder: string, entry: (typeof ENTRIES)[number]): Promise<string> {
  const outdir = join(folder, 'cmd', entry);
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: join('cmd', entry, 'main.ts'),
      ...Object.fromEntries((WORKERS[entry] ?? []).map((file) => [basename(file, '.ts'), file])),
    },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported late (mailboxes, in most pods never) costs no memory until then.
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    banner: { js: REQUIRE },
    // Native client of pg, which is not installed.
    external: ['pg-native'],
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: true,
    legalComments: 'linked',
    logLevel: 'error',
    plugins: [oneLanguage],
  });
  for (const name of await readdir(outdir)) if (name.endsWith('.mjs')) await toAscii(join(outdir, name));
  return join(outdir, 'main.mjs');
}

/** zod brings its messages in fifty languages, which nobody asks for; each program would hold all of them. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onResolve }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer, path, resolveDir }) =>
      importer.includes('/zod/') ? { path: join(resolveDir, path, '..', 'en.js') } : undefined,
    );
  },
};

/** V8 keeps a program in two bytes for each character as soon as one of them is none of ASCII; esbuild leaves those of patterns. */
async function toAscii(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) await writeFile(path, escaped);
}
