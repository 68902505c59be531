import { expect } from 'chai';
import { mediaProblem, mediaTypeOf } from '../../../../pkg/domain/content/media-type.ts';
import { seededRandom } from '../../../../pkg/domain/random.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const PNG = bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0, 0, 13], 'IHDR', [0, 0, 4, 0, 0, 0, 2, 0, 8, 6, 0, 0, 0]);
const JPEG = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 2, 0, 4, 0, 3, 0, 0]);
const GIF = bytes('GIF89a', [0, 4, 0, 2, 0, 0, 0]);
const WEBP = bytes('RIFF', [0, 0, 0, 0], 'WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 0xff, 3, 0, 0xff, 1, 0, 0]);

describe('content: media are what their first bytes say', () => {
  for (const [mime, file] of [
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/gif', GIF],
    ['image/webp', WEBP],
  ] as const)
    it(`${mime} with its pixels`, () =>
      expect(mediaTypeOf(file)).to.deep.equal({ mime, kind: 'image', width: 1024, height: 512 }));

  it('a video is known by its box', () =>
    expect(mediaTypeOf(bytes([0, 0, 0, 32], 'ftypisom', [0, 0]))).to.include({ mime: 'video/mp4', kind: 'video' }));

  it('takes no SVG, no page, no program and nothing short', () => {
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg">',
      '<!doctype html><html>',
      'MZ\x90\0\x03\0\0\0\x04\0\0\0',
      '%PDF-1.7 ....',
      'GIF',
    ])
      expect(mediaTypeOf(bytes(text))).to.equal(null);
  });

  it('bounds bytes and pixels, and reads garbage without end or fault', () => {
    expect(mediaProblem(mediaTypeOf(PNG), 10 * 1024 * 1024 + 1)).to.match(/larger than 10 MB/);
    expect(mediaProblem({ mime: 'image/png', kind: 'image', width: 30_000, height: 30_000 }, 10)).to.match(/pixels/);
    const random = seededRandom('media');
    for (let round = 0; round < 2_000; round++) {
      const noise = Uint8Array.from({ length: 64 }, () => Math.floor(random() * 256));
      for (const head of [PNG, JPEG, GIF, WEBP])
        mediaTypeOf(Buffer.concat([head.subarray(0, 4 + (round % 12)), noise]));
    }
  });
});
