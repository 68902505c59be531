import { expect } from 'chai';
import { FailingAddresses } from '../../../pkg/mcp/failing-addresses.ts';

describe('addresses that send wrong keys', () => {
  let waits: number[];
  let failing: FailingAddresses;
  beforeEach(() => {
    waits = [];
    failing = new FailingAddresses(async (ms) => {
      waits.push(ms);
    });
  });
  const fail = async (address: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await failing.failed(address);
  };

  it('are answered at once five times, then later each time, half a second at most', async () => {
    await fail('192.0.2.1', 5);
    expect(waits).to.deep.equal([]);
    await fail('192.0.2.1', 7);
    expect(waits).to.deep.equal([100, 200, 300, 400, 500, 500, 500]);
  });

  it('slow nobody else, and a right key makes them forgotten', async () => {
    await fail('192.0.2.1', 6);
    await fail('192.0.2.2', 5);
    failing.succeeded('192.0.2.1');
    await fail('192.0.2.1', 5);
    expect(waits).to.deep.equal([100]);
  });

  it('are remembered in bounded number', async () => {
    for (let i = 0; i < 25_000; i++) await failing.failed(`address ${i}`);
    expect(waits).to.deep.equal([]);
  });
});
