import { resolve } from 'node:path';
import { build } from 'vite';
import { messageOf } from '../../pkg/base/errors.ts';

const ROOT = new URL('../../pkg/console/', import.meta.url).pathname;

/** Builds the console: `node cmd/console/main.ts [FOLDER]`, by default into pkg/console/dist. */
async function main(): Promise<void> {
  const [folder = `${ROOT}dist`] = process.argv.slice(2);
  await build({
    configFile: false,
    root: ROOT,
    base: '/console/',
    // Nothing of the machine's environment reaches a browser.
    envDir: false,
    logLevel: 'warn',
    // Preact's JSX, compiled by Vite itself.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: resolve(folder),
      emptyOutDir: true,
      target: 'es2023',
      // Strict policies of content allow no `data:` scripts, and what is inlined can not be kept by a browser.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}

main().catch((error: unknown) => {
  console.error(`The console was not built: ${messageOf(error)}`);
  process.exit(1);
});
