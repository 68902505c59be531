import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../../pkg/base/errors.ts';
import { writeArchive } from './archive.ts';
import { layerOf } from './layer.ts';
import { layOut } from './rootfs.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/**
 * Builds the image without a container engine: `node cmd/image/main.ts [FILE] [NAME]`. With `--rootfs FOLDER` it only lays
 * out the files, for a container engine to put into an image (Dockerfile).
 */
async function main(): Promise<void> {
  const [option, target] = process.argv.slice(2);
  if (option === '--rootfs') {
    if (!target) throw new Error('--rootfs needs a folder: node cmd/image/main.ts --rootfs FOLDER');
    await mkdir(target, { recursive: true });
    return layOut(ROOT, resolve(target));
  }
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const [file = join(ROOT, 'dist/outrider-image.tar'), name = `outrider.dev/outrider:${version}`] =
    process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), 'outrider-image-'));
  try {
    await layOut(ROOT, folder);
    const layer = await layerOf(folder);
    await mkdir(dirname(resolve(file)), { recursive: true });
    const digest = await writeArchive(layer, { name, version, file });
    const megabytes = ((await stat(file)).size / 1e6).toFixed(1);
    console.log(`${file}: ${name}, ${megabytes} MB compressed, ${digest}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(`The image was not built: ${messageOf(error)}`);
  process.exit(1);
});
