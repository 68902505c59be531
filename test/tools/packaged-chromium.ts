import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';

const CACHE = new URL('../../node_modules/.cache/outrider/', import.meta.url).pathname;

/** A browser that came through npm, and where the libraries lie that a bare machine lacks. */
export interface PackagedChromium {
  program: string;
  libraries: string;
}

/** The Chromium of the dev dependencies, unpacked once per version: a machine needs none of its own. */
export async function packagedChromium(): Promise<PackagedChromium> {
  // Its package.json is not exported; the program lies beside the code.
  const root = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (!(await exists(folder))) await unpack(join(root, 'bin'), folder);
  return { program: join(folder, 'chromium'), libraries: join(folder, 'lib') };
}

/** Into a folder of its own first: another process may unpack the same, and a killed one leaves nothing half done. */
async function unpack(bin: string, folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const making = await mkdtemp(join(CACHE, 'chromium-'));
  try {
    await inflate(join(bin, 'chromium.br'), join(making, 'chromium'));
    await chmod(join(making, 'chromium'), 0o755);
    const libraries = join(making, 'libraries.tar');
    await inflate(join(bin, 'al2023.tar.br'), libraries);
    await promisify(execFile)('tar', ['-xf', libraries, '-C', making]);
    await rm(libraries);
    await rename(making, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

const inflate = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
