import { join } from 'node:path';
import { build } from 'esbuild';

/** Programs of the image. Each becomes one file, so that a pod reads one file at its start. */
export const ENTRIES = ['mcp-server', 'operator', 'executor', 'sandbox', 'outrider'] as const;

/** CommonJS packages in the bundle ask for `require`, which modules do not have. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`;

/** Bundles every entry to `<folder>/cmd/<entry>/main.mjs`. The output depends on the sources and the lock file alone. */
export async function bundleEntries(root: string, folder: string): Promise<void> {
  await Promise.all(ENTRIES.map((entry) => bundleEntry(root, folder, entry)));
}

/** Bundles one entry to `<folder>/cmd/<entry>/main.mjs`, and returns that path. */
export async function bundleEntry(root: string, folder: string, entry: (typeof ENTRIES)[number]): Promise<string> {
  const outfile = join(folder, 'cmd', entry, 'main.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: [join('cmd', entry, 'main.ts')],
    outfile,
    bundle: true,
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
  });
  return outfile;
}
