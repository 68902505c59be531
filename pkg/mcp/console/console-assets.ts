import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { HttpError } from '../../base/http/http-error.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};
/** Vite names what is below after its content. */
const HASHED = '/assets/';
const YEAR = 'public, max-age=31536000, immutable';
const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Outrider</title><h1>The console is not built.</h1><p>Run <code>make console</code> where Outrider runs from its sources.</p></html>';

interface Asset {
  type: string;
  plain: Buffer;
  zipped: Buffer;
}

/**
 * The built files of the console, held in memory under their exact names: no path of a request ever reaches the disk. They are read
 * when the first one is asked for, and again once another build is there.
 */
export class ConsoleAssets {
  readonly #folder: string;
  #read: { builtAt: number; assets: Promise<ReadonlyMap<string, Asset>> } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A file of the build, or the page of the app for every path that it knows itself. @throws HttpError 404 */
  async serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const assets = await this.#assets();
    const asset = assets.get(path);
    if (!asset && path.startsWith(HASHED))
      throw new HttpError(404, 'This file is of another build. Load the page again.');
    const page = asset ?? assets.get('/index.html');
    if (page === undefined) {
      response.writeHead(503, { 'content-type': TYPES['.html'], 'retry-after': '10' }).end(NOT_BUILT);
      return;
    }
    if (path.startsWith(HASHED)) response.setHeader('cache-control', YEAR);
    const zips = (request.headers['accept-encoding'] ?? '').includes('gzip') && page.zipped.length < page.plain.length;
    const bytes = zips ? page.zipped : page.plain;
    response.writeHead(200, {
      'content-type': page.type,
      'content-length': bytes.length,
      vary: 'Accept-Encoding',
      ...(zips ? { 'content-encoding': 'gzip' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }

  async #assets(): Promise<ReadonlyMap<string, Asset>> {
    const built = await stat(join(this.#folder, 'index.html')).catch(() => undefined);
    if (!built) return new Map();
    if (this.#read?.builtAt !== built.mtimeMs) {
      const assets = readAssets(this.#folder);
      this.#read = { builtAt: built.mtimeMs, assets };
      // A build under way: what could not be read is read again.
      assets.catch(() => {
        this.#read = undefined;
      });
    }
    return this.#read.assets;
  }
}

async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const zip = promisify(gzip);
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const plain = await readFile(name);
        const type = TYPES[extname(name)] ?? 'application/octet-stream';
        return [name.slice(folder.length).replace(/^\/?/, '/'), { type, plain, zipped: await zip(plain) }] as const;
      }),
    ),
  );
}
