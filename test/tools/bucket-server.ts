import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignatureV4 } from '@smithy/signature-v4';
import { Bucket } from '../../pkg/providers/media/bucket.ts';

interface Server {
  configureBuckets(): Promise<void>;
  callback(): RequestListener;
}
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => Server;

const NAME = 'media-of-posts';
/** The only keys that the server knows. */
const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** An S3 server on loopback. */
export interface BucketServer {
  bucket: Bucket;
  /** Another client of it, with other settings. */
  other(settings: Partial<ConstructorParameters<typeof Bucket>[0]>): Bucket;
  close(): Promise<void>;
}

/** s3rver keeps the objects; since it does not compute signatures of version 4, AWS's own signer judges them before it. */
export async function startBucketServer(): Promise<BucketServer> {
  const directory = await mkdtemp(join(tmpdir(), 'outrider-s3-'));
  const buckets = [{ name: NAME, configs: [] }];
  const store = new S3rver({ silent: true, vhostBuckets: false, directory, configureBuckets: buckets });
  await store.configureBuckets();
  const serve = store.callback();
  const server = createServer((request, response) => {
    void isSigned(request).then((signed) => {
      if (signed) return serve(request, response);
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const settings = { endpoint: `http://127.0.0.1:${port}`, bucket: NAME, region: 'us-east-1', ...KEYS };
  const opened: Bucket[] = [];
  const open = (more: Partial<typeof settings> = {}): Bucket => {
    const bucket = new Bucket({ ...settings, ...more });
    opened.push(bucket);
    return bucket;
  };
  return {
    bucket: open(),
    other: open,
    async close() {
      await Promise.all(opened.map((bucket) => bucket.close()));
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

function bytesOf(given: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof given === 'string') return Buffer.from(given);
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given);
}

/** Whether AWS's signer makes the same signature of the request, over the headers that are said to be signed. */
async function isSigned({ method = '', url = '/', headers }: IncomingMessage): Promise<boolean> {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const [hostname = '', port] = (headers.host ?? '').split(':');
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    credentials: KEYS,
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const given = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]));
  const stamp = String(headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const asked = { method, protocol: 'http:', hostname, port: Number(port), path: url, headers: given };
  const signed = await signer.sign(asked, { signingDate: new Date(stamp), signableHeaders: new Set(names) });
  return signed.headers['authorization'] === headers.authorization;
}
