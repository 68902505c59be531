import { expect } from 'chai';
import { CallError } from '../../../pkg/providers/call-error.ts';
import { exchange } from '../../../pkg/providers/outside-http.ts';
import { isPublicAddress } from '../../../pkg/providers/public-address.ts';

describe('addresses that webhooks may reach', () => {
  const cases: [address: string, isPublic: boolean][] = [
    ['93.184.216.34', true],
    ['2606:2800:220:1::1', true],
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['172.31.0.1', false],
    ['192.168.1.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::1', false],
    ['::', false],
    ['fe80::1%eth0', false],
    ['fd00::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:93.184.216.34', false],
    ['64:ff9b::a00:1', false],
    ['2002:a00:1::1', false],
    ['not an address', false],
  ];
  for (const [address, isPublic] of cases) {
    it(`${address}: ${isPublic ? 'public' : 'refused'}`, () => expect(isPublicAddress(address)).to.equal(isPublic));
  }

  const urls = [
    'http://example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
    'https://sub.localhost/',
    'https://169.254.169.254/latest/meta-data',
  ];
  for (const url of urls) {
    it(`refuses ${url} before anything is written`, async () => {
      const failure = await exchange({ method: 'GET', url, timeoutMs: 1_000, harmless: true, reach: 'public' }).catch(
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(CallError);
      expect((failure as CallError).kind).to.equal('refused');
    });
  }
});
