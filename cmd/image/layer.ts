import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';

const compress = promisify(gzip);

/** One layer of an image: its bytes as stored, and the digest of what they unpack to. */
export interface Layer {
  bytes: Buffer;
  diffId: string;
}

/** A tar of the folder, compressed. Sorted names, no times, root as owner: equal files make equal bytes. */
export async function layerOf(folder: string): Promise<Layer> {
  const tar = pack();
  const chunks: Buffer[] = [];
  const read = (async () => {
    for await (const chunk of tar) chunks.push(chunk as Buffer);
  })();
  for (const path of await pathsOf(folder)) await add(tar, folder, path);
  tar.finalize();
  await read;
  const plain = Buffer.concat(chunks);
  return { bytes: await compress(plain, { level: 9 }), diffId: digestOf(plain) };
}

async function pathsOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => relative(folder, join(entry.parentPath, entry.name))).sort();
}

async function add(tar: Pack, folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  const isFolder = (await stat(path)).isDirectory();
  const common = { mtime: new Date(0), uid: 0, gid: 0, uname: 'root', gname: 'root' };
  await new Promise<void>((resolve, reject) => {
    const done = (error?: Error | null): void => (error ? reject(error) : resolve());
    if (isFolder) {
      // Sticky and open to all, as /tmp is everywhere; everything else can only be read.
      tar.entry({ name: `${name}/`, type: 'directory', mode: name === 'tmp' ? 0o1777 : 0o755, ...common }, done);
      return;
    }
    const mode = /(^|\/)bin\//.test(name) || /\.so(\.|$)/.test(name) ? 0o755 : 0o644;
    readFile(path).then((bytes) => tar.entry({ name, mode, ...common }, bytes, done), reject);
  });
}

/** `sha256:<hex>`, as OCI names content. */
export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
