import { expect } from 'chai';
import { decodeText } from '../../../pkg/base/decode-text.ts';

const TEXT = 'Name;Firma\nJürgen Groß;Müller & Söhne\n';

describe('text of a file', () => {
  const little = Buffer.from(TEXT, 'utf16le');
  const big = Buffer.from(little).swap16();
  const files: Record<string, Buffer> = {
    'UTF-8': Buffer.from(TEXT),
    'UTF-8 with a mark': Buffer.from(`\uFEFF${TEXT}`),
    'Windows-1252': Buffer.from(TEXT, 'latin1'),
    'UTF-16 LE': little,
    'UTF-16 BE': big,
    'UTF-16 LE with a mark': Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
    'UTF-16 BE with a mark': Buffer.concat([Buffer.from([0xfe, 0xff]), big]),
  };
  for (const [name, bytes] of Object.entries(files))
    it(`is read: ${name}`, () => {
      expect(decodeText(bytes)).to.equal(TEXT);
    });
});
