import { expect } from 'chai';
import { NEVER } from '../../../pkg/base/clock.ts';
import { chooseBucket } from '../../../pkg/providers/media/bucket.ts';
import { type BucketServer, startBucketServer } from '../../tools/bucket-server.ts';

// s3rver judges: it is an S3 server of others, and recomputes each signature.
describe('media: pieces in an S3-compatible store', () => {
  let server: BucketServer;
  before(async () => {
    server = await startBucketServer();
  });
  after(() => server.close());

  const KEY = 'media/acme/0197-a/0';

  it('keeps, replaces, gives back and removes a piece; what is not there is nothing, and removed already', async () => {
    const { bucket } = server;
    expect(await bucket.get(KEY, NEVER)).to.equal(undefined);
    const piece = Buffer.alloc(1024 * 1024, 7);
    await bucket.put(KEY, Buffer.from('before'), NEVER);
    await bucket.put(KEY, piece, NEVER);
    expect((await bucket.get(KEY, NEVER))?.equals(piece)).to.equal(true);
    await bucket.remove(KEY, NEVER);
    await bucket.remove(KEY, NEVER);
    expect(await bucket.get(KEY, NEVER)).to.equal(undefined);
  });

  it('says what a bucket refuses, and shows no key: a wrong secret, no such bucket, nobody there', async () => {
    const wrong = server.other({ secretAccessKey: 'a-wrong-secret' });
    const failed = (asked: Promise<unknown>): Promise<string> => asked.then(() => 'done', String);
    const refusal = await failed(wrong.put(KEY, Buffer.from('x'), NEVER));
    expect(refusal)
      .to.match(/answered 403 SignatureDoesNotMatch/)
      .and.not.contain('a-wrong-secret');
    const missing = server.other({ bucket: 'no-such-bucket' });
    expect(await failed(missing.get(KEY, NEVER))).to.match(/answered 404 NoSuchBucket/);
    const nobody = server.other({ endpoint: 'http://127.0.0.1:1' });
    expect(await failed(nobody.get(KEY, NEVER))).to.match(/does not answer/);
  });

  it('is chosen by its settings, all of them or none', () => {
    expect(chooseBucket({})).to.equal(undefined);
    expect(() => chooseBucket({ MEDIA_S3_ENDPOINT: 'https://s3.example' })).to.throw(/needs MEDIA_S3_BUCKET/);
  });
});
