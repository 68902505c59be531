import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { withDeadline } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { CallError } from '../call-error.ts';

/** The S3-compatible store of media, in the environment; without an endpoint they lie in Postgres. */
export const bucketEnv = {
  /** Address of the service, for example https://s3.eu-central-1.amazonaws.com; buckets are named in the path. */
  MEDIA_S3_ENDPOINT: z.url().optional(),
  MEDIA_S3_BUCKET: z.string().min(3).max(63).optional(),
  MEDIA_S3_REGION: z.string().min(1).default('us-east-1'),
  MEDIA_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  MEDIA_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
};
export type BucketSettings = Partial<z.output<z.ZodObject<typeof bucketEnv>>>;

/** Real ms for a piece of a megabyte. */
const TIMEOUT_MS = 20_000;
/** Bytes of a piece that are read at most. */
const MOST = 1024 * 1024;

/** The bucket that the settings name; undefined: media lie in Postgres. @throws Error where a part of the settings is missing */
export function chooseBucket(settings: BucketSettings): Bucket | undefined {
  const { MEDIA_S3_ENDPOINT: endpoint, MEDIA_S3_BUCKET: bucket, MEDIA_S3_REGION: region = 'us-east-1' } = settings;
  const { MEDIA_S3_ACCESS_KEY_ID: accessKeyId, MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (endpoint === undefined) return undefined;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error(
      'MEDIA_S3_ENDPOINT needs MEDIA_S3_BUCKET, MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY beside it.',
    );
  return new Bucket({ endpoint, bucket, region, accessKeyId, secretAccessKey });
}

interface BucketOptions {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Small objects in a bucket of an S3-compatible service (AWS, MinIO, Ceph, R2 …), signed with version 4; what is sent is signed with its
 * hash. The operator of the installation chose the address: it may be a private one.
 */
export class Bucket {
  readonly #options: BucketOptions;
  readonly #agent = new Agent({
    connections: 8,
    connect: { timeout: 5_000 },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  /** Keeps an object in the place of one of its name. @throws CallError */
  async put(key: string, data: Buffer, signal: AbortSignal): Promise<void> {
    await this.#call('PUT', key, signal, data);
  }

  /** @returns undefined where there is none @throws CallError */
  get(key: string, signal: AbortSignal): Promise<Buffer | undefined> {
    return this.#call('GET', key, signal);
  }

  /** Removes an object; one that is not there is as good as removed. @throws CallError */
  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#call('DELETE', key, signal);
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  async #call(
    method: 'PUT' | 'GET' | 'DELETE',
    key: string,
    signal: AbortSignal,
    data?: Buffer,
  ): Promise<Buffer | undefined> {
    try {
      return await withDeadline(TIMEOUT_MS, signal, (ends) => this.#send(method, key, ends, data));
    } catch (error) {
      if (error instanceof CallError || signal.aborted) throw error;
      throw new CallError('busy', `the bucket of media does not answer: ${messageOf(error)}`);
    }
  }

  async #send(
    method: 'PUT' | 'GET' | 'DELETE',
    key: string,
    signal: AbortSignal,
    data?: Buffer,
  ): Promise<Buffer | undefined> {
    const { endpoint, bucket, ...keys } = this.#options;
    const hash = createHash('sha256')
      .update(data ?? '')
      .digest('hex');
    const signed = await new AwsV4Signer({
      ...keys,
      service: 's3',
      method,
      url: `${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`,
      headers: { 'x-amz-content-sha256': hash, ...(data ? { 'content-type': 'application/octet-stream' } : {}) },
    }).sign();
    const answer = await request(signed.url, {
      dispatcher: this.#agent,
      method,
      headers: Object.fromEntries(signed.headers),
      body: data ?? null,
      signal,
    });
    const { statusCode: status, body } = answer;
    if (status === 200 && method === 'GET') return bounded(body);
    const text = (await body.text()).slice(0, 500);
    if (status >= 200 && status < 300) return undefined;
    if (status === 404 && method !== 'PUT' && !text.includes('NoSuchBucket')) return undefined;
    const why = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(text)?.[1] ?? '';
    // A wrong key or bucket is mended by people, and what waited goes on then.
    throw new CallError('busy', `the bucket of media answered ${status} ${why}`.trim());
  }
}

async function bounded(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes <= MOST) continue;
    body.destroy();
    throw new CallError('refused', 'the bucket of media holds a piece that is too large');
  }
  return Buffer.concat(pieces);
}
